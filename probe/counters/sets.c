/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sets of events from their text, tries them, and reports which of them are counted. */
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANK    " \t\r\n"
#define MULTIPLE ":multiplexed" /* after a name in results */

pthread_mutex_t probe_counters_lock = PTHREAD_MUTEX_INITIALIZER;
struct counter_table probe_counter_table;
int probe_counters_in_force = COUNTERS_NONE;

static bool started;
static int start_failure;

/* ------------------------------------------------- the driver */

enum portolan_status counter_driver_start(struct portolan_error *err)
{
    if (!probe_counter_driver)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "this Portolan was built without PAPI");
    if (!started)
        start_failure = probe_counter_driver->start();
    started = true;
    if (start_failure)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "%s",
                                  probe_counter_driver->describe(start_failure));
    return PORTOLAN_OK;
}

void counter_driver_forget(void)
{
    started = false;
}

static const char *describe_driver(void)
{
    if (!probe_counter_driver)
        return "no counters, only clocks: this Portolan was built without PAPI";
    counter_driver_start(NULL);
    return probe_counter_driver->describe(start_failure);
}

/* ------------------------------------------------- trying */

/* Tries whether the calling thread can count EVENTS of one component together. */
static int try_events(const struct counter_event *events, size_t n, bool multiplexed)
{
    int set, result = probe_counter_driver->open(events, n, multiplexed, &set);

    if (result)
        return result;
    result = probe_counter_driver->run(set);
    if (!result)
        probe_counter_driver->halt(set);
    probe_counter_driver->close(set);
    return result;
}

static int try_part(const struct counter_set *set, const struct counter_part *part,
                    bool multiplexed)
{
    struct counter_event events[PORTOLAN_PROBE_COUNTERS_MAX];

    for (size_t i = 0; i < part->n; i++)
        events[i] = set->events[part->at[i]];
    return try_events(events, part->n, multiplexed);
}

/* Finds by trying which events a machine counts together; the others make another group. */
struct grouping {
    const struct counter_set *set;
    struct counter_part groups[PORTOLAN_PROBE_COUNTERS_MAX];
    size_t n;
    int misfit, reason; /* place in the set of the first event that the first group refused */
};

static void put_in_group(struct grouping *g, uint8_t at)
{
    size_t i = 0;

    for (; i < g->n; i++) {
        struct counter_part *group = &g->groups[i];
        int result;

        group->at[group->n++] = at;
        result = try_part(g->set, group, false);
        if (!result)
            return;
        group->n--;
        if (g->misfit < 0) {
            g->misfit = at;
            g->reason = result;
        }
    }
    g->groups[g->n++] = (struct counter_part){.n = 1, .at = {at}};
}

/* Adds the events of other components, which fit with any. */
static void add_other_parts(struct grouping *g, const struct counter_part *part)
{
    for (size_t p = 0; p < g->set->n_parts; p++) {
        const struct counter_part *other = &g->set->parts[p];

        for (size_t i = 0; other != part && i < other->n; i++)
            g->groups[0].at[g->groups[0].n++] = other->at[i];
    }
}

static void list_events(struct portolan_text *t, const struct counter_part *part, size_t n,
                        const char *const *words)
{
    for (size_t i = 0; i < n; i++)
        portolan_text_add(t, "%s%s", i ? "," : "", words[part->at[i]]);
}

static enum portolan_status refuse(const struct counter_set *set, const struct counter_part *part,
                                   const char *const *words, int multiplexing,
                                   struct portolan_error *err)
{
    struct grouping g = {.set = set, .misfit = -1};
    struct portolan_text beside = {0}, split = {0};
    const char *name = *set->name ? set->name : "part";

    for (size_t i = 0; i < part->n; i++)
        put_in_group(&g, part->at[i]);
    if (g.misfit < 0) {
        g.misfit = part->at[part->n - 1]; /* by now it does: others used the counters */
        g.reason = multiplexing;
    }
    list_events(&beside, &g.groups[0], g.groups[0].n, words);
    add_other_parts(&g, part);
    for (size_t i = 0; i < g.n; i++) {
        portolan_text_add(&split, "%s%s%zu=", i ? "; " : "", name, i + 1);
        list_events(&split, &g.groups[i], g.groups[i].n, words);
    }
    if (multiplexing)
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                           "counter %s does not fit beside %s, and this machine does not multiplex "
                           "them (%s); count them in turn: \"%s\"",
                           words[g.misfit], beside.bytes, probe_counter_driver->text(multiplexing),
                           split.bytes ? split.bytes : "");
    else
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                           "counter %s does not fit beside %s (%s); count them in turn: \"%s\", or "
                           "multiplexed, as estimates: \"%s*=…\"",
                           words[g.misfit], beside.bytes, probe_counter_driver->text(g.reason),
                           split.bytes ? split.bytes : "", name);
    portolan_text_clear(&beside);
    portolan_text_clear(&split);
    return PORTOLAN_EUNSUPPORTED;
}

static enum portolan_status try_set(struct counter_set *set, const char *const *words,
                                    struct portolan_error *err)
{
    for (size_t i = 0; i < set->n; i++) {
        int result = try_events(&set->events[i], 1, false);

        if (result)
            return portolan_error_set(
                err, PORTOLAN_EUNSUPPORTED, "counter %s is known but not counted here: %s; %s",
                words[i], probe_counter_driver->text(result), probe_counter_driver->describe(0));
    }
    for (size_t p = 0; p < set->n_parts; p++) {
        int result = try_part(set, &set->parts[p], false);

        if (result && !set->may_multiplex)
            return refuse(set, &set->parts[p], words, 0, err);
        set->multiplexed = set->multiplexed || result;
    }
    for (size_t p = 0; set->multiplexed && p < set->n_parts; p++) {
        int result = set->parts[p].n > 1 ? try_part(set, &set->parts[p], true) : 0;

        if (result)
            return refuse(set, &set->parts[p], words, result, err);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------- reading */

static enum portolan_status find_event(struct counter_set *set, const char *word,
                                       struct portolan_error *err)
{
    int result = probe_counter_driver->find(word, &set->events[set->n]);
    const char *near, *blind, *const *names;
    size_t n;

    if (!result && (blind = probe_counter_driver->blind(word)))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "counter %s would always read 0: %s",
                                  word, blind);
    if (!result && strlen(word) + sizeof MULTIPLE <= COUNTER_NAME_SIZE)
        return PORTOLAN_OK;
    names = probe_counter_driver->names(&n);
    near = portolan_nearest_word(word, names, n);
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "counter %s is unknown to PAPI on this machine%s; %s (the commands "
                              "papi_avail and papi_native_avail list all)",
                              word, portolan_did_you_mean(near).text,
                              probe_counter_driver->describe(0));
}

static void add_to_part(struct counter_set *set, uint8_t at)
{
    size_t p = 0;

    while (p < set->n_parts &&
           set->events[set->parts[p].at[0]].component != set->events[at].component)
        p++;
    if (p == set->n_parts)
        set->parts[set->n_parts++].n = 0;
    set->parts[p].at[set->parts[p].n++] = at;
}

/* The slot of NAME, made if need be. */
static enum portolan_status find_slot(struct counter_table *table, const char *word,
                                      bool multiplexed, unsigned *slot, struct portolan_error *err)
{
    char name[2 * COUNTER_NAME_SIZE];

    snprintf(name, sizeof name, "%s%s", word, multiplexed ? MULTIPLE : "");
    for (*slot = 0; *slot < table->n_slots; ++*slot)
        if (!strcmp(table->names[*slot], name))
            return PORTOLAN_OK;
    if (table->n_slots == PORTOLAN_PROBE_COUNTERS_ALL)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "counter %s is too many: all sets together may have %d", word,
                                  PORTOLAN_PROBE_COUNTERS_ALL);
    memcpy(table->names[table->n_slots++], name, strlen(name) + 1);
    return PORTOLAN_OK;
}

static size_t count_words(const char *events)
{
    size_t n = 0;

    for (; *(events += strspn(events, "," BLANK)); n++)
        events += strcspn(events, "," BLANK);
    return n;
}

/* EVENTS is cut up. */
static enum portolan_status read_events(struct counter_table *table, struct counter_set *set,
                                        char *events, struct portolan_error *err)
{
    const char *words[PORTOLAN_PROBE_COUNTERS_MAX];
    size_t count = count_words(events);
    enum portolan_status status = PORTOLAN_OK;
    char *rest = NULL;

    if (count > PORTOLAN_PROBE_COUNTERS_MAX)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "%zu counters are too many: %d can be read together; make several sets", count,
            PORTOLAN_PROBE_COUNTERS_MAX);
    if (!count)
        return portolan_error_set(err, PORTOLAN_EINVAL, "set '%s' has no counters", set->name);
    for (char *w = strtok_r(events, "," BLANK, &rest); w && !status;
         w = strtok_r(NULL, "," BLANK, &rest)) {
        for (size_t i = 0; i < set->n; i++)
            if (!strcmp(words[i], w))
                return portolan_error_set(err, PORTOLAN_EINVAL, "counter %s occurs twice in a set",
                                          w);
        words[set->n] = w;
        status = find_event(set, w, err);
        if (!status)
            add_to_part(set, (uint8_t)set->n++);
    }
    if (!status)
        status = try_set(set, words, err);
    for (size_t i = 0; i < set->n && !status; i++)
        status = find_slot(table, words[i], set->multiplexed, &set->slots[i], err);
    return status;
}

static bool is_set_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.", text[i]))
            return false;
    return length > 0;
}

/* TEXT up to '=' when that ends the name of a set: names of events have '=', too. */
static char *read_name(struct counter_set *set, char *text, struct portolan_error *err)
{
    size_t length = strcspn(text, "=");
    char *events = text + length + 1;

    if (!text[length])
        return text;
    while (length && strchr(BLANK, text[length - 1]))
        length--;
    set->may_multiplex = length && text[length - 1] == '*';
    length -= set->may_multiplex;
    if (!is_set_name(text, length)) {
        set->may_multiplex = false;
        return text;
    }
    if (length >= sizeof set->name) {
        portolan_error_set(err, PORTOLAN_EINVAL,
                           "the name of the set '%.*s' is too long, %zu characters are the limit",
                           (int)length, text, sizeof set->name - 1);
        return NULL;
    }
    memcpy(set->name, text, length);
    return events;
}

static enum portolan_status read_set(struct counter_table *table, char *text,
                                     struct portolan_error *err)
{
    struct counter_set *set = &table->sets[table->n_sets];
    char *events;

    text += strspn(text, BLANK);
    if (!*text)
        return PORTOLAN_OK;
    if (table->n_sets == COUNTER_SETS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "there are more than %d sets of counters",
                                  COUNTER_SETS);
    if (!(events = read_name(set, text, err)))
        return PORTOLAN_EINVAL;
    if (!strcmp(set->name, "none"))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a set of counters cannot be called 'none', which means no set");
    for (size_t i = 0; i < table->n_sets; i++)
        if (!strcmp(table->sets[i].name, set->name))
            return portolan_error_set(err, PORTOLAN_EINVAL, "there are two sets '%s' of counters",
                                      set->name);
    if (read_events(table, set, events, err)) {
        if (*set->name)
            portolan_error_prefix(err, "set '%s'", set->name);
        return err ? err->status : PORTOLAN_EUNSUPPORTED;
    }
    table->n_sets++;
    return PORTOLAN_OK;
}

void counter_table_find_again(struct counter_table *table)
{
    for (size_t i = 0; i < table->n_sets; i++)
        for (size_t k = 0; k < table->sets[i].n; k++) {
            struct counter_set *set = &table->sets[i];
            char name[COUNTER_NAME_SIZE];

            snprintf(name, sizeof name, "%s", table->names[set->slots[k]]);
            if (set->multiplexed)
                name[strlen(name) - strlen(MULTIPLE)] = '\0';
            probe_counter_driver->find(name, &set->events[k]);
        }
}

enum portolan_status counter_table_read(struct counter_table *table, const char *text,
                                        struct portolan_error *err)
{
    char *copy = portolan_strdup(text), *next;
    struct portolan_error first = {0};

    if (!copy)
        return portolan_no_memory(err);
    if (text[strspn(text, ";" BLANK)] && counter_driver_start(&first))
        portolan_error_prefix(&first, "counters %s cannot be read", text);
    for (char *set = copy; set && !first.status; set = next) {
        if ((next = strchr(set, ';')))
            *next++ = '\0';
        read_set(table, set, &first);
    }
    free(copy);
    return first.status ? portolan_error_set(err, first.status, "%s", first.text) : PORTOLAN_OK;
}

/* ------------------------------------------------- what is counted */

void portolan_probe_counter_sets_visit(bool (*visit)(void *arg,
                                                     const struct portolan_probe_counter_set *set),
                                       void *arg)
{
    bool go_on = true;

    pthread_mutex_lock(&probe_counters_lock);
    for (size_t i = 0; i < probe_counter_table.n_sets && go_on; i++) {
        const struct counter_set *from = &probe_counter_table.sets[i];
        struct portolan_probe_counter_set set = {
            .name = from->name,
            .n = from->n,
            .multiplexed = from->multiplexed,
            .in_force = (int)i == probe_counters_in_force,
            .user_mode_only = !probe_counter_driver->counts_kernel(),
        };

        for (size_t k = 0; k < from->n; k++)
            set.counters[k] = probe_counter_table.names[from->slots[k]];
        go_on = visit(arg, &set);
    }
    pthread_mutex_unlock(&probe_counters_lock);
}

static const struct counter_set *peek_in_force(void)
{
    int index = __atomic_load_n(&probe_counters_in_force, __ATOMIC_RELAXED);

    return index == COUNTERS_NONE ? NULL : &probe_counter_table.sets[index];
}

size_t portolan_probe_counters_count(void)
{
    const struct counter_set *set = peek_in_force();

    return set ? set->n : 0;
}

size_t portolan_probe_counter_slot(size_t index)
{
    const struct counter_set *set = peek_in_force();

    return set && index < set->n ? set->slots[index] : SIZE_MAX;
}

const char *portolan_probe_counter_peek_name(size_t index)
{
    return portolan_probe_counter_slot_peek_name(portolan_probe_counter_slot(index));
}

size_t portolan_probe_counter_slots(void)
{
    return probe_counter_table.n_slots;
}

const char *portolan_probe_counter_slot_peek_name(size_t slot)
{
    return slot < probe_counter_table.n_slots ? probe_counter_table.names[slot] : NULL;
}

const char *portolan_probe_counter_set_peek_name(void)
{
    const struct counter_set *set = peek_in_force();

    return set ? set->name : NULL;
}

const char *portolan_probe_counters_describe(void)
{
    const char *text;

    pthread_mutex_lock(&probe_counters_lock);
    text = describe_driver();
    pthread_mutex_unlock(&probe_counters_lock);
    return text;
}
