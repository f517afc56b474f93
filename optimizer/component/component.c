/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Optimizer: at each step rank 0 decides, and all ranks make the same swaps. */
#include "component.h"

#include <math.h>
#include <portolan/control.h>
#include <portolan/list.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most swaps that are tried at one swap point. */
enum { MOST_ATTEMPTS = 8 };

/* ------------------------------------------------- ports */

static void get_ports(struct optimizer *o, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = NULL;
    sidl_BaseInterface ignored = NULL;

    o->cohort = portolan_foreign_get(o->services, "cohort", "portolan.Cohort", _ex);
    SIDL_CHECK(*_ex);
    o->assembly = portolan_foreign_get(o->services, "assembly", "portolan.Assembly", _ex);
    SIDL_CHECK(*_ex);
    o->records = portolan_foreign_get(o->services, "records", "portolan.Records", _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(o->services, "builder", _ex);
    SIDL_CHECK(*_ex);
    o->builder = portolan_ports_Builder__cast(port, _ex);
    SIDL_CHECK(*_ex);
    if (!o->builder)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "the port connected to 'builder' is not a portolan.ports.Builder");
EXIT:
    gov_cca_Port_deleteRef(port, &ignored);
}

static void release_ports(struct optimizer *o)
{
    const struct {
        const char *uses;
        const void *held;
    } ports[] = {{"builder", o->builder}, {"records", o->records},     {"assembly", o->assembly},
                 {"policy", o->policy},   {"diagnosis", o->diagnosis}, {"cohort", o->cohort}};
    sidl_BaseInterface ignored = NULL;

    optimizer_travel(o, false);
    portolan_ports_Builder_deleteRef(o->builder, &ignored);
    portolan_ports_Policy_deleteRef(o->policy, &ignored);
    portolan_ports_Diagnosis_deleteRef(o->diagnosis, &ignored);
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (ports[i].held)
            gov_cca_Services_releasePort(o->services, ports[i].uses, &ignored);
        SIDL_CLEAR(ignored);
    }
    o->builder = NULL;
    o->policy = NULL;
    o->diagnosis = NULL;
    o->records = NULL;
    o->assembly = NULL;
    o->cohort = NULL;
}

/* Lists the alternatives of the instances that have several. */
static void list_options(struct optimizer *o)
{
    size_t n = o->assembly->n_instances;

    o->first = portolan_arena_alloc(&o->arena, n, sizeof *o->first);
    o->options = NULL;
    o->n_options = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0;
             optimizer_has_choice(o, i) && k < o->assembly->instances[i].n_alternatives; k++) {
            struct optimizer_option x = {.instance = i, .alternative = k};

            portolan_arena_append(&o->arena, &o->options, &o->n_options, &x, sizeof x);
        }
    for (size_t k = o->arena.failed ? 0 : o->n_options; k-- > 0;)
        o->first[o->options[k].instance] = &o->options[k];
}

static void get_ready(struct optimizer *o, sidl_BaseInterface *_ex)
{
    size_t n;

    get_ports(o, _ex);
    SIDL_CHECK(*_ex);
    n = o->assembly->n_instances;
    o->current = portolan_arena_alloc(&o->arena, n, sizeof *o->current);
    o->wanted = portolan_arena_alloc(&o->arena, n, sizeof *o->wanted);
    o->assumed = portolan_arena_alloc(&o->arena, n, sizeof *o->assumed);
    o->spent_ns = portolan_arena_alloc(&o->arena, n, sizeof *o->spent_ns);
    o->swapped = portolan_arena_alloc(&o->arena, n, sizeof *o->swapped);
    o->noted = portolan_arena_alloc(&o->arena, 2 * n, sizeof *o->noted);
    list_options(o);
    optimizer_get_policy(o, _ex);
    SIDL_CHECK(*_ex);
    optimizer_get_diagnosis(o, _ex);
    SIDL_CHECK(*_ex);
    o->mind.diagnosed_last = -1;
    o->asks = o->is_refused = false;
    if (!optimizer_agree_ready(o) || o->arena.failed) {
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for the state of %zu instances", n);
        goto EXIT;
    }
    for (size_t i = 0; i < n; i++)
        o->current[i] = (int32_t)o->assembly->instances[i].selected;
    o->idle = o->n_options == 0 || !o->enabled ||
              (o->assembly->purpose && strcmp(o->assembly->purpose, "run") != 0);
    o->ready = true;
    optimizer_hold_assembly(o);
    optimizer_listen(o, true);
EXIT:;
}

bool optimizer_is_ready(struct optimizer *o, sidl_BaseInterface *_ex)
{
    if (!o->ready) {
        release_ports(o);
        get_ready(o, _ex);
    }
    return !*_ex;
}

/* ------------------------------------------------- portolan.ports.StepListener */

/*
 * Swaps until nothing is left to do; returns whether anything was swapped. IS_DECIDED: rank 0's
 * first wish is known to all ranks.
 */
static bool decide_and_apply(struct optimizer *o, int step, bool is_decided,
                             sidl_BaseInterface *_ex)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        struct portolan_error err = {0};
        enum portolan_status status;

        if ((attempt > 0 || !is_decided) && !optimizer_decide_together(o, step, _ex))
            return false;
        if (!optimizer_has_to_swap(o))
            return false;
        status = optimizer_apply(o, step, &err);
        if (status == PORTOLAN_EBUSY) { /* one did not start and is banned, so decide again */
            o->mind.from_store = false;
            o->mind.predicted_ns = NAN;
            continue;
        }
        if (status)
            portolan_throw(_ex, status, "at step %d: %s", step,
                           err.text[0] ? err.text : portolan_status_text(status));
        return !status;
    }
    return false;
}

/* Decides what runs in the first step, at once, whatever the delay. */
static void prepare(struct optimizer *o, int step, bool begin, sidl_BaseInterface *_ex)
{
    enum optimizer_todo todo = optimizer_hear(o, step, _ex);

    SIDL_CHECK(*_ex);
    if (begin)
        todo = OPTIMIZER_DECIDE;
    if (todo != OPTIMIZER_STAY)
        decide_and_apply(o, step, todo == OPTIMIZER_SWAP, _ex);
    SIDL_CHECK(*_ex);
    if (begin && !optimizer_share_failures(o))
        portolan_throw(_ex, PORTOLAN_EIO, "the ranks did not learn what failed in earlier runs");
    SIDL_CHECK(*_ex);
    if (todo != OPTIMIZER_DECIDE)
        optimizer_decide_ahead(o, step);
    if (begin) {
        optimizer_want_current(o);
        optimizer_note_running(o, step);
        optimizer_store_decision(o);
        optimizer_travel(o, true);
    }
EXIT:;
}

bool optimizer_swap_now(struct optimizer *o, sidl_BaseInterface *_ex)
{
    return decide_and_apply(o, o->step < 0 ? 0 : o->step, false, _ex);
}

void optimizer_put_number(struct optimizer *o, const char *name, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", isfinite(value) ? value : 0);
    o->records->ops->put_fact(o->records, name, text);
}

static void reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;
    bool begin = o->step < 0;
    char *wish;
    uint64_t entered = portolan_probe_now();
    int steps;

    if (!o->enabled || !optimizer_is_ready(o, _ex))
        return;
    if (!begin || o->idle)
        optimizer_note_step(o, step);
    if (step != o->step)
        o->step_before = o->step;
    o->step = step;
    if (o->idle)
        return;
    prepare(o, step, begin, _ex);
    if (!*_ex)
        optimizer_ask_diagnosis(o);
    while (o->cohort->rank != 0 && (wish = portolan_control_take_wish()))
        free(wish); /* rank 0 has read it, too */
    optimizer_count_deciding(o, entered);
    optimizer_put_number(o, PORTOLAN_FACT_DECIDING, o->mind.deciding_ns);
    steps = portolan_assembly_steps(o->assembly);
    if (o->announced.n && o->delay == 0 && o->mind.predicted_ns + o->mind.predicted_step_ns != 0)
        optimizer_put_number(o, PORTOLAN_FACT_FORETOLD,
                             optimizer_foretell(o, steps > step ? steps : step));
}

bool optimizer_note(struct portolan_arena *pool, struct optimizer_contexts *c, const char *name,
                    double value)
{
    size_t i = 0, n_names = c->n;
    const char *copy;

    while (i < c->n && strcmp(c->names[i], name) != 0)
        i++;
    if (i == c->n)
        return (copy = portolan_arena_strdup(pool, name)) &&
               portolan_arena_append(pool, &c->names, &n_names, &copy, sizeof copy) &&
               portolan_arena_append(pool, &c->values, &c->n, &value, sizeof value);
    c->values[i] = value;
    return true;
}

void optimizer_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;

    if (!optimizer_note(&o->arena, &o->announced, name ? name : "", value))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory to note the announced '%s'", name);
}

/* Undoes the swaps made for this step or, if there were none, bans what failed in it. */
static sidl_bool step_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;
    struct portolan_error err = {0};
    enum portolan_status status;

    if (!o->enabled || !o->ready || o->idle)
        return FALSE;
    if (o->n_swapped == 0 || o->swap_step != step)
        return optimizer_ban_in_step(o, step, why ? why : "") &&
               decide_and_apply(o, step, false, _ex) && !*_ex;
    status = optimizer_undo(o, step, why ? why : "", &err);
    if (status)
        portolan_throw(_ex, status, "at step %d: %s", (int)step,
                       err.text[0] ? err.text : portolan_status_text(status));
    return !status;
}

static const struct portolan_ports_StepListener__epv steps_epv = {
    .f_reached = reached, .f_announce = optimizer_announce, .f_failed = step_failed};

/* Wants to see the next step after a change, and while it counts steps. */
static int32_t get_pace(void *self, int32_t *least, sidl_BaseInterface *_ex)
{
    const struct optimizer *o = self;
    bool is_active = o->enabled && o->ready && !o->idle;

    (void)_ex;
    *least = 1;
    return is_active && (o->swap_step == o->step || o->undo_step == o->step || o->delay > 0)
               ? 1
               : INT32_MAX;
}

static const struct portolan_ports_Pace__epv pace_epv = {.f_getPace = get_pace};

/* ------------------------------------------------- gov.cca.Component */

static void check_limits(const struct optimizer *o, sidl_BaseInterface *_ex)
{
    const struct {
        const char *name, *want;
        double value, least, most;
    } limits[] = {{"delay", "at least 0", o->delay, 0, INFINITY},
                  {"explore.share", "0 to 1", o->explore_share, 0, 1},
                  {"explore.seconds", "at least 0", o->explore_s, 0, INFINITY},
                  {"hysteresis", "at least 0", o->hysteresis, 0, INFINITY}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits && !*_ex; i++)
        if (!(limits[i].value >= limits[i].least && limits[i].value <= limits[i].most))
            portolan_throw(_ex, PORTOLAN_EBADPROPERTIES, "parameter '%s' is %g: want %s",
                           limits[i].name, limits[i].value, limits[i].want);
}

static void read_parameters(struct optimizer *o, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(o->services, _ex);
    sidl_BaseInterface ignored = NULL;
    char *start = NULL;

    SIDL_CHECK(*_ex);
    o->enabled = gov_cca_TypeMap_getBool(properties, "enabled", TRUE, _ex);
    SIDL_CHECK(*_ex);
    o->any_machine = gov_cca_TypeMap_getBool(properties, "any_machine", FALSE, _ex);
    SIDL_CHECK(*_ex);
    o->hysteresis = gov_cca_TypeMap_getDouble(properties, "hysteresis", 0.02, _ex);
    SIDL_CHECK(*_ex);
    o->delay = gov_cca_TypeMap_getInt(properties, "delay", 0, _ex);
    SIDL_CHECK(*_ex);
    o->check = gov_cca_TypeMap_getBool(properties, "check", FALSE, _ex);
    SIDL_CHECK(*_ex);
    o->explores = gov_cca_TypeMap_getBool(properties, "explore", TRUE, _ex);
    SIDL_CHECK(*_ex);
    o->explore_share = gov_cca_TypeMap_getDouble(properties, "explore.share", 0.05, _ex);
    SIDL_CHECK(*_ex);
    o->explore_s = gov_cca_TypeMap_getDouble(properties, "explore.seconds", 0, _ex);
    SIDL_CHECK(*_ex);
    start = gov_cca_TypeMap_getString(properties, "start", "stored", _ex);
    SIDL_CHECK(*_ex);
    o->start_stored = strcmp(start, "stored") == 0;
    if (o->start_stored || strcmp(start, "written") == 0)
        check_limits(o, _ex);
    else
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "parameter 'start' is '%s': want \"stored\" or \"written\"", start);
EXIT:
    sidl_String_free(start);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const uses[][2] = {
        {"records", "portolan.Records"},           {"builder", "portolan.ports.Builder"},
        {"assembly", "portolan.Assembly"},         {"policy", "portolan.ports.Policy"},
        {"diagnosis", "portolan.ports.Diagnosis"}, {"cohort", "portolan.Cohort"}};
    static const char *const provides[][2] = {{"steps", "portolan.ports.StepListener"},
                                              {"optimizer", "portolan.ports.Optimizer"}};
    struct optimizer *o = self;
    sidl_BaseInterface ignored = NULL;

    o->services = services;
    o->swap_step = -2;
    o->undo_step = o->step = o->step_before = o->tallied_step = -1;
    o->n_ended = 1;
    gov_cca_Services_addRef(services, &ignored);
    read_parameters(o, _ex);
    SIDL_CHECK(*_ex);
    if (!o->enabled)
        optimizer_listen(o, true); /* to refuse requests */
    for (size_t i = 0; i < sizeof provides / sizeof *provides; i++) {
        gov_cca_Services_addProvidesPort(services, sidl_object_facet(o, provides[i][1]),
                                         provides[i][0], provides[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        gov_cca_Services_registerUsesPort(services, uses[i][0], uses[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services, sidl_object_facet(o, "gov.cca.ComponentRelease"),
                                        _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static void clear(struct optimizer *o)
{
    optimizer_listen(o, false);
    optimizer_mind_clear(&o->mind);
    portolan_arena_clear(&o->arena);
    o->announced = (struct optimizer_contexts){0};
    o->n_holds = 0;
    o->step = -1;
    o->ready = false;
}

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;
    sidl_BaseInterface ignored = NULL;

    (void)services, (void)_ex;
    optimizer_report_exploring(o);
    clear(o); /* the plan borrows from the assembly */
    release_ports(o);
    gov_cca_Services_deleteRef(o->services, &ignored);
    o->services = NULL;
}

static void destroy(void *self)
{
    struct optimizer *o = self;
    sidl_BaseInterface ignored = NULL;

    clear(o);
    gov_cca_Services_deleteRef(o->services, &ignored);
}

static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_services};

PORTOLAN_COMPONENT_CLASS(portolan_Optimizer, "portolan.Optimizer", struct optimizer, set_services,
                         destroy, {&gov_cca_ComponentRelease__type, &release_epv},
                         {&portolan_ports_StepListener__type, &steps_epv},
                         {&portolan_ports_Pace__type, &pace_epv},
                         {&portolan_ports_Optimizer__type, &optimizer_port_epv});
