/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/report_source.h>
#include <portolan/trials.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SET NULL: all trials of the assembly, or of the store; perhaps none. */
static enum portolan_status select_trials(struct report_source *s, const char *set,
                                          struct portolan_trial_list *l, struct portolan_error *err)
{
    char *named = s->study.w.assembly && !set
                      ? portolan_asprintf("name:%s", s->study.w.assembly->name)
                      : NULL;
    struct portolan_error none = {0};
    enum portolan_status status =
        portolan_trials_select(s->store, set ? set : named, l, set ? err : &none);

    free(named);
    if (!set && status == PORTOLAN_ENOTFOUND)
        return PORTOLAN_OK;
    if (!set && status)
        *err = none;
    if (!status && s->study.w.assembly && !s->study.w.store)
        portolan_trials_keep_listed_of_machine(l, s->study.machine);
    return status;
}

static enum portolan_status peek_store_name(const struct report_source *s,
                                            const struct report_request *q, const char **name,
                                            struct portolan_error *err)
{
    *name = s->study.w.assembly ? workbench_peek_store(&s->study.w) : q->study.assembly.file;
    return *name ? PORTOLAN_OK
                 : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                      "'%s' has no Mastermind, so it has no stored trials",
                                      q->study.assembly.file);
}

static enum portolan_status open_store(struct report_source *s, const struct report_request *q,
                                       struct portolan_error *err)
{
    enum portolan_status status = peek_store_name(s, q, &s->source.store_name, err);

    if (!status)
        status = portolan_store_open(s->source.store_name, PORTOLAN_STORE_READ, &s->store, err);
    if (!status)
        status = select_trials(s, q->n_sets ? q->sets[q->n_sets - 1] : NULL, &s->trials, err);
    if (!status && q->n_sets == 2)
        status = select_trials(s, q->sets[0], &s->before, err);
    return status;
}

/*
 * Copies a list of settings, which opening an assembly uses up, so that a report can be made again.
 */
static bool copy_list(const char ***list, size_t n)
{
    const char **copy = portolan_calloc(n + 1, sizeof *copy);

    for (size_t i = 0; copy && i < n; i++)
        copy[i] = (*list)[i];
    *list = copy;
    return copy;
}

static bool copy_lists(struct assembly_options *o)
{
    bool all = copy_list(&o->sets, o->n_sets);

    all = copy_list(&o->selects, o->n_selects) && all;
    all = copy_list(&o->pins, o->n_pins) && all;
    all = copy_list(&o->forbids, o->n_forbids) && all;
    return copy_list(&o->cases, o->n_cases) && all;
}

void report_request_clear(struct report_request *q)
{
    workbench_clear_lists(&q->study.assembly);
    free(q->study.assembly.context_names);
    free(q->study.assembly.contexts);
}

/* A store that describes no assembly is reported without one. */
static enum portolan_status open_bench(struct report_source *s, const struct report_request *q,
                                       bool plan, struct portolan_error *err)
{
    struct study_options o = q->study;
    struct portolan_error why = {0};
    bool is_store = portolan_store_is_one(o.assembly.file);
    enum portolan_status status = copy_lists(&o.assembly) ? PORTOLAN_OK : portolan_no_memory(&why);

    o.assembly.reads_only = true;
    if (!status && plan)
        status = study_open_partly(&s->study, &o, q->means, true, &why);
    else if (!status && o.machine)
        status = q->means->name_machine(o.machine, &s->study.machine, &why);
    if (!status && !plan)
        status = workbench_open(&s->study.w, &o.assembly, q->means->report, &why);
    workbench_clear_lists(&o.assembly);
    if (status && !s->study.w.assembly && !is_store) {
        *err = why;
        return status;
    }
    snprintf(s->no_plan, sizeof s->no_plan, "%s", why.text);
    return PORTOLAN_OK;
}

enum portolan_status report_source_open(struct report_source *s, const struct report_request *q,
                                        bool plan, struct portolan_error *err)
{
    enum portolan_status status;

    *s = (struct report_source){0};
    status = open_bench(s, q, plan, err);
    if (!status)
        status = open_store(s, q, err);
    s->source.store = s->store;
    s->source.assembly = s->study.w.assembly;
    s->source.palette = s->study.w.palette;
    s->source.plan = s->study.plan;
    s->source.no_plan = *s->no_plan ? s->no_plan : NULL;
    s->source.data = s->study.data;
    s->source.options = &s->study.options;
    s->source.machine = s->study.machine;
    s->source.trials = &s->trials;
    s->source.before = q->n_sets == 2 ? &s->before : NULL;
    return status;
}

void report_source_close(struct report_source *s)
{
    portolan_trials_clear(&s->trials);
    portolan_trials_clear(&s->before);
    portolan_store_close(s->store);
    study_close(&s->study);
}

enum portolan_status report_document(const struct report_request *request,
                                     struct portolan_text *out, struct portolan_error *err)
{
    struct report_source s;
    enum portolan_status status = report_source_open(&s, request, true, err);

    if (!status)
        status = portolan_report_write_json(&s.source, out, err);
    report_source_close(&s);
    return status;
}

enum portolan_status report_store_name(const struct report_request *request, char **name,
                                       struct portolan_error *err)
{
    struct report_source s = {0};
    const char *found;
    enum portolan_status status =
        open_bench(&s, request, portolan_store_is_one(request->study.assembly.file), err);

    *name = NULL;
    if (!status)
        status = peek_store_name(&s, request, &found, err);
    if (!status && !(*name = portolan_strdup(found)))
        status = portolan_no_memory(err);
    report_source_close(&s);
    return status;
}
