/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of machine files. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <stdlib.h>

#include <portolan/clue_machine.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

/* Checks that an accepted file can be used: hosts have ways to each other, and it can be drawn. */
static void check_use(struct clue_machine_file *f)
{
    const struct clue_machine *m = &f->machine;
    int n = m->n_hosts < 16 ? (int)m->n_hosts : 16, *hosts;
    uint32_t links[CLUE_MOST_HOPS];
    char *text;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            size_t pair = m->pair_of(m, i, k);

            must(pair < m->n_pairs || (i == k && m->hosts[i].cpus == 1));
            if (i != k && m->network.route)
                for (size_t h = m->network.route(&m->network, i, k, links); h-- > 0;)
                    must(links[h] < m->network.n_links);
        }
    if (!clue_machine_place(f, n, NULL, true, &hosts, NULL))
        free(hosts);
    must(!clue_machine_draw(f, &text, NULL));
    free(text);
    must(!clue_machine_write(f, &text, NULL));
    free(text);
    clue_machine_vary(f, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct clue_machine_file *f;

    if (!clue_machine_read_text((const char *)data, size, "fuzz.xml", NULL, &f, NULL))
        check_use(f);
    clue_machine_destroy(f);
    return 0;
}
