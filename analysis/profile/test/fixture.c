/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int setup_store(void **state)
{
    struct portolan_error err = {0};
    struct portolan_store *store = NULL;

    if (portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, &err))
        return -1;
    *state = store;
    return 0;
}

int teardown_store(void **state)
{
    portolan_store_close(*state);
    return 0;
}

int64_t begin_trial(struct portolan_store *store, int ranks,
                    const struct portolan_name_value *facts, size_t n_facts)
{
    const struct portolan_trial trial = {
        .assembly = "plate",
        .purpose = "run",
        .ranks = ranks,
        .started = "2006-09-28T12:00:00Z",
        .n_metadata = n_facts,
        .metadata = facts,
    };
    struct portolan_error err = {0};
    int64_t id = 0;

    if (portolan_store_begin_trial(store, &trial, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

void put_rows(struct portolan_store *store, int64_t trial, int step, const struct row *rows,
              size_t n)
{
    struct portolan_sample samples[32];
    char instances[32][16];
    struct portolan_error err = {0};

    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        const char *dot = strchr(r->name, '.');

        snprintf(instances[i], sizeof instances[i], "%.*s", (int)(dot - r->name), r->name);
        samples[i] = (struct portolan_sample){
            .parent = r->parent,
            .rank = r->rank,
            .thread = r->thread,
            .user = r->parent < 0 ? "" : instances[r->parent],
            .uses = r->parent < 0 ? "" : "out",
            .instance = instances[i],
            .port = "in",
            .implementation = r->implementation ? r->implementation : "test.Class",
            .port_type = "test.Port",
            .method = dot + 1,
            .n_context = r->n != 0,
            .context_name = {"n"},
            .context = {r->n},
            .calls = r->calls,
            .timed_calls = r->timed_calls,
            .inclusive_ns = r->inclusive_ns,
            .exclusive_ns = r->exclusive_ns,
            .mpi_ns = r->mpi_ns,
            .min_ns = r->min_ns,
            .max_ns = r->max_ns,
            .sum_squares_ns2 = r->sum_squares_ns2,
            .quality = NAN,
        };
    }
    if (portolan_store_put_step(store, trial, step, samples, n, &err))
        fail_msg("%s", err.text);
}

void end_trial(struct portolan_store *store, int64_t trial, const char *outcome)
{
    struct portolan_error err = {0};

    if (portolan_store_end_trial(store, trial, outcome, 1e6, &err))
        fail_msg("%s", err.text);
}

struct portolan_profile *read_profile(struct portolan_store *store,
                                      const struct portolan_profile_query *query)
{
    struct portolan_profile *p = NULL;
    struct portolan_error err = {0};

    if (portolan_profile_read(store, query, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

const struct portolan_profile_node *find_node(const struct portolan_profile *p, const char *label)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        struct portolan_text text = {0};
        bool is;

        portolan_profile_add_label(&p->nodes[i], false, &text);
        is = text.bytes && !strcmp(text.bytes, label);
        portolan_text_clear(&text);
        if (is)
            return &p->nodes[i];
    }
    fail_msg("no node %s", label);
    return NULL;
}
