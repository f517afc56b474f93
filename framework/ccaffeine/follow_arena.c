/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances and connections of a script that is followed. */
#include "convert.h"

#include <limits.h>
#include <string.h>

const char *step_argument(const struct step *s, size_t index)
{
    return index + 1 < s->words->n_words ? s->words->words[index + 1] : NULL;
}

void step_only_shows(const struct step *s)
{
    STEP_NOTE(s, "'%s' only shows something; an assembly has no place for it", s->words->words[0]);
}

/* -------------------------------------------------------------------------------- instances */

/* The name that the script uses for an instance. */
static const char *written_name(const struct follower *f, const char *plain)
{
    for (size_t i = f->n_aliases; i > 0; i--)
        if (!strcmp(f->aliases[i - 1].plain, plain))
            return f->aliases[i - 1].written;
    return plain;
}

static struct portolan_words written_names(const struct follower *f)
{
    struct portolan_words names = {0};

    for (size_t i = 0; i < f->a.n_instances; i++)
        portolan_words_add(f->arena, &names, written_name(f, f->a.instances[i].name));
    return names;
}

struct wanted {
    const struct portolan_assembly *a;
    const char *name, *uses; /* USES: of a connection */
};

static uint64_t hash_of(const char *name, const char *uses)
{
    return portolan_hash(uses, strlen(uses) + 1, portolan_hash(name, strlen(name) + 1, 0));
}

static bool is_instance(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return strcmp(w->a->instances[i].name, w->name) == 0;
}

static bool is_connection(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return strcmp(w->a->connections[i].user, w->name) == 0 &&
           strcmp(w->a->connections[i].uses, w->uses) == 0;
}

/* The instance NAME of the assembly; SIZE_MAX: none. Scripts may have thousands. */
static size_t find_plain(struct follower *f, const char *name)
{
    const struct wanted wanted = {&f->a, name, NULL};

    while (f->n_instances < f->a.n_instances &&
           portolan_index_add(&f->instances, hash_of(f->a.instances[f->n_instances].name, ""),
                              f->n_instances))
        f->n_instances++;
    f->arena->failed |= f->n_instances < f->a.n_instances;
    return portolan_index_find(&f->instances, hash_of(name, ""), is_instance, &wanted);
}

/* The connection of a user's port. */
static size_t find_connection(struct follower *f, const char *user, const char *uses)
{
    const struct wanted wanted = {&f->a, user, uses};

    for (; f->n_connections < f->a.n_connections; f->n_connections++) {
        const struct portolan_assembly_connection *c = &f->a.connections[f->n_connections];

        if (!portolan_index_add(&f->connections, hash_of(c->user, c->uses), f->n_connections)) {
            f->arena->failed = true;
            break;
        }
    }
    return portolan_index_find(&f->connections, hash_of(user, uses), is_connection, &wanted);
}

void follow_forget_places(struct follower *f)
{
    portolan_index_clear(&f->instances);
    portolan_index_clear(&f->connections);
    f->n_instances = f->n_connections = 0;
}

/* The instance that a script calls exactly WORD. */
static size_t find_written(struct follower *f, const char *word)
{
    size_t at;

    for (size_t i = f->n_aliases; i > 0; i--)
        if (strcmp(f->aliases[i - 1].written, word) == 0 &&
            (at = find_plain(f, f->aliases[i - 1].plain)) != SIZE_MAX)
            return at;
    at = find_plain(f, word);
    return at != SIZE_MAX && strcmp(written_name(f, word), word) == 0 ? at : SIZE_MAX;
}

/* Any name that only WORD can mean, as Ccaffeine completes names. */
static struct portolan_assembly_instance *complete_name(const struct step *s, const char *word,
                                                        struct portolan_error *err)
{
    struct portolan_words names = written_names(s->f);
    const char *match;

    if (match_name(word, names.word, names.n, "instance", &match, err) != PORTOLAN_OK)
        return NULL;
    for (size_t i = 0; i < names.n; i++)
        if (names.word[i] == match)
            return &s->f->a.instances[i];
    return NULL;
}

struct portolan_assembly_instance *step_find(const struct step *s, const char *word,
                                             struct portolan_error *err)
{
    size_t at = word ? find_written(s->f, word) : SIZE_MAX;

    return at != SIZE_MAX ? &s->f->a.instances[at] : complete_name(s, word, err);
}

/* Like step_find(), but errors are reported. */
struct portolan_assembly_instance *step_instance(const struct step *s, size_t index)
{
    struct portolan_error err = {0};
    struct portolan_assembly_instance *i = step_find(s, step_argument(s, index), &err);

    if (!i && err.status != PORTOLAN_OK)
        STEP_FAULT(s, "%s", err.text);
    return i;
}

/* The names of the palette's classes. */
static struct portolan_words known_classes(const struct step *s)
{
    const struct portolan_class_description *c = NULL;
    struct portolan_words names = {0};

    while (s->f->palette && (c = portolan_palette_next(s->f->palette, c)))
        portolan_words_add(s->f->arena, &names, c->class_name);
    return names;
}

/* Notes, or if is_exact refuses, a class name that the palette completed, because another palette
 * could complete it differently. */
static const char *completed_class(const struct step *s, const char *word, const char *class_name)
{
    if (!s->f->c->is_exact) {
        STEP_NOTE(s, "class '%s' is taken to be '%s', which the palette has at present", word,
                  class_name);
        return class_name;
    }
    STEP_FAULT(s, "there is no class '%s'; write '%s' if that is meant", word, class_name);
    return NULL;
}

const char *step_class(const struct step *s, const char *word, bool is_get)
{
    struct portolan_words known = known_classes(s);
    struct portolan_error err = {0};
    const char *match;
    enum portolan_status status =
        match_class(word, is_get ? NULL : &s->f->got, &known, &match, &err);

    if (status == PORTOLAN_ENOTFOUND)
        return word;
    if (status != PORTOLAN_OK) {
        STEP_FAULT(s, "%s", err.text);
        return NULL;
    }
    if (!strcmp(match, word) || (!is_get && match_is_among(match, &s->f->got)))
        return match;
    return completed_class(s, word, match);
}

/* Instances of assemblies are named with letters, digits, '_' and '-' only. */
static const char *plain_name(const struct step *s, const char *name)
{
    char *copy = portolan_arena_strdup(s->f->arena, name);
    bool changed = false;

    for (char *at = copy; at && *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at)) {
            *at = '_';
            changed = true;
        }
    if (changed && GROW(s->f, s->f->aliases, s->f->n_aliases))
        s->f->aliases[s->f->n_aliases++] = (struct alias){name, copy};
    if (changed)
        STEP_LOSS(s,
                  "instance '%s' becomes '%s', for names are made of letters, digits, '_' and '-'",
                  name, copy);
    return copy;
}

static void add_parameter(const struct step *s, struct portolan_assembly_alternative *x,
                          struct promise *p)
{
    struct portolan_assembly_parameter new = {
        .name = p->key, .type = PORTOLAN_VALUE_STRING, .text = p->text, .line = p->line};

    p->kept = true;
    if (!convert_type(s->f->palette, x->class_name, p->key, &new.type, &new.is_array))
        convert_report(
            s->f->c, s->f->s->file, p->line, false,
            "the type of property '%s' is taken to be string, for no description of class "
            "'%s' says otherwise",
            p->key, x->class_name);
    for (size_t i = 0; i < x->n_parameters; i++)
        if (!strcmp(x->parameters[i].name, p->key)) {
            x->parameters[i] = new;
            return;
        }
    if (GROW(s->f, x->parameters, x->n_parameters))
        x->parameters[x->n_parameters++] = new;
}

void follow_instantiate(const struct step *s)
{
    struct follower *f = s->f;
    const char *class_name = step_class(s, step_argument(s, 0), false), *name = step_argument(s, 1),
               *plain;
    struct portolan_assembly_alternative *x;

    if (class_name && !name) {
        const struct portolan_words taken = written_names(f);

        name = match_free_name(f->arena, class_name, &taken);
    }
    if (!class_name || !name || !(plain = plain_name(s, name)))
        return;
    if (find_plain(f, plain) != SIZE_MAX) {
        STEP_FAULT(s, "there is an instance '%s' already", plain);
        return;
    }
    x = portolan_arena_alloc(f->arena, 1, sizeof *x);
    if (!x || !GROW(f, f->a.instances, f->a.n_instances))
        return;
    *x = (struct portolan_assembly_alternative){.class_name = class_name, .line = s->line};
    for (size_t i = 0; i < f->n_promises; i++)
        if (!f->promises[i].kept && !strcmp(f->promises[i].instance, name))
            add_parameter(s, x, &f->promises[i]);
    f->a.instances[f->a.n_instances++] = (struct portolan_assembly_instance){
        .name = plain,
        .n_alternatives = 1,
        .alternatives = x,
        .is_placed = f->has_drop,
        .x = f->drop_x,
        .y = f->drop_y,
        .line = s->line,
    };
    f->has_drop = false;
}

void follow_move(const struct step *s)
{
    bool is_move = step_argument(s, 2) != NULL; /* otherwise it places the next instance */
    struct portolan_assembly_instance *i = is_move ? step_instance(s, 0) : NULL;
    const char *x_text = step_argument(s, is_move), *y_text = step_argument(s, 1 + is_move);
    int64_t x, y;

    if (!i && is_move)
        return;
    if (!portolan_read_int64(x_text, &x) || !portolan_read_int64(y_text, &y) || x < INT_MIN ||
        x > INT_MAX || y < INT_MIN || y > INT_MAX) {
        STEP_FAULT(s, "a place is two whole numbers, not '%s %s'", x_text, y_text);
    } else if (i) {
        i->is_placed = true;
        i->x = (int)x;
        i->y = (int)y;
    } else {
        s->f->has_drop = true;
        s->f->drop_x = (int)x;
        s->f->drop_y = (int)y;
    }
}

/* ------------------------------------------------------------------------------ connections */

static bool is_same_connection(const struct portolan_assembly_connection *x,
                               const struct portolan_assembly_connection *y)
{
    return !strcmp(x->user, y->user) && !strcmp(x->uses, y->uses) &&
           !strcmp(x->provider, y->provider) && !strcmp(x->provides, y->provides);
}

/* The connection that a command names; false when an instance is unknown. */
static bool find_ends(const struct step *s, struct portolan_assembly_connection *c)
{
    struct portolan_assembly_instance *user = step_instance(s, 0);
    struct portolan_assembly_instance *provider = user ? step_instance(s, 2) : NULL;

    if (!provider)
        return false;
    *c = (struct portolan_assembly_connection){.user = user->name,
                                               .uses = step_argument(s, 1),
                                               .provider = provider->name,
                                               .provides = step_argument(s, 3),
                                               .line = s->line};
    return true;
}

void follow_connect(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_connection c;
    size_t there;

    if (!find_ends(s, &c))
        return;
    there = find_connection(s->f, c.user, c.uses);
    if (there != SIZE_MAX) {
        STEP_LOSS(s,
                  "uses port '%s' of '%s' is connected on line %d already; an assembly connects "
                  "it once",
                  c.uses, c.user, a->connections[there].line);
        return;
    }
    if (GROW(s->f, a->connections, a->n_connections))
        a->connections[a->n_connections++] = c;
}

static void forget_connection(struct portolan_assembly *a, size_t i)
{
    memmove(&a->connections[i], &a->connections[i + 1],
            (a->n_connections - i - 1) * sizeof *a->connections);
    a->n_connections--;
}

void follow_disconnect(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_connection c;

    if (!find_ends(s, &c))
        return;
    for (size_t i = 0; i < a->n_connections; i++)
        if (is_same_connection(&a->connections[i], &c)) {
            forget_connection(a, i);
            follow_forget_places(s->f);
            return;
        }
    STEP_FAULT(s, "uses port '%s' of '%s' is not connected to '%s' of '%s'", c.uses, c.user,
               c.provides, c.provider);
}

void follow_remove(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_instance *x = step_instance(s, 0);
    size_t at;

    if (!x)
        return;
    for (size_t i = a->n_connections; i > 0; i--)
        if (!strcmp(a->connections[i - 1].user, x->name) ||
            !strcmp(a->connections[i - 1].provider, x->name))
            forget_connection(a, i - 1);
    follow_forget_places(s->f);
    at = (size_t)(x - a->instances);
    memmove(x, x + 1, (a->n_instances - at - 1) * sizeof *x);
    a->n_instances--;
}
