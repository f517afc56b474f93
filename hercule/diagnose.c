/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace seen as a paradigm: recognition supplies what metrics name, replay what would be gained.
 */
#include <portolan/list.h>
#include <portolan/replay.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "diagnosis.h"
#include "knowledge.h"
#include "recognise.h"

struct run {
    const struct portolan_waits *waits;
    struct recognition *recognition;
    struct portolan_replay_options replay;
    struct portolan_arena arena;
    size_t first_step;
    const char *doubt;              /* why nothing is sure; NULL */
    double least_fit, replay_error; /* thresholds */
    bool failed;                    /* memory was out: nothing of the diagnosis is valid */
};

/* ------------------------------------------------- what metrics name */

static bool look_up(void *arg, const struct paradigm *paradigm, const struct reference *reference,
                    struct measured *value)
{
    struct run *run = arg;
    const struct fit *fit;

    if (!recognition_lookup(run->recognition, paradigm, reference, value))
        return false;
    fit = reference->kind == REFERENCE_COMPONENT ? &run->recognition->fits[reference->index]
                                                 : &run->recognition->whole;
    if (run->doubt)
        value->why = run->doubt;
    else if (reference->kind != REFERENCE_GLOBAL &&
             (double)fit->fitted_ns < run->least_fit * (double)fit->all_ns)
        value->why = "too little of its time fits the events of the paradigm (threshold fit)";
    value->is_trusted = !value->why;
    return true;
}

/* What makes all numbers doubtful; NULL: nothing does. */
static const char *doubt_of(const struct portolan_waits *waits)
{
    const struct portolan_matching *m = waits->matching;
    const struct portolan_trace *trace = waits->trace;
    size_t n_ranks = 0;

    for (size_t l = 0; l < trace->n_locations; l++) {
        n_ranks += !l || trace->locations[l].rank != trace->locations[l - 1].rank;
        if (trace->locations[l].is_cut || trace->locations[l].lost)
            return "a part of the trace is missing";
    }
    if (n_ranks < (size_t)trace->n_ranks)
        return "ranks are missing in the trace";
    if (waits->run_ns <= 0)
        return "the trace is empty";
    if (m->n_unmatched_sends + m->n_unmatched_recvs > 0)
        return "messages are unmatched";
    if (m->n_incomplete > 0)
        return "collective operations lack ranks";
    if (m->n_reversed > 0)
        return "messages came before they were sent: clocks disagree";
    if (trace->n_unrelated_clocks > 0)
        return "nothing goes both ways between hosts: their clocks cannot be compared";
    if (m->is_uncertain)
        return "several threads communicate: which messages belong together is not certain";
    return NULL;
}

/* ------------------------------------------------- gains */

/* The events of the components that FACTOR changes, and of all that is within them. */
static uint8_t *select_events(struct run *run, const struct paradigm *p,
                              const struct factor *factor)
{
    size_t n = run->waits->trace->n_events;
    bool *marked = portolan_arena_alloc(&run->arena, n, sizeof *marked);
    uint8_t *selected = portolan_arena_alloc(&run->arena, n, 1);

    for (size_t i = 0; marked && i < p->n_components; i++)
        for (size_t k = 0; k < factor->n_of; k++)
            for (size_t c = i; c != HERCULE_NONE; c = p->components[c].within)
                if (c == factor->components[k]) {
                    recognition_mark(run->recognition, i, marked);
                    break;
                }
    for (size_t e = 0; marked && selected && e < n; e++)
        selected[e] = marked[e];
    return marked ? selected : NULL;
}

static bool removal_of(struct run *run, const struct paradigm *p, const struct node *node,
                       struct portolan_removal *removal)
{
    const struct factor *factor = &p->factors[node->factor];
    struct measured *values = portolan_arena_alloc(&run->arena, p->n_metrics, sizeof *values);
    struct measured by = {0};

    if (!factor->removal || !values)
        return false;
    *removal = (struct portolan_removal){.kind = factor->removal - 1, .k = 2};
    if (*factor->by.text) {
        run->failed |= !metrics_evaluate(p, look_up, run, values);
        if (!expression_evaluate(p, &factor->by, look_up, run, values, &by) ||
            !isfinite(by.value) || by.value < 0)
            return false;
        removal->factor = by.value;
        removal->k = (size_t)fmin(fmax(by.value, 1), 1e9);
    }
    removal->selected = select_events(run, p, factor);
    return removal->selected;
}

/* Some removals take away more than the cause: without a dependence nothing is waited for, whatever
   for. Of one such factor alone, BY says what it can gain at most: time of all ranks. */
static void limit_gain(const struct run *run, const struct portolan_removal *removal, size_t n,
                       struct portolan_replay *replay)
{
    double most = removal->factor / ((double)run->waits->run_ns * run->waits->trace->n_ranks);

    if (n != 1 || removal->kind == PORTOLAN_REMOVE_TIME ||
        removal->kind == PORTOLAN_REMOVE_MESSAGES || !(most > 0 && most < replay->gain))
        return;
    replay->gain = most;
    replay->run_ns = (int64_t)((double)replay->as_is_ns * (1 - most));
}

static bool gain_of(void *arg, const struct paradigm *p, const size_t *nodes, size_t n,
                    struct gain *gain)
{
    struct run *run = arg;
    struct portolan_removal *removals = portolan_arena_alloc(&run->arena, n, sizeof *removals);
    struct portolan_replay replay;
    enum portolan_status status;
    size_t n_removals = 0;

    *gain = (struct gain){0};
    for (size_t i = 0; removals && i < n; i++)
        n_removals += removal_of(run, p, &p->nodes[nodes[i]], &removals[n_removals]);
    if (!n_removals || n_removals < n)
        return false;
    status = portolan_replay(run->waits, removals, n_removals, &run->replay, &replay, NULL);
    run->failed |= status == PORTOLAN_ENOMEM;
    if (status)
        return false;
    run->replay.as_is_ns = replay.as_is_ns;
    if (replay.is_refused || replay.error > run->replay_error) {
        gain->why = "the replay misses the run by too much";
        return false;
    }
    limit_gain(run, &removals[0], n, &replay);
    *gain = (struct gain){true,
                          (double)replay.run_ns,
                          replay.gain,
                          replay.gain - replay.error,
                          replay.gain + replay.error,
                          NULL};
    return true;
}

/* ------------------------------------------------- where */

/* The component that FORMULA speaks of first, also by way of metrics and attributes. */
static size_t component_of(const struct paradigm *p, const struct expression *formula, int depth)
{
    size_t found = HERCULE_NONE;

    for (size_t i = 0; depth && found == HERCULE_NONE && i < formula->n_references; i++) {
        const struct reference *reference = &formula->references[i];

        if (reference->kind == REFERENCE_COMPONENT)
            found = reference->index;
        else if (reference->kind == REFERENCE_METRIC)
            found = component_of(p, &p->metrics[reference->index].formula, depth - 1);
        else if (reference->attribute != HERCULE_NONE)
            found = component_of(p, &p->attributes[reference->attribute].formula, depth - 1);
    }
    return found;
}

/* All components that FORMULA speaks of, as bits: at most 64. */
static uint64_t components_of(const struct paradigm *p, const struct expression *formula, int depth)
{
    uint64_t found = 0;

    for (size_t i = 0; depth && i < formula->n_references; i++) {
        const struct reference *reference = &formula->references[i];

        if (reference->kind == REFERENCE_COMPONENT)
            found |= UINT64_C(1) << reference->index;
        else if (reference->kind == REFERENCE_METRIC)
            found |= components_of(p, &p->metrics[reference->index].formula, depth - 1);
        else if (reference->attribute != HERCULE_NONE)
            found |= components_of(p, &p->attributes[reference->attribute].formula, depth - 1);
    }
    return found;
}

/* Those of the kind of the first: of computing, or of communicating. */
static uint64_t components_of_node(const struct paradigm *p, size_t node, bool *is_computing)
{
    const struct expression *formula = &p->metrics[p->nodes[node].metric].formula;
    size_t first = component_of(p, formula, 16);
    uint64_t found = first == HERCULE_NONE ? 0 : components_of(p, formula, 16);

    for (size_t i = 0; found && i < p->n_components; i++)
        if (p->components[i].kind != p->components[first].kind)
            found &= ~(UINT64_C(1) << i);
    *is_computing = found && p->components[first].kind == COMPONENT_COMPUTATION;
    return found;
}

static bool is_of(const struct token *t, uint64_t components)
{
    return t->component < 64 && components >> t->component & 1;
}

/* Times of components by step. */
struct step_times {
    size_t n;
    struct step_time {
        double own, sum, most; /* of the location at hand, of all, of one */
    } * steps;
};

static bool is_step(const struct portolan_trace *trace, const struct portolan_trace_event *e)
{
    return e->kind == PORTOLAN_TRACE_ENTER &&
           trace->regions[e->what].kind == PORTOLAN_TRACE_PHASE &&
           !strcmp(trace->regions[e->what].name, "step");
}

/* Adds the tokens of the location that are COMPONENTS. False: no memory. */
static bool add_step_times(struct run *run, uint64_t components, size_t row,
                           struct step_times *times)
{
    const struct portolan_trace *trace = run->waits->trace;
    const struct portolan_trace_location *l = &trace->locations[row];
    const struct token_row *tokens = &run->recognition->rows[row];
    size_t step = 0, at = 0;

    for (size_t i = 0; i < times->n; i++)
        times->steps[i].own = 0;
    for (size_t e = l->first; e <= l->first + l->n; e++) {
        bool is_end = e == l->first + l->n;

        if (!is_end && !is_step(trace, &trace->events[e]))
            continue;
        for (; at < tokens->n && (is_end || tokens->tokens[at].begin < trace->events[e].ns); at++)
            if (step && is_of(&tokens->tokens[at], components))
                times->steps[step - 1].own +=
                    (double)(tokens->tokens[at].end - tokens->tokens[at].begin);
        if (!is_end && ++step > times->n) {
            const struct step_time none = {0};

            if (!portolan_arena_append(&run->arena, &times->steps, &times->n, &none, sizeof none))
                return false;
        }
    }
    for (size_t i = 0; i < times->n; i++) {
        times->steps[i].sum += times->steps[i].own;
        times->steps[i].most = fmax(times->steps[i].most, times->steps[i].own);
    }
    return true;
}

/* What each step costs: computing, what others lack to the longest; all else its time. */
static bool find_step_costs(struct run *run, uint64_t components, bool is_computing, double **costs,
                            size_t *n)
{
    struct step_times times = {0};

    for (size_t row = 0; row < run->recognition->n_rows; row++)
        if (!add_step_times(run, components, row, &times))
            return false;
    *n = times.n;
    *costs = portolan_arena_alloc(&run->arena, times.n, sizeof **costs);
    for (size_t i = 0; *costs && i < times.n; i++)
        (*costs)[i] = is_computing ? times.steps[i].most * (double)run->recognition->n_rows -
                                         times.steps[i].sum
                                   : times.steps[i].sum;
    return *costs;
}

/* The fewest steps in a row that have 95 % of the costs, if these are not nearly all. */
static void add_steps(struct run *run, uint64_t components, bool is_computing,
                      struct portolan_text *text)
{
    double *costs = NULL, sum = 0, inside = 0;
    size_t n = 0, from = 0, first = 0, last = 0;

    if (!find_step_costs(run, components, is_computing, &costs, &n))
        return;
    for (size_t i = 0; i < n; i++)
        sum += costs[i];
    last = n;
    for (size_t i = 0; i < n; i++) {
        inside += costs[i];
        while (inside - costs[from] >= 0.95 * sum && from < i)
            inside -= costs[from++];
        if (inside >= 0.95 * sum && i - from < last - first) {
            first = from;
            last = i;
        }
    }
    if (sum > 0 && last - first + 1 <= 0.9 * (double)n)
        portolan_text_add(text, "%s%ssteps %zu to %zu", text->length ? ", " : "",
                          text->length ? "" : "most in ", first + run->first_step,
                          last + run->first_step);
}

/* Ranks that spend clearly more than the mean in the components, when not all are alike; steps. */
static void add_where(void *arg, const struct paradigm *p, size_t node, struct portolan_text *text)
{
    struct run *run = arg;
    bool is_computing;
    uint64_t components = components_of_node(p, node, &is_computing);
    size_t n_ranks = (size_t)run->waits->trace->n_ranks;
    double *times = portolan_arena_alloc(&run->arena, n_ranks, sizeof *times), sum = 0;
    size_t n = 0;

    for (size_t l = 0; times && l < run->recognition->n_rows; l++)
        for (size_t i = 0; i < run->recognition->rows[l].n; i++) {
            const struct token *t = &run->recognition->rows[l].tokens[i];

            if (is_of(t, components)) {
                times[run->recognition->rows[l].rank] += (double)(t->end - t->begin);
                sum += (double)(t->end - t->begin);
            }
        }
    for (size_t r = 0; times && r < n_ranks && n < 8; r++)
        if (times[r] > 1.1 * sum / (double)n_ranks)
            portolan_text_add(text, "%s%zu", n++ ? ", " : "most on ranks ", r);
    if (components)
        add_steps(run, components, is_computing, text);
}

/* ------------------------------------------------- the whole */

static enum portolan_status bind_parts(struct run *run, const struct paradigm *p,
                                       const struct portolan_diagnosis_options *o,
                                       struct binding **bindings,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {diagnostics, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};

    *bindings = portolan_arena_alloc(&run->arena, o->n_parts, sizeof **bindings);
    if (!*bindings)
        return portolan_no_memory(err);
    for (size_t i = 0; i < o->n_parts; i++) {
        const struct portolan_part *part = &o->parts[i];
        struct binding *b = &(*bindings)[i];

        b->part = part;
        b->component = paradigm_find(&run->arena, p, "component", "", part->component);
        if (run->arena.failed) /* looking up names takes memory */
            return portolan_no_memory(err);
        if (b->component == HERCULE_NONE)
            portolan_diagnose(
                &d, part->file, part->line, part->column, "paradigm '%s' has no component '%s'%s",
                p->item.name, part->component,
                portolan_did_you_mean(kind_nearest(fact_kind_find("component"), p, part->component))
                    .text);
    }
    return d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

enum portolan_status portolan_parts_check(const struct portolan_knowledge *knowledge,
                                          const char *name, const struct portolan_part *parts,
                                          size_t n, struct portolan_diagnostics *diagnostics,
                                          struct portolan_error *err)
{
    const struct portolan_diagnosis_options o = {.parts = parts, .n_parts = n};
    const struct paradigm *p = knowledge_need(knowledge, name, err);
    struct run run = {0};
    struct binding *bindings;
    enum portolan_status status =
        p ? bind_parts(&run, p, &o, &bindings, diagnostics, err) : PORTOLAN_ENOTFOUND;

    portolan_arena_clear(&run.arena);
    return status;
}

/* A component that has parts must have been in the run. */
static enum portolan_status check_matches(struct run *run, const struct paradigm *p,
                                          const struct binding *bindings, size_t n,
                                          struct portolan_diagnostics *diagnostics,
                                          struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {diagnostics, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};

    for (size_t i = 0; i < n; i++)
        if (!run->recognition->fits[bindings[i].component].n)
            portolan_diagnose(&d, bindings[i].part->file, bindings[i].part->line,
                              bindings[i].part->column, "nothing in the run is this part, '%s'",
                              p->components[bindings[i].component].item.name);
    return d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

/* The instance and port that the part of each finding's component names. */
static void name_ports(struct diagnosis *d, const struct binding *bindings, size_t n)
{
    for (size_t i = 0; i < d->public.n_findings; i++) {
        const struct node *node = &d->paradigm->nodes[d->found[i]];
        size_t component =
            component_of(d->paradigm, &d->paradigm->metrics[node->metric].formula, 16);

        for (size_t k = 0; k < n; k++)
            if (bindings[k].component == component && bindings[k].part->user) {
                const struct portolan_part *part = bindings[k].part;
                const char *port = portolan_arena_strdup(&d->arena, part->uses ? part->uses : "");
                const char *instance = portolan_arena_strdup(&d->arena, part->user);

                d->public.findings[i].instance = instance ? instance : "";
                d->public.findings[i].port = port ? port : "";
                break;
            }
    }
}

static void blame_others(struct diagnosis *d, const char *disturbance)
{
    d->public.verdict = PORTOLAN_NOT_THE_PROGRAM;
    d->public.why = portolan_arena_strdup(&d->arena, disturbance);
}

/* Says what findings cannot; where memory was out at any time, destroys *DIAGNOSIS. */
static enum portolan_status finish(struct run *run, const struct portolan_diagnosis_options *o,
                                   const struct binding *bindings,
                                   struct portolan_diagnosis **diagnosis,
                                   struct portolan_error *err)
{
    struct diagnosis *d = (struct diagnosis *)*diagnosis;

    name_ports(d, bindings, o->n_parts);
    if (o->disturbance) {
        blame_others(d, o->disturbance);
    } else if (run->doubt && d->public.verdict == PORTOLAN_NO_PROBLEM) {
        d->public.verdict = PORTOLAN_CANNOT_TELL;
        d->public.why = run->doubt;
    }
    if (!run->failed && !run->recognition->failed && !run->arena.failed && !d->arena.failed)
        return PORTOLAN_OK;
    portolan_diagnosis_destroy(*diagnosis);
    *diagnosis = NULL;
    return portolan_no_memory(err);
}

enum portolan_status portolan_diagnosis_create(const struct portolan_knowledge *knowledge,
                                               const char *name, const struct portolan_waits *waits,
                                               const struct portolan_diagnosis_options *options,
                                               struct portolan_diagnostics *diagnostics,
                                               struct portolan_diagnosis **diagnosis,
                                               struct portolan_error *err)
{
    const struct portolan_diagnosis_options none = {0}, *o = options ? options : &none;
    struct run run = {.waits = waits,
                      .first_step = (size_t)o->first_step,
                      .doubt = o->disturbance ? o->disturbance : doubt_of(waits)};
    const struct diagnosis_sources sources = {look_up, gain_of, add_where, &run, o};
    struct paradigm *p = knowledge_need(knowledge, name, err);
    struct binding *bindings;
    enum portolan_status status;

    *diagnosis = NULL;
    if (!p)
        return PORTOLAN_ENOTFOUND;
    status = bind_parts(&run, p, o, &bindings, diagnostics, err);
    run.least_fit = diagnosis_threshold(p, o->settings, o->n_settings, "fit");
    run.replay_error = diagnosis_threshold(p, o->settings, o->n_settings, "replay_error");
    if (!status)
        status = recognise(p, waits->trace, waits, bindings, o->n_parts, &run.recognition, err);
    if (!status)
        status = check_matches(&run, p, bindings, o->n_parts, diagnostics, err);
    if (!status)
        status = diagnosis_make(p, &sources, o->settings, o->n_settings, 0, diagnosis, err);
    if (!status)
        status = finish(&run, o, bindings, diagnosis, err);
    recognition_destroy(run.recognition);
    portolan_arena_clear(&run.arena);
    return status;
}
