/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores a virtual run as a trial, which `profile`, `compare` and `export` read like others. */
#include "internal.h"

#include <portolan/store.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct trial_writer {
    const struct clue_report *report;
    struct portolan_store *store;
    int64_t trial;
    int64_t end_ns;
    struct portolan_arena arena;
    struct portolan_error *err;
};

static const char *program_of(const struct clue_report *r)
{
    return portolan_file_name(r->run->program[0]);
}

/* Returns all words of the program. */
static const char *command_of(struct trial_writer *w)
{
    struct portolan_text text = {.arena = &w->arena};

    for (char **word = w->report->run->program; *word; word++)
        portolan_text_add(&text, "%s%s", text.length ? " " : "", *word);
    return text.failed ? "" : text.bytes;
}

static enum portolan_status begin(struct trial_writer *w)
{
    const struct clue_report *r = w->report;
    size_t n = 0, n_facts = r->file ? r->file->n_facts : 0;
    size_t room = 10 + r->n_settings + n_facts;
    struct portolan_name_value *facts = portolan_arena_alloc(&w->arena, room, sizeof *facts);
    struct portolan_trial trial = {.assembly = program_of(r),
                                   .purpose = "fixed",
                                   .ranks = r->outcome->n_tasks,
                                   .metadata = facts};

    if (!facts)
        return portolan_no_memory(w->err);
    facts[n++] = (struct portolan_name_value){"host", report_machine(r)};
    facts[n++] = (struct portolan_name_value){PORTOLAN_STORE_VIRTUAL, report_machine(r)};
    facts[n++] = (struct portolan_name_value){"command", command_of(w)};
    facts[n++] = (struct portolan_name_value){"compute", r->run->is_median ? "median"
                                                         : r->run->replay
                                                             ? "recorded"
                                                             : clue_compute_names[r->run->compute]};
    facts[n++] = (struct portolan_name_value){
        "seed", portolan_arena_printf(&w->arena, "%" PRIu64, r->run->settings.seed)};
    facts[n++] = (struct portolan_name_value){
        "receive", r->run->settings.takes_arrived ? "arrival" : "virtual arrival"};
    if (r->run->is_apart)
        facts[n++] = (struct portolan_name_value){"ranks", "apart"};
    if (r->trace)
        facts[n++] = (struct portolan_name_value){PORTOLAN_STORE_TRACE, r->trace};
    if (r->machine_path)
        facts[n++] = (struct portolan_name_value){"machine file", r->machine_path};
    for (size_t i = 0; i < r->n_settings; i++)
        facts[n++] = r->settings[i];
    for (size_t i = 0; i < n_facts; i++)
        if (strcmp(r->file->facts[i].name, "standard-error") != 0)
            facts[n++] = (struct portolan_name_value){
                portolan_arena_printf(&w->arena, "machine %s", r->file->facts[i].name),
                r->file->facts[i].value};
    trial.n_metadata = n;
    if (w->arena.failed)
        return portolan_no_memory(w->err);
    return portolan_store_begin_trial(w->store, &trial, &w->trial, w->err);
}

static void add_sample(struct portolan_sample *s, int rank, int64_t parent, const char *program,
                       const char *method, double ns)
{
    *s = (struct portolan_sample){.rank = rank,
                                  .parent = parent,
                                  .user = parent < 0 ? "" : program,
                                  .uses = parent < 0 ? "" : "time",
                                  .instance = parent < 0 ? program : "virtual",
                                  .port = parent < 0 ? "program" : "time",
                                  .implementation = parent < 0 ? program : "virtual time",
                                  .port_type = parent < 0 ? "program" : "time",
                                  .method = method,
                                  .calls = 1,
                                  .inclusive_ns = ns,
                                  .exclusive_ns = ns,
                                  .min_ns = ns,
                                  .max_ns = ns,
                                  .sum_squares_ns2 = ns * ns,
                                  .quality = NAN};
}

/* Writes the whole program, and below it a rank's time: all but computing counts as MPI's. */
static enum portolan_status put_samples(struct trial_writer *w)
{
    const char *program = program_of(w->report);
    size_t n = 0, n_ranks = (size_t)w->report->outcome->n_tasks;
    struct portolan_sample *all =
        portolan_arena_alloc(&w->arena, n_ranks * (REPORT_PARTS + 1), sizeof *all);

    if (!all)
        return portolan_no_memory(w->err);
    for (int rank = 0; rank < w->report->outcome->n_tasks; rank++) {
        int64_t root = (int64_t)n;
        double ns[REPORT_PARTS];

        report_parts_of(w->report, rank, w->end_ns, ns);
        add_sample(&all[n++], rank, -1, program, "main", (double)w->end_ns);
        all[root].exclusive_ns = 0;
        for (int p = 0; p < REPORT_PARTS; p++) {
            if (ns[p] <= 0)
                continue;
            add_sample(&all[n], rank, root, program, report_part_names[p], ns[p]);
            all[n].mpi_ns = p == PART_COMPUTING ? 0 : ns[p];
            all[root].subroutines++;
            n++;
        }
    }
    return portolan_store_put_step(w->store, w->trial, -1, all, n, w->err);
}

static enum portolan_status put_hosts(struct trial_writer *w)
{
    const struct clue_report *r = w->report;
    size_t n = (size_t)r->outcome->n_tasks;
    struct portolan_rank_fact *facts = portolan_arena_alloc(&w->arena, n, sizeof *facts);

    if (!facts)
        return portolan_no_memory(w->err);
    for (size_t i = 0; i < n; i++)
        facts[i] = (struct portolan_rank_fact){
            .rank = (int)i,
            .name = "host",
            .value = r->run->machine->hosts[clue_engine_host(r->outcome->engine, (int)i)].name};
    return portolan_store_put_rank_facts(w->store, w->trial, facts, n, w->err);
}

static enum portolan_status put_traffic(struct trial_writer *w)
{
    const struct clue_recorder *r = w->report->recorder;
    struct portolan_traffic *rows;

    if (!r || !r->n_rows)
        return PORTOLAN_OK;
    if (r->has_failed || !(rows = portolan_arena_alloc(&w->arena, r->n_rows, sizeof *rows)))
        return portolan_no_memory(w->err);
    for (size_t i = 0; i < r->n_rows; i++)
        rows[i] = (struct portolan_traffic){.rank = r->rows[i].key.rank,
                                            .routine = r->routines[r->rows[i].key.routine],
                                            .partner = r->rows[i].key.partner,
                                            .received = r->rows[i].key.is_received,
                                            .calls = r->rows[i].calls,
                                            .time_ns = r->rows[i].time_ns,
                                            .bytes = r->rows[i].bytes};
    return portolan_store_put_traffic(w->store, w->trial, rows, r->n_rows, w->err);
}

static enum portolan_status put_all(struct trial_writer *w)
{
    enum portolan_status (*const steps[])(struct trial_writer *) = {begin, put_samples, put_hosts,
                                                                    put_traffic};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && !status; i++)
        status = steps[i](w);
    if (!status)
        status = portolan_store_end_trial(w->store, w->trial,
                                          w->report->outcome->exit_status ? "failed" : "finished",
                                          (double)w->end_ns, w->err);
    return status;
}

enum portolan_status clue_report_store(const struct clue_report *report, const char *path,
                                       int64_t *trial, struct portolan_error *err)
{
    struct trial_writer w = {.report = report, .err = err};
    struct clue_run_sums sums;
    enum portolan_status status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &w.store, err);

    *trial = 0;
    if (status)
        return status;
    clue_engine_run_sums(report->outcome->engine, &sums);
    w.end_ns = sums.end_ns;
    status = portolan_store_begin(w.store, err);
    if (!status)
        status = put_all(&w);
    status = status ? status : portolan_store_commit(w.store, err);
    if (status)
        portolan_store_rollback(w.store);
    else
        *trial = w.trial;
    portolan_store_close(w.store);
    portolan_arena_clear(&w.arena);
    return status;
}
