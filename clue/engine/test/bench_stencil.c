/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how fast the engine is with the messages of a stencil, without ranks. Arguments: tasks,
 * steps, none, queue or fair, bytes. */
#include <portolan/clue_engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct rank {
    int at, step;
    clue_request requests[8];
    int neighbours[4];
};

static double data[16384];

static void deliver(void *arg, const struct clue_message *message)
{
    memcpy(arg, message->data, message->bytes < sizeof data ? message->bytes : sizeof data);
}

/* Posts four receives and four sends, and waits; every ten steps also doubles 8 bytes. */
static bool run(struct clue_engine *e, int task, int n, struct rank *r, int steps, uint64_t bytes)
{
    size_t index;

    for (; r->step < steps; r->step++, r->at = 0) {
        if (r->at == 0) {
            clue_engine_compute(e, task, 1000 + task % 7);
            for (int i = 0; i < 4; i++)
                r->requests[i] = clue_engine_receive(
                    e, task, &(struct clue_receive){r->neighbours[i], 1, i ^ 1, 0, deliver, data});
            r->at = 1;
        }
        for (; r->at < 5; r->at++)
            if (clue_engine_send(e, task,
                                 &(struct clue_send){.to = r->neighbours[r->at - 1],
                                                     .context = 1,
                                                     .tag = r->at - 1,
                                                     .data = data,
                                                     .bytes = bytes},
                                 &r->requests[3 + r->at]))
                return false;
        if (r->at == 5) {
            if (clue_engine_wait(e, task, r->requests, 8, true, &index))
                return false;
            for (int i = 0; i < 8; i++)
                clue_engine_release(e, r->requests[i]);
            r->at = 6;
        }
        for (int bit = 1 << ((r->at - 6) / 2); r->step % 10 == 9 && bit < n;
             bit = 1 << ((r->at - 6) / 2)) {
            if (r->at % 2 == 0) {
                if (clue_engine_send(e, task,
                                     &(struct clue_send){
                                         .to = task ^ bit, .context = 2, .data = data, .bytes = 8},
                                     &r->requests[0]))
                    return false;
                r->requests[1] = clue_engine_receive(
                    e, task, &(struct clue_receive){task ^ bit, 2, 0, 0, deliver, data});
                r->at++;
            }
            if (clue_engine_wait(e, task, r->requests, 2, true, &index))
                return false;
            clue_engine_release(e, r->requests[0]);
            clue_engine_release(e, r->requests[1]);
            r->at++;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 100, task;
    const char *model = argc > 3 ? argv[3] : "queue";
    uint64_t bytes = argc > 4 ? (uint64_t)atoi(argv[4]) : 64;
    int side = 1, n_hosts = n / 2;
    struct clue_topology tree = {.kind = CLUE_FAT_TREE,
                                 .n_levels = 2,
                                 .down = {16, (unsigned)n_hosts / 16},
                                 .up = {1, 8},
                                 .n_hosts = (size_t)n_hosts};
    struct clue_pair pair = {{400, 0.01, NULL, 0}, {300, 0, NULL, 0}};
    struct clue_host *hosts = calloc((size_t)n_hosts, sizeof *hosts);
    size_t n_links = clue_topology_links(&tree);
    struct clue_link *links = calloc(n_links, sizeof *links);
    struct rank *ranks = calloc((size_t)n, sizeof *ranks);
    struct clue_machine machine = {
        .hosts = hosts,
        .n_hosts = (size_t)n_hosts,
        .pairs = &pair,
        .n_pairs = 1,
        .eager_bytes = 65536,
        .network = {.model = !strcmp(model, "none")   ? CLUE_NETWORK_NONE
                             : !strcmp(model, "fair") ? CLUE_NETWORK_FAIR
                                                      : CLUE_NETWORK_QUEUE,
                    .links = links,
                    .n_links = n_links,
                    .route = clue_topology_route,
                    .topology = &tree},
    };
    struct clue_engine *e = clue_engine_new(&machine, &(struct clue_engine_settings){0});
    struct clue_run_sums sums;
    struct rusage usage;
    clock_t begin = clock();
    double s;

    clue_engine_free(e);
    for (int i = 0; i < n_hosts; i++)
        hosts[i] = (struct clue_host){.name = "node",
                                      .cpus = 2,
                                      .factor = 1,
                                      .receive = {200, 0, NULL, 0},
                                      .card_gap_ns = 50};
    for (size_t i = 0; i < n_links; i++)
        links[i] = (struct clue_link){"link", 1.25, 300};
    e = clue_engine_new(&machine, &(struct clue_engine_settings){0});
    while (side * side < n)
        side *= 2;
    for (int i = 0; i < n; i++) {
        int rows = n / side, row = i / side, column = i % side;
        int around[] = {(row + 1) % rows * side + column, (row + rows - 1) % rows * side + column,
                        row * side + (column + 1) % side, row * side + (column + side - 1) % side};

        memcpy(ranks[i].neighbours, around, sizeof around);
        clue_engine_add(e, i / 2, 0);
    }
    while ((task = clue_engine_next(e)) >= 0)
        if (run(e, task, n, &ranks[task], steps, bytes))
            clue_engine_exit(e, task);
    s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    clue_engine_run_sums(e, &sums);
    getrusage(RUSAGE_SELF, &usage);
    printf("%s: %llu messages, %llu events, virtual %.6f s, %.3f s, %.2f M messages/s, %ld KB%s\n",
           model, (unsigned long long)sums.n_messages, (unsigned long long)sums.n_events,
           (double)sums.end_ns * 1e-9, s, (double)sums.n_messages / s * 1e-6, usage.ru_maxrss,
           task == CLUE_FINISHED ? "" : " NOT FINISHED");
    clue_engine_free(e);
    free(hosts);
    free(links);
    free(ranks);
    return task != CLUE_FINISHED;
}
