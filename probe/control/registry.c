/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of ports that can be steered, and what a switch does to one. */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/tau.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

struct rule {
    enum control_verb verb;
    uint32_t one_in;
    char *glob;
    bool had_port; /* it matched a port that has gone */
};

/* Gaps of a port that was removed. */
struct gone {
    struct gone *next;
    struct portolan_control_gap gaps[3];
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unpinned = PTHREAD_COND_INITIALIZER;
static struct portolan_control_port *ports;
static struct rule *rules;
static size_t n_rules, rules_capacity;
static struct gone *gone;
static uint64_t departures[3]; /* how often any port has gone away, by variant */

void control_lock(void)
{
    pthread_mutex_lock(&lock);
}

void control_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child finds the registry whole and open. */
__attribute__((constructor)) static void survive_fork(void)
{
    pthread_atfork(control_lock, control_unlock, control_unlock);
}

struct portolan_control_port *control_first(void)
{
    return ports;
}

static double now_ns(void)
{
    return portolan_probe_ticks_to_ns(portolan_probe_now());
}

static const char *const variant_names[] = {[PORTOLAN_VARIANT_FORWARD] = "forward",
                                            [PORTOLAN_VARIANT_PROFILE] = "profile",
                                            [PORTOLAN_VARIANT_MASTERMIND] = "mastermind"};

const char *portolan_variant_name(enum portolan_variant variant)
{
    return (unsigned)variant < 3 ? variant_names[variant] : NULL;
}

bool portolan_variant_read(const char *text, enum portolan_variant *variant)
{
    for (int i = 0; text && i < 3; i++)
        if (!strcmp(text, variant_names[i])) {
            *variant = (enum portolan_variant)i;
            return true;
        }
    return false;
}

/* ------------------------------------------------- one port */

static bool measures(const struct portolan_control_port *p, enum portolan_variant variant)
{
    return p->variant == variant && variant != PORTOLAN_VARIANT_FORWARD && !p->is_off &&
           (variant != PORTOLAN_VARIANT_MASTERMIND || p->has_mastermind);
}

static void set_flags(struct portolan_control_port *p)
{
    bool is_stored = measures(p, PORTOLAN_VARIANT_MASTERMIND);
    uint32_t flags = 0;

    if (measures(p, PORTOLAN_VARIANT_PROFILE)) {
        flags = PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_PROFILED;
        if (portolan_probe_counter_slots())
            flags |= PORTOLAN_PROBE_COUNTERS;
    } else if (is_stored) {
        flags = PORTOLAN_PROBE_MONITORED | p->counters;
        if (p->has_rows)
            flags |= PORTOLAN_PROBE_ROWS;
    }
    portolan_probe_port_set_sampling(p->port, is_stored ? p->one_in : 1);
    portolan_probe_port_set_flags(p->port, flags);
    if (p->follow)
        p->follow(p->self, flags);
}

static void note_gap(struct portolan_control_port *p, enum portolan_variant variant)
{
    struct portolan_control_gap *g = &p->gaps[variant];

    if (p->wanted == variant && (p->has_mastermind || variant != PORTOLAN_VARIANT_MASTERMIND))
        g->was_in = true; /* off from the start counts as missed, too */
    if (measures(p, variant)) {
        if (g->is_away)
            g->away_ns += now_ns() - g->away_since_ns;
        g->is_away = false;
        g->was_in = true;
    } else if (g->was_in && !g->is_away) {
        g->is_away = true;
        g->count++;
        g->away_since_ns = now_ns();
        departures[variant]++;
    }
}

static void put_in_force(struct portolan_control_port *p)
{
    set_flags(p);
    note_gap(p, PORTOLAN_VARIANT_PROFILE);
    note_gap(p, PORTOLAN_VARIANT_MASTERMIND);
    if (p->variant == PORTOLAN_VARIANT_PROFILE)
        portolan_control_want_profile();
}

static double away_ns(const struct portolan_control_gap *gap)
{
    return gap->away_ns + (gap->is_away ? now_ns() - gap->away_since_ns : 0);
}

static void follow_rule(struct portolan_control_port *p, enum control_verb verb, uint32_t one_in)
{
    if (verb <= CONTROL_MASTERMIND)
        p->variant = (enum portolan_variant)verb;
    else if (verb <= CONTROL_ON)
        p->is_off = verb == CONTROL_OFF;
    else if (verb == CONTROL_SAMPLE)
        p->one_in = one_in;
    else
        p->has_rows = verb == CONTROL_ROWS;
}

void control_obey(struct portolan_control_port *p, enum control_verb verb, uint32_t one_in)
{
    follow_rule(p, verb, one_in);
    put_in_force(p);
}

bool control_matches(const struct portolan_control_port *p, const char *glob)
{
    static const char type[] = "type:";

    if (!strncmp(glob, type, sizeof type - 1))
        return fnmatch(glob + sizeof type - 1, p->type ? p->type : "", 0) == 0;
    return fnmatch(glob, p->name ? p->name : "", 0) == 0;
}

/* ------------------------------------------------- rules */

enum portolan_status control_reserve_rules(size_t count, struct portolan_error *err)
{
    return portolan_reserve(&rules, &rules_capacity, n_rules + count, sizeof *rules)
               ? PORTOLAN_OK
               : portolan_no_memory(err);
}

/* The kind of VERB, as its first verb: of variants, of on and off, of rows only the last counts. */
static enum control_verb kind_of(enum control_verb verb)
{
    static const enum control_verb kinds[] = {
        [CONTROL_FORWARD] = CONTROL_FORWARD,
        [CONTROL_PROFILE] = CONTROL_FORWARD,
        [CONTROL_MASTERMIND] = CONTROL_FORWARD,
        [CONTROL_OFF] = CONTROL_OFF,
        [CONTROL_ON] = CONTROL_OFF,
        [CONTROL_ROWS] = CONTROL_ROWS,
        [CONTROL_NOROWS] = CONTROL_ROWS,
        [CONTROL_SAMPLE] = CONTROL_SAMPLE,
    };

    return kinds[verb];
}

void control_remember(enum control_verb verb, uint32_t one_in, char *glob)
{
    size_t kept = 0;

    for (size_t i = 0; i < n_rules; i++)
        if (kind_of(verb) == kind_of(rules[i].verb) &&
            (!strcmp(rules[i].glob, glob) || !strcmp(glob, "*")))
            free(rules[i].glob);
        else
            rules[kept++] = rules[i];
    n_rules = kept;
    rules[n_rules++] = (struct rule){verb, one_in, glob, false};
}

/* ------------------------------------------------- coming and going */

void portolan_control_add(struct portolan_control_port *p)
{
    control_lock();
    p->pins = 0;
    p->wanted = p->variant;
    p->counters = portolan_probe_port_flags(p->port) & PORTOLAN_PROBE_COUNTERS;
    DL_APPEND(ports, p);
    for (size_t i = 0; i < n_rules; i++)
        if (control_matches(p, rules[i].glob))
            follow_rule(p, rules[i].verb, rules[i].one_in);
    put_in_force(p);
    control_unlock();
}

static struct gone *gone_of(const char *name)
{
    size_t size = strlen(name) + 1;
    struct gone *g = gone;

    while (g && strcmp(g->name, name))
        g = g->next;
    if (!g && (g = portolan_calloc(1, sizeof *g + size))) {
        memcpy(g->name, name, size);
        LL_PREPEND(gone, g);
    }
    return g;
}

/* Keeps the gaps of a port that goes away, which end here. */
static void keep_gaps(struct portolan_control_port *p)
{
    struct gone *g;

    if (!p->gaps[PORTOLAN_VARIANT_PROFILE].count && !p->gaps[PORTOLAN_VARIANT_MASTERMIND].count)
        return;
    g = gone_of(p->name ? p->name : "");
    for (int i = 0; i < 3; i++) {
        departures[i] += p->gaps[i].is_away;
        if (!g)
            continue;
        g->gaps[i].count += p->gaps[i].count;
        g->gaps[i].away_ns += away_ns(&p->gaps[i]);
    }
}

void portolan_control_remove(struct portolan_control_port *p)
{
    control_lock();
    while (p->pins)
        pthread_cond_wait(&unpinned, &lock);
    DL_DELETE(ports, p);
    for (size_t i = 0; i < n_rules; i++)
        rules[i].had_port = rules[i].had_port || control_matches(p, rules[i].glob);
    keep_gaps(p);
    portolan_probe_port_set_flags(p->port, 0);
    if (p->follow)
        p->follow(p->self, 0);
    control_unlock();
}

void portolan_control_set_mastermind(struct portolan_control_port *p, bool has_mastermind)
{
    struct portolan_control_gap *gap = &p->gaps[PORTOLAN_VARIANT_MASTERMIND];

    control_lock();
    p->has_mastermind = has_mastermind;
    p->counters = portolan_probe_port_flags(p->port) & PORTOLAN_PROBE_COUNTERS;
    set_flags(p);
    if (has_mastermind) {
        note_gap(p, PORTOLAN_VARIANT_MASTERMIND);
    } else {
        /* nothing is missed from now on */
        departures[PORTOLAN_VARIANT_MASTERMIND] += gap->is_away;
        gap->away_ns = away_ns(gap);
        gap->is_away = gap->was_in = false;
    }
    control_unlock();
}

void portolan_control_refresh(void)
{
    struct portolan_control_port *p;

    control_lock();
    DL_FOREACH(ports, p)
    set_flags(p);
    control_unlock();
}

void control_pin(struct portolan_control_port *p)
{
    p->pins++;
}

void control_unpin(struct portolan_control_port *p)
{
    if (--p->pins == 0)
        pthread_cond_broadcast(&unpinned);
}

/* ------------------------------------------------- who asks */

bool portolan_control_is_idle(const char *glob)
{
    const struct portolan_control_port *p;
    bool is_known = false, has_port = false;

    control_lock();
    for (size_t i = 0; i < n_rules; i++)
        if (!strcmp(rules[i].glob, glob)) {
            is_known = true;
            has_port = has_port || rules[i].had_port;
        }
    DL_FOREACH(ports, p)
    has_port = has_port || control_matches(p, glob);
    control_unlock();
    return is_known && !has_port;
}

void portolan_control_visit(bool (*visit)(void *arg, const struct portolan_control_port *port),
                            void *arg)
{
    const struct portolan_control_port *p;

    control_lock();
    for (p = ports; p && visit(arg, p); p = p->next)
        ;
    control_unlock();
}

bool portolan_control_was_partial(enum portolan_variant variant, uint64_t *mark)
{
    const struct portolan_control_port *p;
    bool partial;

    control_lock();
    partial = departures[variant] != *mark;
    *mark = departures[variant];
    DL_FOREACH(ports, p)
    partial = partial || p->gaps[variant].is_away;
    control_unlock();
    return partial;
}

void portolan_control_visit_gaps(enum portolan_variant variant,
                                 void (*visit)(void *arg, const char *name, unsigned count,
                                               double away_ns),
                                 void *arg)
{
    const struct portolan_control_port *p;
    const struct gone *g;

    control_lock();
    LL_FOREACH(gone, g)
    if (g->gaps[variant].count)
        visit(arg, g->name, g->gaps[variant].count, g->gaps[variant].away_ns);
    DL_FOREACH(ports, p)
    if (p->gaps[variant].count)
        visit(arg, p->name ? p->name : "", p->gaps[variant].count, away_ns(&p->gaps[variant]));
    control_unlock();
}

/* ------------------------------------------------- groups */

struct group {
    struct portolan_control_group group; /* first */
    struct portolan_control_port control;
    bool is_added;
    struct group *next;
    char text[]; /* "timers.NAME" */
};

static struct portolan_probe_binding no_binding;
static pthread_mutex_t groups_lock = PTHREAD_MUTEX_INITIALIZER;
static struct group *first, *last; /* in the order of their numbers; never freed */

static const char prefix[] = "timers.";

static struct group *create(const char *name)
{
    size_t size = sizeof prefix + strlen(name);
    struct group *g = portolan_calloc(1, sizeof *g + size);

    if (!g)
        return NULL;
    strcpy(g->text, prefix);
    strcat(g->text, name);
    g->group.name = g->text + sizeof prefix - 1;
    g->group.number = last ? last->group.number + 1 : 1;
    portolan_probe_port_init(&g->group.port, &no_binding, 0);
    g->control = (struct portolan_control_port){.name = g->text,
                                                .type = g->group.name,
                                                .port = &g->group.port,
                                                .variant = PORTOLAN_VARIANT_PROFILE};
    if (last)
        last->next = g;
    else
        first = g;
    last = g;
    return g;
}

const struct portolan_control_group *portolan_control_group_get(const char *name, bool of_timers)
{
    struct group *g;

    pthread_mutex_lock(&groups_lock);
    for (g = first; g && strcmp(g->group.name, name); g = g->next)
        ;
    if (!g)
        g = create(name);
    if (g && of_timers && !g->is_added) {
        portolan_control_add(&g->control);
        g->is_added = true;
    }
    pthread_mutex_unlock(&groups_lock);
    return g ? &g->group : NULL;
}

const struct portolan_control_group *portolan_control_group_peek(int64_t number)
{
    const struct group *g;

    pthread_mutex_lock(&groups_lock);
    for (g = first; g && g->group.number != number; g = g->next)
        ;
    pthread_mutex_unlock(&groups_lock);
    return g ? &g->group : NULL;
}

/* ------------------------------------------------- which process this is */

static int chosen_node = -1, chosen_count = -1;

/* CHOSEN, or what one of the launchers' variables says, or OTHERWISE. */
static int number_or(const int *chosen, const char *const *variables, int otherwise)
{
    int n = __atomic_load_n(chosen, __ATOMIC_RELAXED);
    int64_t value;

    for (; n < 0 && *variables; variables++)
        if (portolan_read_int64(getenv(*variables), &value) && value >= otherwise &&
            value <= INT32_MAX)
            n = (int)value;
    return n < 0 ? otherwise : n;
}

int portolan_control_node(void)
{
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                            "SLURM_PROCID", NULL};

    return number_or(&chosen_node, variables, 0);
}

int portolan_control_node_count(void)
{
    static const char *const variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                            NULL};

    return number_or(&chosen_count, variables, 1);
}

void portolan_control_set_node(int node, int count)
{
    __atomic_store_n(&chosen_node, node, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen_count, count, __ATOMIC_RELAXED);
}
