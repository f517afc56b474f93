/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted compared with measured, also for each fixed assembly, as lines of text. */
#include "internal.h"

#include <portolan/json.h>
#include <portolan/mastermind.h>

#include <math.h>
#include <string.h>

static const double s_per_ns = 1e-9;

/* Adds the line of a TIME with its interval, after WHAT. */
static void add_time(const char *what, double ns, double low_ns, double high_ns,
                     struct portolan_text *out)
{
    portolan_text_add(out, "%-12s", what);
    portolan_answer_add_time(out, ns, low_ns, high_ns);
}

static void add_facts(const struct portolan_trial *run, struct portolan_text *out)
{
    double foretold_ns = report_fact_ns(run, PORTOLAN_FACT_FORETOLD);

    if (!(foretold_ns > 0))
        return;
    add_time("", foretold_ns, NAN, NAN, out);
    portolan_text_add(out, " predicted step by step, with what the run announced; the run was ");
    report_add_off(run->elapsed_ns, foretold_ns, out);
    portolan_text_add(out, "\n");
}

static void add_prediction(const struct report_runs *r, struct portolan_text *out)
{
    const struct portolan_decision *d = r->decision;

    if (!d || !(d->predicted_ns > 0)) {
        portolan_text_add(out, "predicted   nothing: %s\n",
                          d && d->reason && *d->reason ? d->reason : "no decision was made");
        return;
    }
    add_time("predicted", d->predicted_ns, d->low_ns, d->high_ns, out);
    portolan_text_add(out, " with %s\n", d->choice);
    if (d->trial != r->run->id)
        portolan_text_add(out, "            decided in run %lld, %s\n", (long long)d->trial,
                          d->decided);
    add_time("measured", r->run->elapsed_ns, NAN, NAN, out);
    portolan_text_add(out, ", ");
    report_add_off(r->run->elapsed_ns, d->predicted_ns, out);
    portolan_text_add(out, "\n");
}

/* Reports steps with partly disabled measurement, which must not pass for complete. */
static void add_partial(const struct report_runs *r, struct portolan_text *out)
{
    static const char gap[] = "not always measured: ";

    if (r->run->n_partial)
        portolan_text_add(out,
                          "in part     %8zu steps of the run were not completely measured; models "
                          "do not use them\n",
                          r->run->n_partial);
    for (size_t i = 0; i < r->run->n_metadata; i++)
        if (!strncmp(r->run->metadata[i].name, gap, sizeof gap - 1))
            portolan_text_add(out, "            %s: %s\n",
                              r->run->metadata[i].name + sizeof gap - 1, r->run->metadata[i].value);
    if (r->explored_partial)
        portolan_text_add(out, "in part     %8zu steps of the exploration\n", r->explored_partial);
}

static void add_ratios(const struct report_runs *r, const struct portolan_trial *t, bool is_like,
                       struct portolan_text *out)
{
    double total_ns = r->run->elapsed_ns + r->explored_ns;

    portolan_text_add(out, "  %12.3f s              ", t->elapsed_ns * s_per_ns);
    if (is_like)
        portolan_text_add(out, "%6.2f x       %6.2f x   ", t->elapsed_ns / r->run->elapsed_ns,
                          t->elapsed_ns / total_ns);
    else
        portolan_text_add(out, "%6s         %6s     ", "-", "-");
}

static void add_fixed(const struct portolan_report_source *from, const struct report_runs *r,
                      struct portolan_text *out)
{
    if (r->n_fixed == 0) {
        portolan_text_add(
            out, "no fixed assembly has run; run them with: portolan measure --all-fixed\n");
        return;
    }
    portolan_text_add(out, "\nfixed assemblies, measured   ratio to run ratio to total\n");
    for (size_t i = 0; i < r->n_fixed; i++) {
        struct portolan_text unlike = {0};

        report_add_unlike(r, r->fixed[i], &unlike);
        add_ratios(r, r->fixed[i], i < r->n_like, out);
        report_add_choice(from->assembly, r->fixed[i], out);
        if (unlike.length)
            portolan_text_add(out, ", with %s", unlike.bytes);
        portolan_text_add(out, "\n");
        out->failed |= unlike.failed;
        portolan_text_clear(&unlike);
    }
}

static void add_exploration(const struct report_runs *r, struct portolan_text *out)
{
    portolan_text_add(out, "exploration %8.3f s  in %zu trial%s", r->explored_ns * s_per_ns,
                      r->n_explored, r->n_explored == 1 ? "" : "s");
    if (r->n_elsewhere)
        portolan_text_add(out, "; %zu more ran on other ranks or machines, or with other builds",
                          r->n_elsewhere);
    portolan_text_add(out, "\ntotal       %8.3f s  exploration and run\n",
                      (r->explored_ns + r->run->elapsed_ns) * s_per_ns);
}

static void add_report(const struct portolan_report_source *from, const struct report_runs *r,
                       struct portolan_text *out)
{
    struct portolan_spent spent;

    portolan_text_add(out, "run %lld of assembly '%s' on %d rank%s, %s\n", (long long)r->run->id,
                      from->assembly->name, r->run->ranks, r->run->ranks == 1 ? "" : "s",
                      r->run->started);
    if (portolan_trial_read_spent(r->run, &spent)) {
        portolan_spent_add(&spent, out);
        portolan_text_add(out, "\n");
    }
    portolan_profile_add_cost(r->run, out);
    portolan_text_add(out, "\n");
    add_prediction(r, out);
    add_facts(r->run, out);
    add_exploration(r, out);
    add_partial(r, out);
    add_fixed(from, r, out);
}

static enum portolan_status no_run(const struct portolan_report_source *from,
                                   struct portolan_error *err)
{
    const struct portolan_assembly *a = from->assembly;

    if (a->program)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' is a program: its trials are compared by: portolan explain "
                                  "%s, and by: portolan report --html %s",
                                  a->name, portolan_shell_word(a->file).text,
                                  portolan_shell_word(a->file).text);
    if (from->machine)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "no fixed assembly of '%s' ran on '%s'; run them with: portolan "
                                  "measure --machine FILE -n RANKS --all-fixed %s",
                                  a->name, from->machine, portolan_shell_word(a->file).text);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "no finished run of '%s' with these parameters is stored; run it "
                              "with: mpiexec." PORTOLAN_MPI " -n RANKS portolan run %s",
                              a->name, portolan_shell_word(a->file).text);
}

enum portolan_status portolan_report_write_text(const struct portolan_report_source *from,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    struct report_runs r;
    enum portolan_status status = report_runs_read(from, &r, err);

    if (status == PORTOLAN_OK && !r.run)
        status = no_run(from, err);
    if (status == PORTOLAN_OK)
        add_report(from, &r, out);
    if (status == PORTOLAN_OK && from->columns)
        status = portolan_report_add_bars(from->store, r.run->id, from->columns, out, err);
    report_runs_clear(&r);
    return status == PORTOLAN_OK && out->failed ? portolan_no_memory(err) : status;
}
