/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of scenarios. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <stdlib.h>
#include <string.h>

#include "../replay/scenario.h"

enum { MOST_STATEMENTS = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

/* What a scenario makes can be analysed, and replayed as it is. */
static void check_trace(const struct portolan_trace *t)
{
    struct portolan_removal removals[] = {{.kind = PORTOLAN_REMOVE_IMBALANCE},
                                          {.kind = PORTOLAN_REMOVE_DISTANCE}};
    struct portolan_matching *m;
    struct portolan_waits *w;
    struct portolan_replay r;
    int64_t waiting = 0, charged = 0;

    must(!portolan_matching_create(t, &m, NULL));
    must(!portolan_waits_create(m, &w, NULL));
    for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
        waiting += w->state_ns[s];
    for (size_t i = 0; i < w->n_delays; i++)
        charged += w->delays[i].direct_ns + w->delays[i].indirect_ns;
    must(waiting == charged);
    must(!portolan_replay(w, NULL, 0, NULL, &r, NULL) && r.error == 0);
    must(!portolan_replay(w, removals, 2, NULL, &r, NULL));
    portolan_waits_destroy(w);
    portolan_matching_destroy(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct portolan_trace *t;

    must(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!scenario_read("fuzz", text, MOST_STATEMENTS, NULL, &t, NULL, NULL))
        check_trace(t);
    portolan_trace_destroy(t);
    free(text);
    return 0;
}
