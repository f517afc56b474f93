/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagnoses a trace: recognition supplies quantities for metrics, and replay the gains. */
#include <portolan/list.h>
#include <portolan/replay.h>

#include <math.h>
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
    const char *doubt;                          /* why nothing is certain; or NULL */
    double least_fit, least_gain, replay_error; /* thresholds */
    double misfit;                              /* recognition_misfit() */
    bool failed; /* memory was out: nothing of the diagnosis is valid */
};

/* ------------------------------------------------- quantities for metrics */

static bool look_up(void *arg, const struct paradigm *paradigm, const struct reference *reference,
                    struct measured *value)
{
    struct run *run = arg;
    const struct fit *fit;
    double all_ns = (double)run->waits->all_ns;

    if (!recognition_lookup(run->recognition, paradigm, reference, value))
        return false;
    fit = reference->kind == REFERENCE_COMPONENT ? &run->recognition->fits[reference->index]
                                                 : &run->recognition->whole;
    if (run->doubt)
        value->why = run->doubt;
    else if (reference->kind != REFERENCE_GLOBAL &&
             (run->misfit > 0.5 ||
              ((double)fit->fitted_ns < run->least_fit * (double)fit->all_ns &&
               (double)(fit->all_ns - fit->fitted_ns) > run->least_gain * all_ns)))
        value->why = "too little of its time matches the events of the paradigm (threshold fit)";
    value->is_trusted = !value->why;
    return true;
}

/* Returns what makes all numbers doubtful; NULL: nothing does. */
static const char *doubt_of(const struct portolan_waits *waits)
{
    const struct portolan_matching *m = waits->matching;
    const struct portolan_trace *trace = waits->trace;
    int first;

    for (size_t l = 0; l < trace->n_locations; l++)
        if (trace->locations[l].is_cut || trace->locations[l].lost)
            return "a part of the trace is missing";
    if (trace->n_locations && portolan_trace_missing_ranks(trace, &first))
        return "ranks are missing in the trace";
    if (waits->run_ns <= 0)
        return "the trace is empty";
    if (m->n_unmatched_sends + m->n_unmatched_recvs > 0)
        return "messages are unmatched";
    if (m->n_incomplete > 0)
        return "collective operations lack ranks";
    if (m->n_reversed > 0)
        return "messages arrived before they were sent: clocks disagree";
    if (trace->n_unrelated_clocks > 0)
        return "no messages go both ways between hosts: their clocks cannot be compared";
    if (m->is_uncertain)
        return "threads of a rank share partners and tags: which messages belong together is not "
               "certain";
    return NULL;
}

/* Returns the processor time, in nanoseconds, that location L did not have between readings of it.
 * MPI waits without a processor only when it begins and ends. */
static double without_processor(const struct portolan_trace *t, size_t l)
{
    const struct portolan_trace_event *e = &t->events[t->locations[l].first], *last = NULL,
                                      *end = e + t->locations[l].n;
    double missing = 0;

    while (e < end && e->kind != PORTOLAN_TRACE_END)
        e++;
    for (; e < end; e++) {
        if (e->kind == PORTOLAN_TRACE_BEGIN && !strcmp(t->routines[e->what], "MPI_Finalize"))
            break;
        if (e->kind != PORTOLAN_TRACE_CPU)
            continue;
        if (last)
            missing += (double)(e->ns - last->ns) - ((double)e->bytes - (double)last->bytes);
        last = e;
    }
    return missing;
}

static const char *doubt_of_processors(const struct portolan_waits *waits, double least)
{
    for (size_t l = 0; l < waits->trace->n_locations; l++)
        if (without_processor(waits->trace, l) > least * (double)waits->run_ns)
            return "a rank had no processor for a part of the run: others used it, or the program "
                   "slept; a run that diagnose starts would tell";
    return NULL;
}

/* ------------------------------------------------- gains */

/* Selects the events of the components that FACTOR changes, and of all that is within them. */
static uint8_t *select_events(struct run *run, const struct paradigm *p,
                              const struct factor *factor)
{
    uint8_t *selected = portolan_arena_alloc(&run->arena, run->waits->trace->n_events, 1);

    for (size_t i = 0; selected && i < p->n_components; i++)
        for (size_t k = 0; k < factor->n_of; k++)
            for (size_t c = i; c != HERCULE_NONE; c = p->components[c].within)
                if (c == factor->components[k]) {
                    recognition_mark(run->recognition, i, selected);
                    break;
                }
    return selected;
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
    removal->factor = removal->kind == PORTOLAN_REMOVE_TIME ? 0 : -1; /* there is no limit */
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

/* Limits a gain. Some removals remove more than the cause: without a dependence, nothing is waited
 * for, whatever the reason. BY is the most that a factor can gain, as time of all ranks. Those of N
 * REMOVALS that go beyond it, which this changes, gain together no more than the others. */
static enum portolan_status limit_gain(struct run *run, struct portolan_removal *removals, size_t n,
                                       struct portolan_replay *replay)
{
    double most = 0;
    size_t n_others = 0;
    struct portolan_replay others = {0};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n; i++)
        if (removals[i].kind != PORTOLAN_REMOVE_TIME &&
            removals[i].kind != PORTOLAN_REMOVE_MESSAGES && removals[i].factor >= 0)
            most += removals[i].factor / (double)run->waits->all_ns;
        else
            removals[n_others++] = removals[i];
    if (n_others && n_others < n)
        status = portolan_replay(run->waits, removals, n_others, &run->replay, &others, NULL);
    most += others.gain;
    if (n_others == n || !(most < replay->gain))
        return status;
    replay->gain = most;
    replay->run_ns = (int64_t)((double)replay->as_is_ns * (1 - most));
    return status;
}

/* Replays without the removals. If K messages that become one reach into what waits for them, as
 * the next sweep does, the replay fails; fewer messages are tried, which gain less. */
static enum portolan_status replay_without(struct run *run, struct portolan_removal *removals,
                                           size_t n, struct portolan_replay *replay)
{
    enum portolan_status status;
    bool has_fewer = true;

    for (int tries = 0;
         (status = portolan_replay(run->waits, removals, n, &run->replay, replay, NULL)) &&
         status != PORTOLAN_ENOMEM && has_fewer && tries < 8;
         tries++) {
        has_fewer = false;
        for (size_t i = 0; i < n; i++)
            if (removals[i].kind == PORTOLAN_REMOVE_MESSAGES && removals[i].k > 2) {
                removals[i].k -= 1 + removals[i].k / 8;
                has_fewer = true;
            }
    }
    return status;
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
    status = replay_without(run, removals, n_removals, &replay);
    run->failed |= status == PORTOLAN_ENOMEM;
    if (status)
        return false;
    run->replay.as_is_ns = replay.as_is_ns;
    if (replay.is_refused || replay.error > run->replay_error) {
        gain->why = "the replay misses the run by too much";
        return false;
    }
    status = limit_gain(run, removals, n, &replay);
    run->failed |= status == PORTOLAN_ENOMEM;
    if (status)
        return false;
    *gain = (struct gain){true,
                          (double)replay.run_ns,
                          replay.gain,
                          replay.gain - replay.error,
                          replay.gain + replay.error,
                          NULL};
    return true;
}

/* ------------------------------------------------- ranks and steps */

/* Returns the components that the metric of NODE names, as bits: those of the kind of the first,
 * computing or communicating. */
static uint64_t components_of_node(const struct paradigm *p, size_t node, bool *is_computing)
{
    struct named_components named = {0};
    uint64_t found = 0;

    components_of(p, &p->metrics[p->nodes[node].metric].formula, 16, &named);
    for (size_t i = 0; i < named.n; i++)
        if (p->components[named.of[i]].kind == p->components[named.of[0]].kind)
            found |= UINT64_C(1) << named.of[i];
    *is_computing = found && p->components[named.of[0]].kind == COMPONENT_COMPUTATION;
    return found;
}

/* Times of components: of step K, or before the first step (0), in TIMES[location * n + K]. */
struct step_times {
    size_t n, n_rows;
    double *times;
};

static bool is_step(const struct portolan_trace *trace, size_t event)
{
    const struct portolan_trace_event *e = &trace->events[event];

    return e->kind == PORTOLAN_TRACE_ENTER &&
           trace->regions[e->what].kind == PORTOLAN_TRACE_PHASE &&
           !strcmp(trace->regions[e->what].name, "step");
}

/* Adds a location's tokens of COMPONENTS, without waiting: a rank that waits is no cause. */
static void add_tokens(const struct run *run, uint64_t components, size_t row, struct step_times *s)
{
    const struct portolan_trace *trace = run->waits->trace;
    const struct token_row *tokens = &run->recognition->rows[row];
    size_t e = trace->locations[row].first, end = e + trace->locations[row].n, step = 0;

    for (size_t i = 0; i < tokens->n; i++) {
        const struct token *t = &tokens->tokens[i];

        for (; e < end && trace->events[e].ns <= t->begin; e++)
            step += is_step(trace, e);
        if (t->component < 64 && components >> t->component & 1)
            s->times[row * s->n + step] += (double)(t->end - t->begin - t->wait);
    }
}

/* Finds the times of steps; false: no memory. */
static bool find_step_times(struct run *run, uint64_t components, struct step_times *s)
{
    const struct portolan_trace *trace = run->waits->trace;

    *s = (struct step_times){.n = 1, .n_rows = run->recognition->n_rows};
    for (size_t row = 0; row < s->n_rows; row++) {
        const struct portolan_trace_location *l = &trace->locations[row];
        size_t n = 1;

        for (size_t e = l->first; e < l->first + l->n; e++)
            n += is_step(trace, e);
        s->n = n > s->n ? n : s->n;
    }
    s->times = portolan_arena_alloc(&run->arena, s->n * s->n_rows, sizeof *s->times);
    for (size_t row = 0; s->times && row < s->n_rows; row++)
        add_tokens(run, components, row, s);
    return s->times;
}

/* Returns what step K costs: computing, what others lack to the longest; else all of its time. */
static double cost_of_step(const struct step_times *s, size_t k, bool is_computing)
{
    double sum = 0, most = 0;

    for (size_t row = 0; row < s->n_rows; row++) {
        sum += s->times[row * s->n + k];
        most = fmax(most, s->times[row * s->n + k]);
    }
    return is_computing ? most * (double)s->n_rows - sum : sum;
}

/* Adds the fewest consecutive steps with 95 % of the costs, if these are not nearly all. */
static void add_steps(const struct run *run, const struct step_times *s, bool is_computing,
                      struct portolan_text *text)
{
    double sum = 0, inside = 0;
    size_t from = 1, first = 1, last = s->n;

    for (size_t k = 1; k < s->n; k++)
        sum += cost_of_step(s, k, is_computing);
    for (size_t k = 1; k < s->n; k++) {
        inside += cost_of_step(s, k, is_computing);
        for (double cost; from < k; from++, inside -= cost)
            if (inside - (cost = cost_of_step(s, from, is_computing)) < 0.95 * sum)
                break;
        if (inside >= 0.95 * sum && k - from < last - first) {
            first = from;
            last = k;
        }
    }
    if (sum > 0 && last - first + 1 <= 0.9 * (double)(s->n - 1))
        portolan_text_add(text, "%s%ssteps %zu to %zu", text->length ? ", " : "",
                          text->length ? "" : "most in ", first - 1 + run->first_step,
                          last - 1 + run->first_step);
}

/* Adds those of the N ranks whose TIMES are nearer to the longest than to the mean, if their
 * surplus is at least half of VALUE, which the finding costs: if ranks are alike it is less. The
 * mean is over the ranks that have any time, if these are most. */
static void add_ranks(struct run *run, const double *times, size_t n, double value,
                      bool is_computing, struct portolan_text *text)
{
    int *ranks = portolan_arena_alloc(&run->arena, n, sizeof *ranks);
    double sum = 0, most = 0, mean, surplus = 0;
    size_t n_having = 0, n_named = 0;

    for (size_t r = 0; r < n; r++) {
        sum += times[r];
        most = fmax(most, times[r]);
        n_having += times[r] > 0;
    }
    n_having = n_having > n / 2 ? n_having : n;
    mean = sum / (double)n_having;
    for (size_t r = 0; ranks && most > mean && r < n; r++)
        if (2 * times[r] >= most + mean) {
            ranks[n_named++] = (int)r;
            surplus += times[r] - mean;
        }
    if (is_computing) /* all others wait for the longest */
        surplus = (most - mean) * (double)n_having;
    if (!n_named || surplus < value / 2)
        return;
    portolan_text_add(text, "most on rank%s ", n_named > 1 ? "s" : "");
    portolan_trace_add_ranks(ranks, n_named, text);
}

/* Adds the ranks and steps that explain the metric of NODE, whose value is VALUE. */
static void add_where(void *arg, const struct paradigm *p, size_t node, double value,
                      struct portolan_text *text)
{
    struct run *run = arg;
    bool is_computing;
    uint64_t components = components_of_node(p, node, &is_computing);
    size_t n_ranks = (size_t)run->waits->trace->n_ranks;
    double *times = portolan_arena_alloc(&run->arena, n_ranks, sizeof *times);
    struct step_times s;

    if (!components || !times || !find_step_times(run, components, &s))
        return;
    for (size_t i = 0; i < s.n * s.n_rows; i++)
        times[run->recognition->rows[i / s.n].rank] += s.times[i];
    add_ranks(run, times, n_ranks, value, is_computing, text);
    add_steps(run, &s, is_computing, text);
}

/* ------------------------------------------------- the whole diagnosis */

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
        if (run->arena.failed) /* looking up names needs memory */
            return portolan_no_memory(err);
        if (b->component == HERCULE_NONE)
            portolan_diagnose(
                &d, part->file, part->line, part->column, "paradigm '%s' has no component '%s'%s",
                p->item.name, part->component,
                portolan_did_you_mean(paradigm_nearest(p, "component", part->component)).text);
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

enum portolan_status portolan_factor_check(const struct portolan_knowledge *knowledge,
                                           const char *paradigm, const char *name,
                                           struct portolan_error *err)
{
    const struct paradigm *p = knowledge_need(knowledge, paradigm, err);

    for (size_t i = 0; p && i < p->n_factors; i++)
        if (!strcmp(p->factors[i].item.name, name) || !strcmp(p->factors[i].item.local, name))
            return PORTOLAN_OK;
    if (p)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "paradigm '%s' has no factor '%s'%s",
                           p->item.name, name,
                           portolan_did_you_mean(paradigm_nearest(p, "factor", name)).text);
    return PORTOLAN_ENOTFOUND;
}

/* Checks that each component that has parts was in the run. */
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
                              bindings[i].part->column,
                              "nothing in the run matches this part, '%s'",
                              p->components[bindings[i].component].item.name);
    return d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

/* Names the instance and port of the part of each finding's component. */
static void name_ports(struct diagnosis *d, const struct binding *bindings, size_t n)
{
    for (size_t i = 0; i < d->public.n_findings; i++) {
        const struct node *node = &d->paradigm->nodes[d->found[i]];
        struct named_components named = {0};

        components_of(d->paradigm, &d->paradigm->metrics[node->metric].formula, 16, &named);
        for (size_t k = 0; k < n && named.n; k++)
            if (bindings[k].component == named.of[0] && bindings[k].part->user) {
                const struct portolan_part *part = bindings[k].part;
                const char *port = portolan_arena_strdup(&d->arena, part->uses ? part->uses : "");
                const char *instance = portolan_arena_strdup(&d->arena, part->user);

                d->public.findings[i].instance = instance ? instance : "";
                d->public.findings[i].port = port ? port : "";
                break;
            }
    }
}

/* Returns why there may be a problem that is no cause of the paradigm; NULL: there is no reason. If
 * a run fits the paradigm, a general loss may be the paradigm's nature: a master has less to
 * compute than its workers. */
static const char *why_not_sure(const struct run *run, struct portolan_arena *arena)
{
    struct portolan_loss losses[PORTOLAN_LOSSES];
    struct portolan_efficiencies e;

    if (run->doubt || run->misfit < PORTOLAN_LEAST_LOSS)
        return run->doubt;
    if (portolan_losses(run->waits, losses))
        return portolan_arena_printf(arena, "%s, which costs %.1f %% of the run", losses[0].text,
                                     100 * losses[0].gain);
    if (portolan_efficiencies(run->waits, &e, NULL))
        return "a part of the run matches no event of the paradigm, and it cannot be replayed";
    if (e.parallel > 1 - PORTOLAN_LEAST_LOSS)
        return NULL;
    return portolan_arena_printf(arena, "ranks do not compute for %.1f %% of the run",
                                 100 * (1 - e.parallel));
}

/* Adds what findings cannot say. If memory ran out at any time, destroys *DIAGNOSIS. */
static enum portolan_status finish(struct run *run, const struct portolan_diagnosis_options *o,
                                   const struct binding *bindings,
                                   struct portolan_diagnosis **diagnosis,
                                   struct portolan_error *err)
{
    struct diagnosis *d = (struct diagnosis *)*diagnosis;
    const char *why;

    name_ports(d, bindings, o->n_parts);
    if (o->disturbance) {
        d->public.verdict = PORTOLAN_NOT_THE_PROGRAM;
        d->public.why = portolan_arena_strdup(&d->arena, o->disturbance);
    } else if (d->public.verdict == PORTOLAN_NO_PROBLEM && (why = why_not_sure(run, &d->arena))) {
        d->public.verdict = PORTOLAN_CANNOT_TELL;
        d->public.why = why;
    }
    if (run->misfit >= PORTOLAN_LEAST_LOSS)
        d->public.misfit = recognition_misfits(run->recognition, &d->arena);
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
    if (!run.doubt && !o->knows_processors)
        run.doubt = doubt_of_processors(waits, diagnosis_threshold(p, o, "unexplained"));
    status = bind_parts(&run, p, o, &bindings, diagnostics, err);
    run.least_fit = diagnosis_threshold(p, o, "fit");
    run.least_gain = diagnosis_threshold(p, o, "gain");
    run.replay_error = diagnosis_threshold(p, o, "replay_error");
    if (!status)
        status = recognise(p, waits, bindings, o->n_parts, &run.recognition, err);
    if (!status)
        run.misfit = recognition_misfit(run.recognition);
    if (!status)
        status = check_matches(&run, p, bindings, o->n_parts, diagnostics, err);
    if (!status)
        status = diagnosis_make(p, &sources, diagnosis, err);
    if (!status)
        status = finish(&run, o, bindings, diagnosis, err);
    recognition_destroy(run.recognition);
    portolan_arena_clear(&run.arena);
    return status;
}
