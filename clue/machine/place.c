/* SPDX-License-Identifier: BSD-3-Clause */
/* Places ranks on hosts. */
#include "machine.h"

#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>

/* Places by a list of hosts, "node[0] node[2-5]", in turn; every round is the same. */
static enum portolan_status place_by_list(const struct clue_machine_file *f, int n,
                                          const char *list, bool is_sharing, int *hosts,
                                          struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_words words = {0};
    enum portolan_status status =
        portolan_words_split(&arena, &words, list) ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    const char *why = NULL;
    int placed = 0;

    for (size_t w = 0; w < words.n && status == PORTOLAN_OK; w++) {
        struct host_range range;

        if (!machine_find_range(f, &arena, words.word[w], &range, &why))
            status = portolan_error_set(
                err, PORTOLAN_EINVAL, "placement: %s; or write by-node or by-slot", why ? why : "");
        for (int i = 0; status == PORTOLAN_OK && i < range.n && placed < n; i++)
            hosts[placed++] = range.first + i;
    }
    if (status == PORTOLAN_OK && placed < n && (!is_sharing || !placed))
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "the placement names hosts for %d of %d ranks; name more%s",
                                    placed, n, placed ? ", or give --share" : "");
    for (int i = placed; status == PORTOLAN_OK && i < n; i++)
        hosts[i] = hosts[i - placed];
    portolan_arena_clear(&arena);
    return status == PORTOLAN_ENOMEM ? portolan_no_memory(err) : status;
}

/* Places in rounds over all hosts: in round R each host with more than R processors gets a rank. */
static void place_by_node(const struct clue_machine_file *f, int n, int *hosts)
{
    const struct clue_machine *m = &f->machine;
    unsigned most = 0;

    for (size_t h = 0; h < m->n_hosts; h++)
        most = m->hosts[h].cpus > most ? m->hosts[h].cpus : most;
    for (int i = 0; i < n;)
        for (unsigned round = 0; round < most; round++)
            for (size_t h = 0; h < m->n_hosts && i < n; h++)
                if (m->hosts[h].cpus > round)
                    hosts[i++] = (int)h;
}

static void place_by_slot(const struct clue_machine_file *f, int n, int *hosts)
{
    const struct clue_machine *m = &f->machine;

    for (int i = 0; i < n;)
        for (size_t h = 0; h < m->n_hosts && i < n; h++)
            for (unsigned cpu = 0; cpu < m->hosts[h].cpus && i < n; cpu++)
                hosts[i++] = (int)h;
}

static enum portolan_status check_shares(const struct clue_machine_file *f, int n, const int *hosts,
                                         bool is_sharing, struct portolan_error *err)
{
    const struct clue_machine *m = &f->machine;
    unsigned *ranks = portolan_calloc(m->n_hosts, sizeof *ranks);
    enum portolan_status status = ranks ? PORTOLAN_OK : portolan_no_memory(err);

    for (int i = 0; status == PORTOLAN_OK && i < n; i++) {
        const struct clue_host *h = &m->hosts[hosts[i]];

        if (++ranks[hosts[i]] > h->cpus && !is_sharing)
            status = portolan_error_set(err, PORTOLAN_EINVAL,
                                        "more ranks than the %u processor%s of '%s'; place them "
                                        "elsewhere, or give --share",
                                        h->cpus, h->cpus == 1 ? "" : "s", h->name);
        else if (ranks[hosts[i]] == 2 && m->pair_of(m, hosts[i], hosts[i]) == SIZE_MAX)
            status = portolan_error_set(
                err, PORTOLAN_EINVAL,
                "two ranks on '%s', but no <send> and <transmission> from it to itself; add them, "
                "with from=\"%s\" to=\"self\"",
                h->name, h->type);
    }
    free(ranks);
    return status;
}

enum portolan_status clue_machine_place(const struct clue_machine_file *f, int n,
                                        const char *placement, bool is_sharing, int **hosts,
                                        struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    uint64_t cpus = 0;

    if (!(*hosts = portolan_calloc(n ? (size_t)n : 1, sizeof **hosts)))
        return portolan_no_memory(err);
    if (!placement)
        placement = f->placement ? f->placement : "by-node";
    for (size_t h = 0; h < f->machine.n_hosts; h++)
        cpus += f->machine.hosts[h].cpus;
    if ((uint64_t)n > cpus && !is_sharing)
        status =
            portolan_error_set(err, PORTOLAN_EINVAL,
                               "%d ranks, but '%s' has %llu processor%s; start fewer, or let "
                               "ranks share them (--share)",
                               n, f->machine.name, (unsigned long long)cpus, cpus == 1 ? "" : "s");
    else if (strcmp(placement, "by-node") == 0)
        place_by_node(f, n, *hosts);
    else if (strcmp(placement, "by-slot") == 0 || strcmp(placement, "by-cpu") == 0)
        place_by_slot(f, n, *hosts);
    else
        status = place_by_list(f, n, placement, is_sharing, *hosts, err);
    if (status == PORTOLAN_OK)
        status = check_shares(f, n, *hosts, is_sharing, err);
    if (status != PORTOLAN_OK) {
        free(*hosts);
        *hosts = NULL;
    }
    return status;
}
