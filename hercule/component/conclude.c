/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns what was recorded into findings: rank 0 diagnoses and sends the result to all ranks. */
#include "diagnosis_component.h"

#include <portolan/block.h>
#include <portolan/record.h>
#include <portolan/replay.h>
#include <portolan/trace.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- before the first window */

static enum portolan_status check_run(const struct diagnosis_component *d,
                                      struct portolan_error *err)
{
    const struct portolan_assembly *a = d->assembly;
    bool stands_still;
    const char *clock = portolan_manual_clock(a, &stands_still);

    if (clock && stands_still)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "the clock '%s' does not move during calls of ports and MPI; set its parameter 'tick', "
            "the seconds that each reading takes, for instance to 1e-9",
            clock);
    if (!a->paradigm)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "the assembly does not say which paradigm it follows; write <paradigm name=\"NAME\" "
            "is=\"PARADIGM\"> with a <part> for each component (portolan-assembly(5))");
    if (!d->control)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "nothing is connected to the uses port 'control'; connect it with the port 'control' "
            "of the measurement component");
    if (d->records->ops->size <= offsetof(struct portolan_records_ops, put_diagnosis))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the component connected to 'records' has no rows of calls");
    if (portolan_record_peek_folder())
        return portolan_error_set(err, PORTOLAN_EEXISTS, "another recorder records this run, in %s",
                                  portolan_record_peek_folder());
    if (!portolan_record_is_possible() && d->cohort->size > 1)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "calls of MPI cannot be recorded, because MPI started without the recorder; call "
            "portolan_record_observer() before (<portolan/record.h>)");
    return PORTOLAN_OK;
}

/* Rejects parts whose calls are not measured, since they could never be found. */
static enum portolan_status check_monitors(const struct portolan_assembly *a,
                                           struct portolan_error *err)
{
    for (size_t i = 0; i < a->paradigm->n_parts; i++)
        for (size_t k = 0; k < a->n_connections; k++) {
            const struct portolan_assembly_connection *c = &a->connections[k];

            if (portolan_part_uses(&a->paradigm->parts[i], c) && !c->monitored)
                return portolan_error_set(
                    err, PORTOLAN_EINVAL,
                    "%s:%d: calls of the part '%s' are not measured; write <monitor user=\"%s\" "
                    "uses=\"%s\"/>",
                    a->file, a->paradigm->parts[i].line, a->paradigm->parts[i].component, c->user,
                    c->uses);
        }
    return PORTOLAN_OK;
}

static enum portolan_status read_knowledge(struct diagnosis_component *d,
                                           struct portolan_error *err)
{
    struct diagnosis_knowledge *k = &d->knowledge;
    struct portolan_diagnostics_relay relay = {NULL, err};
    struct portolan_diagnostics to_error = {portolan_diagnostics_relay, &relay, 0};
    const char *folder = d->knowledge_folder;
    enum portolan_status status =
        portolan_knowledge_read(&folder, *folder ? 1 : 0, &to_error, &k->base, err);

    if (!status)
        status = portolan_paradigm_declare(k->base, d->assembly, &k->arena, &k->parts, &k->n_parts,
                                           &to_error, err);
    return status;
}

enum portolan_status diagnosis_prepare(struct diagnosis_component *d, struct portolan_error *err)
{
    enum portolan_status status = check_run(d, err);

    if (!status)
        status = check_monitors(d->assembly, err);
    if (!status && d->cohort->rank == 0)
        status = read_knowledge(d, err);
    if (!status && !portolan_record_is_possible())
        portolan_record_start(0, 1);
    return portolan_cohort_agree(d->cohort, status, err);
}

/* ------------------------------------------------- the diagnosis, on rank 0 */

/* What is computed from the trace, from which the diagnosis borrows. */
struct analysis {
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    struct portolan_diagnosis *diagnosis;
};

static void clear_analysis(struct analysis *a)
{
    portolan_diagnosis_destroy(a->diagnosis);
    portolan_waits_destroy(a->waits);
    portolan_matching_destroy(a->matching);
    portolan_trace_destroy(a->trace);
}

static enum portolan_status read_trace(struct diagnosis_component *d, struct analysis *a,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err)
{
    struct portolan_trace_rows *rows = NULL;
    struct portolan_clocks clocks;
    enum portolan_status status = portolan_trace_read(d->folder, diagnostics, &a->trace, err);

    if (!status)
        status = portolan_trace_rows_create(a->trace, &rows, err);
    if (status)
        return status;
    status = d->records->ops->visit_rows(d->records, portolan_trace_rows_take, rows, err);
    status = portolan_trace_rows_join(rows, status, &a->trace, err);
    return status ? status : portolan_clocks_correct(a->trace, &clocks, &a->matching, err);
}

/* Returns whether some host has more ranks than cores. */
static bool shares_cores(const struct portolan_machine_reading *ranks, int n)
{
    for (int i = 0; i < n; i++) {
        int here = 0;

        for (int k = 0; k < n; k++)
            here += !strcmp(ranks[i].host, ranks[k].host);
        if (here > ranks[i].cores && ranks[i].cores)
            return true;
    }
    return false;
}

static enum portolan_status analyse(struct diagnosis_component *d,
                                    const struct portolan_machine_reading *machine,
                                    struct analysis *a, struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {NULL, err};
    struct portolan_diagnostics to_error = {portolan_diagnostics_relay, &relay, 0};
    struct portolan_diagnosis_options options = {.parts = d->knowledge.parts,
                                                 .n_parts = d->knowledge.n_parts};
    struct portolan_machine_verdict verdict = {0};
    enum portolan_status status = read_trace(d, a, &to_error, err);

    if (!status)
        status = portolan_waits_create(a->matching, &a->waits, err);
    if (!status)
        status = portolan_trace_undisturb(a->trace, shares_cores(machine, d->cohort->size),
                                          &a->matching, &a->waits, &options.recording, err);
    if (!status && !a->trace->is_virtual) {
        portolan_machine_judge(machine, (size_t)d->cohort->size, &verdict);
        options.knows_processors = true;
        options.disturbance = verdict.is_disturbed ? verdict.reason : NULL;
    }
    if (!status)
        status = portolan_diagnosis_create(d->knowledge.base, d->assembly->paradigm->name, a->waits,
                                           &options, &to_error, &a->diagnosis, err);
    return status;
}

/* ------------------------------------------------- sending to all ranks */

static void carry(struct portolan_block *b, struct portolan_stored_diagnosis *last,
                  struct portolan_stored_finding **findings, size_t *n)
{
    portolan_block_carry(b, &last->run_ns, sizeof last->run_ns);
    portolan_block_carry(b, &last->unexplained, sizeof last->unexplained);
    portolan_block_carry_text(b, &last->paradigm);
    portolan_block_carry_text(b, &last->verdict);
    portolan_block_carry_text(b, &last->why);
    portolan_block_carry_items(b, findings, n, sizeof **findings);
    for (size_t i = 0; i < *n; i++) {
        struct portolan_stored_finding *f = &(*findings)[i];
        const char **texts[] = {&f->cause, &f->title,  &f->verdict, &f->instance,
                                &f->port,  &f->factor, &f->remedy,  &f->place};

        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            portolan_block_carry_text(b, texts[k]);
    }
}

/* Packs *BYTES: the diagnosis; or, if it is NULL, that it failed, and WHY. */
static enum portolan_status pack(const struct diagnosis_component *d,
                                 const struct portolan_diagnosis *of, const char *why, char **bytes,
                                 size_t *size, struct portolan_error *err)
{
    struct portolan_stored_diagnosis last = {.run_ns = NAN,
                                             .unexplained = NAN,
                                             .paradigm = d->assembly->paradigm->name,
                                             .verdict = portolan_verdict_word(PORTOLAN_CANNOT_TELL),
                                             .why = why};
    size_t n = of ? of->n_causes : 0;
    struct portolan_stored_finding *findings = portolan_calloc(n + 1, sizeof *findings);
    struct portolan_block b = {0};
    void *taken = NULL;
    enum portolan_status status;

    if (!findings)
        return portolan_no_memory(err);
    if (of)
        portolan_diagnosis_to_store(of, &last, findings);
    carry(&b, &last, &findings, &n);
    status = portolan_block_take(&b, &taken, size, err);
    *bytes = taken;
    free(findings);
    return status;
}

void diagnosis_forget(struct diagnosis_component *d)
{
    free(d->findings);
    free(d->bytes);
    d->findings = NULL;
    d->bytes = NULL;
    d->n_findings = 0;
}

static enum portolan_status unpack(struct diagnosis_component *d, char *bytes, size_t size,
                                   struct portolan_error *err)
{
    struct portolan_block b = {0};
    int number = d->last.number + 1;
    enum portolan_status status;

    diagnosis_forget(d);
    d->bytes = bytes;
    d->last = (struct portolan_stored_diagnosis){
        .number = number, .first_step = d->window.first, .last_step = d->window.end - 1};
    portolan_block_open(&b, bytes, size);
    carry(&b, &d->last, &d->findings, &d->n_findings);
    status = portolan_block_finish(&b, err);
    if (status)
        diagnosis_forget(d);
    return status;
}

/* ------------------------------------------------- reporting and storing */

static void report_diagnosis(const struct diagnosis_component *d)
{
    const struct portolan_stored_diagnosis *last = &d->last;

    if (strcmp(last->verdict, portolan_verdict_word(PORTOLAN_PROBLEM)) != 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "diagnosis", "steps %d to %d: %s%s%s", last->first_step,
                     last->last_step, last->verdict, *last->why ? ": " : "", last->why);
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct portolan_stored_finding *f = &d->findings[i];
        char gain[80] = "its gain is not known";

        if (strcmp(f->verdict, portolan_verdict_word(PORTOLAN_PROBLEM)) != 0)
            continue;
        if (!isnan(f->gain))
            snprintf(gain, sizeof gain, "gain %.1f %% (%.1f ... %.1f)", 100 * f->gain, 100 * f->low,
                     100 * f->high);
        portolan_log(PORTOLAN_LOG_NOTICE, "diagnosis",
                     "steps %d to %d: %zu %s: %.1f %% of run time, %s", last->first_step,
                     last->last_step, i + 1, f->title, 100 * f->share, gain);
    }
}

static void keep(struct diagnosis_component *d)
{
    struct portolan_error err = {0};

    if (d->records->ops->put_diagnosis(d->records, &d->last, d->findings, d->n_findings, &err))
        portolan_log(PORTOLAN_LOG_WARNING, "diagnosis", "the diagnosis is not stored: %s",
                     err.text);
}

void diagnosis_conclude(struct diagnosis_component *d, enum portolan_status status,
                        const struct portolan_machine_reading *machine, struct portolan_error *err)
{
    bool decides = d->cohort->rank == 0;
    struct analysis a = {0};
    char *bytes = NULL;
    size_t size = 0;

    if (decides && !status)
        status = analyse(d, machine, &a, err);
    if (decides && status)
        portolan_log(PORTOLAN_LOG_WARNING, "diagnosis", "steps %d to %d were not diagnosed: %s",
                     d->window.first, d->window.end - 1, err->text);
    status = decides ? pack(d, a.diagnosis, err->text, &bytes, &size, err) : PORTOLAN_OK;
    clear_analysis(&a);
    status = portolan_cohort_share(d->cohort, &bytes, &size, status, err);
    if (!status)
        status = unpack(d, bytes, size, err);
    else
        free(bytes);
    status = portolan_cohort_agree(d->cohort, status, err);
    if (status) {
        diagnosis_forget(d);
        if (decides)
            portolan_log(PORTOLAN_LOG_WARNING, "diagnosis", "%s", err->text);
    } else if (decides) {
        report_diagnosis(d);
        keep(d);
    }
}
