/* SPDX-License-Identifier: BSD-3-Clause */
/* The common parts of all reports as JSON: beginning, trials, end. */
#include "report.h"

static void write_json_pairs(struct portolan_json *j, const char *key,
                             const struct portolan_name_value *pairs, size_t n)
{
    portolan_json_open(j, key, '{');
    for (size_t i = 0; i < n; i++)
        portolan_json_text(j, pairs[i].name, pairs[i].value);
    portolan_json_close(j, '}');
}

void profile_json_trial(struct portolan_json *j, const char *key, const struct portolan_trial *t)
{
    portolan_json_open(j, key, '{');
    portolan_json_number(j, "id", (double)t->id);
    portolan_json_text(j, "assembly", t->assembly);
    portolan_json_text(j, "purpose", t->purpose);
    portolan_json_number(j, "ranks", t->ranks);
    portolan_json_text(j, "started", t->started);
    portolan_json_text(j, "outcome", t->outcome);
    portolan_json_number(j, "elapsed_ns", t->elapsed_ns);
    portolan_json_number(j, "partial_steps", (double)t->n_partial);
    write_json_pairs(j, "parameters", t->parameters, t->n_parameters);
    write_json_pairs(j, "implementations", t->implementations, t->n_implementations);
    write_json_pairs(j, "metadata", t->metadata, t->n_metadata);
    portolan_json_close(j, '}');
}

void profile_json_begin(struct portolan_json *j, const char *form,
                        const struct portolan_trial *trial)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "portolan", form);
    portolan_json_number(j, "version", 1);
    if (trial)
        profile_json_trial(j, "trial", trial);
}

enum portolan_status profile_json_end(struct portolan_json *j, struct portolan_error *err)
{
    portolan_json_close(j, '}');
    return j->out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}
