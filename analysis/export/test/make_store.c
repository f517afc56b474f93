/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make_store FILE [rows]: the sample store as a file, for whole-command tests.
 * make_store FILE large RANKS PATHS ROWS: a large trial, also to measure exports.
 */
#include "sample_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};

    if (argc < 2 || portolan_store_open(argv[1], PORTOLAN_STORE_WRITE, &store, &err) != PORTOLAN_OK)
        return 2;
    if (argc > 5 && !strcmp(argv[2], "large"))
        sample_store_add_large(store, atoi(argv[3]), (size_t)atol(argv[4]), (size_t)atol(argv[5]),
                               &err);
    else
        sample_store_fill(store, argc > 2 && !strcmp(argv[2], "rows"), &err);
    portolan_store_close(store);
    if (err.status != PORTOLAN_OK)
        fprintf(stderr, "make_store: %s\n", err.text);
    return err.status == PORTOLAN_OK ? 0 : 1;
}
