/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amr.Tree: the operations of the parallel recursive tree. As in FLASH, receives are posted first,
 * then data is sent synchronously, and all receives are awaited.
 */
#include "amr.h"
#include "blocks.h"
#include "component.h"

#include <mpi.h>
#include <portolan/record.h>
#include <stdlib.h>
#include <string.h>

static int post(const struct amr_links *links, MPI_Request *requests)
{
    const struct amr_blocks *b = links->blocks;
    int n = 0;

    for (int k = 0; k < links->n; k++) {
        struct amr_link *link = &links->link[k];

        link->cells = b->block[link->from].cells;
        if (link->receiver != b->rank || link->sender == b->rank)
            continue;
        link->cells = links->received + (size_t)n * AMR_CELLS;
        MPI_Irecv(links->received + (size_t)n * AMR_CELLS, AMR_CELLS, MPI_UNSIGNED_LONG,
                  link->sender, k, MPI_COMM_WORLD, &requests[n]);
        n++;
    }
    return n;
}

static void send(const struct amr_links *links)
{
    const struct amr_blocks *b = links->blocks;

    for (int k = 0; k < links->n; k++) {
        const struct amr_link *link = &links->link[k];

        if (link->sender == b->rank && link->receiver != b->rank)
            MPI_Ssend(b->block[link->from].cells, AMR_CELLS, MPI_UNSIGNED_LONG, link->receiver, k,
                      MPI_COMM_WORLD);
    }
}

/* For a diagnosis that records: how many links end here, and leave the rank. */
static void report_links(const struct amr_links *links)
{
    static const char *const names[] = {"links", "leaving", "leaving_on_curve"};
    const struct amr_block *block = links->blocks->block;
    int values[3] = {0};

    for (int k = 0; k < links->n; k++) {
        const struct amr_link *l = &links->link[k];

        if (l->receiver != links->blocks->rank)
            continue;
        values[0]++;
        values[1] += l->sender != l->receiver;
        values[2] += block[l->from].curve_owner != block[l->to].curve_owner;
    }
    for (int i = 0; i < 3; i++)
        portolan_record_value(portolan_record_name(names[i]), values[i]);
}

/* Collective. Each owner of a block that needs another's cells gets them. */
static void fetch(void *self, void *arg, sidl_BaseInterface *_ex)
{
    struct amr_links *links = arg;
    MPI_Request *requests;
    size_t room = 1;

    (void)self, *_ex = NULL;
    for (int k = 0; k < links->n; k++)
        room += links->link[k].receiver == links->blocks->rank;
    links->received = malloc(room * AMR_CELLS * sizeof *links->received);
    requests = malloc(room * sizeof(MPI_Request));
    if (!links->received || !requests) {
        portolan_throw(_ex, PORTOLAN_ENOMEM, "amr.Tree: no memory for %zu blocks", room);
    } else {
        int n = post(links, requests);

        send(links);
        if (portolan_record_is_on())
            report_links(links);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
}

/* Takes over what was fetched, and frees what went to others. False: no memory. */
static bool take_over(const struct amr_links *links)
{
    struct amr_blocks *b = links->blocks;
    bool has_all = true;

    for (int k = 0; k < links->n; k++) {
        const struct amr_link *link = &links->link[k];
        struct amr_block *block = &b->block[link->to];

        if (link->receiver == b->rank) {
            block->cells = malloc(AMR_CELLS * sizeof *block->cells);
            if (block->cells)
                memcpy(block->cells, link->cells, AMR_CELLS * sizeof *block->cells);
            has_all = has_all && block->cells;
        } else if (link->sender == b->rank) {
            free(block->cells);
            block->cells = NULL;
        }
        block->owner = block->next_owner;
    }
    return has_all;
}

static void migrate(struct amr_blocks *b, sidl_BaseInterface *_ex)
{
    struct amr_links links = {.blocks = b};
    bool has_memory = true;

    for (int at = 0; at < b->n; at++)
        if (b->block[at].is_used && b->block[at].next_owner != b->block[at].owner)
            has_memory = has_memory && amr_link(&links, at, at);
    fetch(NULL, &links, _ex);
    if (!*_ex && (!has_memory || !take_over(&links)))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "amr.Tree: no memory for %d blocks", links.n);
    amr_links_end(&links);
}

static void build_tree(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    struct amr_blocks *b = blocks;
    int own = 0, all = 0, used = 0;

    (void)self, *_ex = NULL;
    migrate(b, _ex);
    for (int at = 0; at < b->n; at++) {
        used += b->block[at].is_used;
        own += b->block[at].is_used && b->block[at].cells;
    }
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != used && !*_ex)
        portolan_throw(_ex, PORTOLAN_EMISMATCH, "amr.Tree: %d blocks have cells, of %d", all, used);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    component_register(self, services, "tree", "amr.Tree",
                       (struct component_use[COMPONENT_USES]){{0}}, _ex);
}

static const struct amr_Tree__epv tree_epv = {.f_commToParent = fetch,
                                              .f_commToChild = fetch,
                                              .f_commToSibling = fetch,
                                              .f_buildTree = build_tree};

PORTOLAN_COMPONENT_CLASS(amr_Tree, "amr.Tree", struct component, set_services, NULL,
                         {&amr_Tree__type, &tree_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});
