/* SPDX-License-Identifier: BSD-3-Clause */
/* From a script to an assembly: its commands are followed without any component. */
#include "convert.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A property of an instance that is not there yet. */
struct promise {
    const char *instance, *key, *text;
    int line;
    bool kept;
};

/* An instance whose name an assembly cannot have. */
struct alias {
    const char *written, *plain;
};

struct follower {
    const struct portolan_script *s;
    const struct portolan_palette *palette;
    struct portolan_conversion *c;
    struct portolan_diagnostics *d;
    struct portolan_arena *arena;
    struct portolan_assembly a;
    int *path_lines;
    const char **got; /* classes */
    size_t n_got;
    struct promise *promises;
    size_t n_promises;
    struct alias *aliases;
    size_t n_aliases;
    bool has_drop, has_ended;
    int drop_x, drop_y;
};

struct names {
    const char **names;
    size_t n;
};

/* The command at hand. */
struct step {
    struct follower *f;
    const struct command_form *form;
    const struct portolan_script_command *words;
    int line;
};

static const char *argument(const struct step *s, size_t index)
{
    return index + 1 < s->words->n_words ? s->words->words[index + 1] : NULL;
}

static void fault(const struct step *s, const struct portolan_error *err)
{
    portolan_diagnose(s->f->d, s->f->s->file, s->line, 0, "%s", err->text);
}

#define NOTE(S, ...) convert_tell((S)->f->c, (S)->f->s->file, (S)->line, false, __VA_ARGS__)
#define LOSS(S, ...) convert_tell((S)->f->c, (S)->f->s->file, (S)->line, true, __VA_ARGS__)

/* Grows a list of the follower by one; leaves when memory is out, which the arena remembers. */
#define GROW(F, LIST, N)                                                                           \
    ((LIST) = portolan_arena_grow((F)->arena, (LIST), (N), sizeof *(LIST)), (LIST) != NULL)

static void only_shows(const struct step *s)
{
    NOTE(s, "'%s' only shows something; an assembly has no place for it", s->words->words[0]);
}

/* -------------------------------------------------------------------------------- instances */

/* What the script calls an instance. */
static const char *written_name(const struct follower *f, const char *plain)
{
    for (size_t i = f->n_aliases; i > 0; i--)
        if (!strcmp(f->aliases[i - 1].plain, plain))
            return f->aliases[i - 1].written;
    return plain;
}

static struct portolan_assembly_instance *find_instance(const struct step *s, const char *word,
                                                        struct portolan_error *err)
{
    struct portolan_assembly *a = &s->f->a;
    const char **names = portolan_arena_alloc(s->f->arena, a->n_instances + 1, sizeof *names);
    const char *match;

    for (size_t i = 0; names && i < a->n_instances; i++)
        names[i] = written_name(s->f, a->instances[i].name);
    if (!names || match_name(word, names, a->n_instances, "instance", &match, err) != PORTOLAN_OK)
        return NULL;
    for (size_t i = 0; i < a->n_instances; i++)
        if (names[i] == match)
            return &a->instances[i];
    return NULL;
}

/* The same; what is wrong is told. */
static struct portolan_assembly_instance *instance(const struct step *s, size_t index)
{
    struct portolan_error err = {0};
    struct portolan_assembly_instance *i = find_instance(s, argument(s, index), &err);

    if (!i && err.status != PORTOLAN_OK)
        fault(s, &err);
    return i;
}

/* The names of the palette's classes. */
static struct names known_classes(const struct step *s)
{
    const struct portolan_class_description *c = NULL;
    struct names names = {0};

    while (s->f->palette && (c = portolan_palette_next(s->f->palette, c))) {
        if (!GROW(s->f, names.names, names.n))
            return (struct names){0};
        names.names[names.n++] = c->class_name;
    }
    return names;
}

/*
 * The class that a word means: of just that name, else one that was got (unless it is just being
 * got) or one of the palette by loose matching, else the word as it stands.
 */
static const char *find_class(const struct step *s, const char *word, bool is_get)
{
    struct names known = known_classes(s);
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_ENOTFOUND;
    const char *match = NULL;

    for (size_t i = 0; i < known.n; i++)
        if (!strcmp(known.names[i], word))
            return known.names[i];
    if (!is_get)
        status = match_name(word, s->f->got, s->f->n_got, "class", &match, &err);
    if (status == PORTOLAN_ENOTFOUND) {
        err = (struct portolan_error){0};
        status = match_name(word, known.names, known.n, "class", &match, &err);
    }
    if (status == PORTOLAN_OK)
        return match;
    if (status == PORTOLAN_ENOTFOUND)
        return word;
    fault(s, &err);
    return NULL;
}

static bool has_name(const struct follower *f, const char *name)
{
    for (size_t i = 0; i < f->a.n_instances; i++)
        if (!strcmp(f->a.instances[i].name, name))
            return true;
    return false;
}

/* As the interpreter makes it up. */
static const char *make_up_name(struct follower *f, const char *class_name)
{
    const char *dot = strrchr(class_name, '.'), *name = NULL;

    for (unsigned number = 0; !name || has_name(f, name); number++)
        if (!(name = portolan_arena_printf(f->arena, "%s%u", dot ? dot + 1 : class_name, number)))
            return NULL;
    return name;
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
        LOSS(s, "instance '%s' becomes '%s', for names are made of letters, digits, '_' and '-'",
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
        convert_tell(s->f->c, s->f->s->file, p->line, false,
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

static void follow_instantiate(const struct step *s)
{
    struct follower *f = s->f;
    const char *class_name = find_class(s, argument(s, 0), false), *name = argument(s, 1), *plain;
    struct portolan_assembly_alternative *x;

    if (!class_name || (!name && !(name = make_up_name(f, class_name))))
        return;
    if (!(plain = plain_name(s, name)))
        return;
    if (has_name(f, plain)) {
        portolan_diagnose(f->d, f->s->file, s->line, 0, "there is an instance '%s' already", plain);
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

static void follow_move(const struct step *s)
{
    struct portolan_assembly_instance *i = s->form->id == COMMAND_MOVE ? instance(s, 0) : NULL;
    const char *x_text = argument(s, i ? 1 : 0), *y_text = argument(s, i ? 2 : 1);
    int64_t x, y;

    if (!i && s->form->id == COMMAND_MOVE)
        return;
    if (!portolan_read_int64(x_text, &x) || !portolan_read_int64(y_text, &y) || x < INT_MIN ||
        x > INT_MAX || y < INT_MIN || y > INT_MAX) {
        portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                          "a place is two whole numbers, not '%s %s'", x_text, y_text);
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

static bool joins(const struct portolan_assembly_connection *x,
                  const struct portolan_assembly_connection *y)
{
    return !strcmp(x->user, y->user) && !strcmp(x->uses, y->uses) &&
           !strcmp(x->provider, y->provider) && !strcmp(x->provides, y->provides);
}

/* The connection that a command names; false when an instance is unknown. */
static bool ends(const struct step *s, struct portolan_assembly_connection *c)
{
    struct portolan_assembly_instance *user = instance(s, 0);
    struct portolan_assembly_instance *provider = user ? instance(s, 2) : NULL;

    if (!provider)
        return false;
    *c = (struct portolan_assembly_connection){.user = user->name,
                                               .uses = argument(s, 1),
                                               .provider = provider->name,
                                               .provides = argument(s, 3),
                                               .line = s->line};
    return true;
}

static void follow_connect(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_connection c;

    if (!ends(s, &c))
        return;
    for (size_t i = 0; i < a->n_connections; i++)
        if (!strcmp(a->connections[i].user, c.user) && !strcmp(a->connections[i].uses, c.uses)) {
            LOSS(s,
                 "uses port '%s' of '%s' is connected on line %d already; an assembly connects "
                 "it once",
                 c.uses, c.user, a->connections[i].line);
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

static void follow_disconnect(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_connection c;

    if (!ends(s, &c))
        return;
    for (size_t i = 0; i < a->n_connections; i++)
        if (joins(&a->connections[i], &c)) {
            forget_connection(a, i);
            return;
        }
    portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                      "uses port '%s' of '%s' is not connected to '%s' of '%s'", c.uses, c.user,
                      c.provides, c.provider);
}

static void follow_remove(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    struct portolan_assembly_instance *x = instance(s, 0);
    size_t at;

    if (!x)
        return;
    for (size_t i = a->n_connections; i > 0; i--)
        if (!strcmp(a->connections[i - 1].user, x->name) ||
            !strcmp(a->connections[i - 1].provider, x->name))
            forget_connection(a, i - 1);
    at = (size_t)(x - a->instances);
    memmove(x, x + 1, (a->n_instances - at - 1) * sizeof *x);
    a->n_instances--;
}

/* -------------------------------------------------------------------------------- the values */

static void follow_configure(const struct step *s)
{
    struct portolan_assembly_instance *i = instance(s, 0);
    struct portolan_assembly_alternative *x = i ? i->alternatives : NULL;

    if (!i)
        return;
    if (!argument(s, 3)) {
        only_shows(s);
        return;
    }
    if (!strcmp(argument(s, 2), "ALL"))
        portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                          "'ALL' cannot be used to set a parameter value");
    else if (GROW(s->f, x->configures, x->n_configures))
        x->configures[x->n_configures++] =
            (struct portolan_assembly_configure){.port = argument(s, 1),
                                                 .field = argument(s, 2),
                                                 .text = verb_rest(s->f->arena, s->words, 3),
                                                 .line = s->line};
}

static void follow_property(const struct step *s)
{
    struct follower *f = s->f;
    struct portolan_error err = {0};
    struct portolan_assembly_instance *i = find_instance(s, argument(s, 0), &err);

    if (!i && err.status != PORTOLAN_ENOTFOUND)
        fault(s, &err);
    else if (!argument(s, 2) && i)
        only_shows(s);
    else if (!argument(s, 2))
        fault(s, &err);
    else if (i)
        LOSS(s,
             "an assembly gives properties before setServices only; put this line before that "
             "which makes '%s'",
             i->name);
    else if (GROW(f, f->promises, f->n_promises))
        f->promises[f->n_promises++] = (struct promise){.instance = argument(s, 0),
                                                        .key = argument(s, 1),
                                                        .text = verb_rest(f->arena, s->words, 2),
                                                        .line = s->line};
}

/* ------------------------------------------------------------------------- path and repository */

static void add_path(struct follower *f, const char *folder, bool in_front)
{
    const char **paths = f->a.paths;

    if (!folder || !GROW(f, paths, f->a.n_paths))
        return;
    f->a.paths = paths;
    if (in_front)
        memmove(paths + 1, paths, f->a.n_paths * sizeof *paths);
    /* As the reader of assemblies resolves them. */
    paths[in_front ? 0 : f->a.n_paths] =
        *folder == '/' ? folder : portolan_arena_printf(f->arena, "./%s", folder);
    f->a.n_paths++;
}

static void set_paths(struct follower *f, const char *list)
{
    const char *equals = strchr(list, '=');

    f->a.n_paths = 0;
    f->a.paths = NULL;
    for (const char *at = equals ? equals + 1 : list; *at;) {
        size_t length = strcspn(at, ":");

        if (length)
            add_path(f, portolan_arena_strndup(f->arena, at, length), false);
        at += length + (at[length] == ':');
    }
}

static void follow_path(const struct step *s)
{
    const char *word = argument(s, 0), *folder = argument(s, 1);
    const char *list;

    if (!word) {
        only_shows(s);
    } else if (!strcmp(word, "init") && !folder) {
        list = getenv("CCA_COMPONENT_PATH");
        NOTE(s, "the folders are those that CCA_COMPONENT_PATH holds at present");
        set_paths(s->f, list ? list : "");
    } else if (!strcmp(word, "set") && folder) {
        set_paths(s->f, folder);
    } else if ((!strcmp(word, "append") || !strcmp(word, "prepend")) && folder) {
        add_path(s->f, folder, *word == 'p');
    } else {
        portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                          "path: wants init, or append, prepend or set with a folder");
    }
}

static void follow_repository(const struct step *s)
{
    struct follower *f = s->f;
    const char *word = argument(s, 0), *name = argument(s, 1), *class_name;

    if (!strncmp("list", word, strlen(word)) && !name) {
        only_shows(s);
    } else if (!strcmp(word, "get-ports") && name) {
        LOSS(s, "an assembly does not load shared objects that are no components");
    } else if (!strncmp(word, "init", 4) && !name) {
        NOTE(s, "an assembly loads what it uses");
    } else if (!strncmp(word, "get", 3) && name) {
        if (strcmp(word, "get") != 0)
            NOTE(s, "an assembly loads every class as `repository get` does, private and at once");
        class_name = find_class(s, name, true);
        if (class_name && GROW(f, f->got, f->n_got))
            f->got[f->n_got++] = class_name;
    } else {
        portolan_diagnose(f->d, f->s->file, s->line, 0,
                          "repository: wants list, init, or get with a class");
    }
}

/* ------------------------------------------------------------------------------------- the go */

/* The only go port of a class by its description, or NULL. */
static const char *only_go_port(const struct follower *f, const char *class_name)
{
    const struct portolan_class_description *class =
        f->palette ? portolan_palette_find(f->palette, class_name) : NULL;
    const char *port = NULL;

    for (size_t i = 0; class && i < class->n_provides; i++)
        if (portolan_port_is(&class->provides[i], "gov.cca.ports.GoPort")) {
            if (port)
                return NULL;
            port = class->provides[i].name;
        }
    return port;
}

static void follow_go(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    const char *port = argument(s, 1);
    struct portolan_assembly_instance *i = argument(s, 0) ? instance(s, 0) : NULL;

    if (argument(s, 0) && !i)
        return;
    for (size_t k = 0; !argument(s, 0) && k < a->n_instances; k++)
        if (only_go_port(s->f, a->instances[k].alternatives->class_name)) {
            if (i) {
                i = NULL;
                break;
            }
            i = &a->instances[k];
        }
    if (i && !port)
        port = only_go_port(s->f, i->alternatives->class_name);
    if (!i || !port) {
        portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                          "name instance and port of this go: what is meant cannot be told "
                          "without running the script");
        return;
    }
    a->go_instance = i->name;
    a->go_port = port;
    a->go_line = s->line;
}

/* ------------------------------------------------------------------------------------- all of it
 */

static bool changes_something(const struct step *s)
{
    switch (s->form->id) {
    case COMMAND_INSTANTIATE:
    case COMMAND_CONNECT:
    case COMMAND_DISCONNECT:
    case COMMAND_REMOVE:
    case COMMAND_NUKE:
    case COMMAND_GO:
        return true;
    case COMMAND_CONFIGURE:
        return argument(s, 3) != NULL;
    case COMMAND_PROPERTY:
        return argument(s, 2) != NULL;
    case COMMAND_PORT_PROPERTY:
        return argument(s, 4) != NULL;
    default:
        return false;
    }
}

static void follow_exit(const struct step *s)
{
    const char *code = argument(s, 0);

    s->f->has_ended = true;
    if (code && strcmp(code, "0") != 0)
        LOSS(s, "an assembly that went well ends with status 0, not %s", code);
}

static void follow(const struct step *s)
{
    switch (s->form->id) {
    case COMMAND_HELP:
    case COMMAND_DISPLAY:
    case COMMAND_PALLET:
    case COMMAND_ARENA:
    case COMMAND_LINKS:
    case COMMAND_DEBUG:
    case COMMAND_NODEBUG:
        only_shows(s);
        break;
    case COMMAND_EXIT:
        follow_exit(s);
        break;
    case COMMAND_EOF:
        s->f->has_ended = true;
        break;
    case COMMAND_INSTANTIATE:
        follow_instantiate(s);
        break;
    case COMMAND_CONNECT:
        follow_connect(s);
        break;
    case COMMAND_DISCONNECT:
        follow_disconnect(s);
        break;
    case COMMAND_CONFIGURE:
        follow_configure(s);
        break;
    case COMMAND_GO:
        follow_go(s);
        break;
    case COMMAND_PROPERTY:
        follow_property(s);
        break;
    case COMMAND_PORT_PROPERTY:
        if (argument(s, 4))
            LOSS(s, "an assembly does not set properties of ports");
        else
            only_shows(s);
        break;
    case COMMAND_REMOVE:
        follow_remove(s);
        break;
    case COMMAND_NUKE:
        s->f->a.n_instances = s->f->a.n_connections = 0;
        s->f->a.instances = NULL;
        s->f->a.connections = NULL;
        break;
    case COMMAND_REPOSITORY:
        follow_repository(s);
        break;
    case COMMAND_PATH:
        follow_path(s);
        break;
    case COMMAND_SHELL:
        LOSS(s, "an assembly runs no commands of the operating system");
        break;
    case COMMAND_LAYOUT:
        NOTE(s, "'%s' is about the window of the graphical builder", s->words->words[0]);
        break;
    case COMMAND_MOVE:
    case COMMAND_DROP:
        follow_move(s);
        break;
    }
}

static void follow_all(struct follower *f)
{
    for (size_t i = 0; i < f->s->n_commands && !f->arena->failed; i++) {
        struct step s = {f, NULL, &f->s->commands[i], f->s->commands[i].line};
        struct portolan_error err = {0};

        if (f->has_ended) {
            NOTE(&s, "from here on the script is never run");
            break;
        }
        if (verb_find(s.words->words[0], &s.form, &err) != PORTOLAN_OK ||
            verb_check(s.form, s.words, &err) != PORTOLAN_OK)
            fault(&s, &err);
        else if (f->a.go_instance && changes_something(&s))
            LOSS(&s,
                 "an assembly ends when its go (line %d) returns; what the script does "
                 "afterwards is left out",
                 f->a.go_line);
        else
            follow(&s);
    }
    for (size_t i = 0; i < f->n_promises; i++)
        if (!f->promises[i].kept)
            convert_tell(f->c, f->s->file, f->promises[i].line, false,
                         "no instance '%s' is ever made", f->promises[i].instance);
    if (f->s->n_comments)
        convert_tell(f->c, f->s->file, 0, false, "%zu comment line%s left out", f->s->n_comments,
                     f->s->n_comments == 1 ? " is" : "s are");
}

static void add_folder(struct portolan_palette *palette, const char *folder)
{
    struct stat about;

    if (*folder && stat(folder, &about) == 0 && S_ISDIR(about.st_mode))
        portolan_palette_add_path(palette, folder, NULL, NULL);
}

static void add_folders(struct portolan_palette *palette, const char *list)
{
    const char *equals = strchr(list, '=');
    char *copy = portolan_strdup(equals ? equals + 1 : list), *rest = copy, *folder;

    while (copy && (folder = strsep(&rest, ":")))
        add_folder(palette, folder);
    free(copy);
}

void portolan_script_add_path(const struct portolan_script *s, struct portolan_palette *palette)
{
    const struct command_form *form;

    for (size_t i = 0; i < s->n_commands; i++) {
        const struct portolan_script_command *c = &s->commands[i];

        if (verb_find(c->words[0], &form, NULL) != PORTOLAN_OK || form->id != COMMAND_PATH ||
            c->n_words < 2)
            continue;
        if (c->n_words == 2 && getenv("CCA_COMPONENT_PATH"))
            add_folders(palette, getenv("CCA_COMPONENT_PATH"));
        else if (c->n_words > 2 && !strcmp(c->words[1], "set"))
            add_folders(palette, c->words[2]);
        else if (c->n_words > 2)
            add_folder(palette, c->words[2]);
    }
}

enum portolan_status portolan_script_to_assembly(const struct portolan_script *s,
                                                 const struct portolan_palette *palette,
                                                 const char *out, struct portolan_conversion *c,
                                                 struct portolan_diagnostics *d, char **xml,
                                                 struct portolan_error *err)
{
    struct portolan_diagnostics own = {0}, *heard = d ? d : &own;
    struct portolan_arena arena = {0};
    struct follower f = {
        .s = s, .palette = palette, .c = c, .d = heard, .arena = &arena, .a.file = "script"};
    enum portolan_status status;
    int before = heard->count;

    *xml = NULL;
    f.a.alpha = f.a.beta = 0.1;
    f.a.name = s->name ? s->name : convert_stem(&arena, out, s->file);
    follow_all(&f);
    if (arena.failed || !f.a.name)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    else if (heard->count > before)
        status =
            portolan_error_set(err, PORTOLAN_ESYNTAX, "%d error%s in '%s'", heard->count - before,
                               heard->count - before == 1 ? "" : "s", s->file);
    else
        status = portolan_assembly_write(&f.a, out, xml, err);
    portolan_arena_clear(&arena);
    return status;
}
