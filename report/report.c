/* SPDX-License-Identifier: BSD-3-Clause */
/* The document: what is shown of a source, part after part. */
#include "internal.h"

#include <string.h>

extern const struct report_part report_advice, report_steps, report_answer, report_wiring,
    report_time, report_model, report_decisions, report_trial, report_comparison;

/* Adding a part is adding it here. */
const struct report_part *const report_parts[] = {
    &report_advice, &report_steps,     &report_answer, &report_wiring,     &report_time,
    &report_model,  &report_decisions, &report_trial,  &report_comparison, NULL};

/* The newest finished run, or else trial; or the newest at all. */
static const struct portolan_trial *newest(const struct portolan_trial_list *l)
{
    const struct portolan_trial *found = NULL;
    int rank = -1;

    for (size_t i = 0; l && i < l->n; i++) {
        const struct portolan_trial *t = l->trials[i];
        int its = 2 * !strcmp(t->outcome, "finished") + !strcmp(t->purpose, "run");

        if (its >= rank) {
            found = t;
            rank = its;
        }
    }
    return found;
}

/* Many ranks are not read one by one: part_time reads those that it shows. */
static enum portolan_status open_report(struct report *r, struct portolan_error *err)
{
    struct portolan_profile_query query = {0};
    enum portolan_status status = report_runs_read(r->from, &r->runs, err);

    r->shown = r->runs.run ? r->runs.run : newest(r->from->trials);
    if (status || !r->shown)
        return status;
    query.trial = r->shown->id;
    status = portolan_profile_read(r->from->store, &query, &r->profile, err);
    return status ? status
                  : portolan_store_read_reasons(r->from->store, r->shown->id, &r->reasons, err);
}

static void close_report(struct report *r)
{
    report_runs_clear(&r->runs);
    portolan_profile_destroy(r->profile);
    portolan_reason_set_destroy(r->reasons);
}

static void write_head(const struct report *r, struct portolan_json *j)
{
    portolan_json_text(j, "portolan", "report");
    portolan_json_number(j, "version", 1);
    portolan_json_text(j, "made_by", portolan_version());
    portolan_json_text(j, "store", r->from->store_name);
    portolan_json_text(j, "name",
                       r->from->assembly ? r->from->assembly->name
                       : r->shown        ? r->shown->assembly
                                         : "nothing");
    portolan_json_number(j, "shown_trial", r->shown ? (double)r->shown->id : 0);
}

enum portolan_status portolan_report_write_json(const struct portolan_report_source *from,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    struct report r = {.from = from};
    struct portolan_json j = {.out = out};
    enum portolan_status status = open_report(&r, err);

    portolan_json_open(&j, NULL, '{');
    write_head(&r, &j);
    for (size_t i = 0; !status && report_parts[i]; i++) {
        portolan_json_open(&j, report_parts[i]->name, '{');
        status = report_parts[i]->write(&r, &j, err);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, '}');
    close_report(&r);
    return status ? status : out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

void report_write_link(struct portolan_json *j, const char *part, const char *const *words,
                       size_t n)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    struct portolan_text link = {0};

    portolan_text_add(&link, "%s", part);
    for (size_t i = 0; i < n; i++) {
        if (!*words[i])
            continue;
        portolan_text_add(&link, "/");
        for (const char *c = words[i]; *c && c < words[i] + 120; c++)
            portolan_text_add_bytes(&link, strchr(plain, *c) ? c : "_", 1);
    }
    portolan_json_text(j, "link", link.bytes);
    j->out->failed |= link.failed;
    portolan_text_clear(&link);
}
