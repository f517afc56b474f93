/* SPDX-License-Identifier: BSD-3-Clause */
/* An implementation of test.Kinds, to stand behind a proxy. */
#ifndef TEST_KINDS_H
#define TEST_KINDS_H

#include "records.h"
#include "test.h"

struct kinds {
    struct sidl_object object;
    int number;
    bool *gone; /* set when the last reference is dropped */
    /* Called by the method `names`. */
    void (*meanwhile)(void *arg);
    void *arg;
};

/* One with this number; the caller's reference. */
struct kinds *kinds_create(int number, bool *gone);
test_Kinds kinds_port(struct kinds *k);
void kinds_release(struct kinds *k);

#endif
