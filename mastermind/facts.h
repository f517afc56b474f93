/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a trial: names with values, and where this process finds them. */
#ifndef PORTOLAN_MASTERMIND_FACTS_H
#define PORTOLAN_MASTERMIND_FACTS_H

#include <portolan/store.h>

struct facts {
    size_t n, capacity;
    struct portolan_name_value *pairs; /**< owned texts */
    bool failed;                       /**< memory was out: something is missing */
};

/** Frees what FACTS holds; it can be used again. */
void facts_clear(struct facts *facts);

/** Adds a fact, or gives a known name the new value; `failed` notes a lack of memory. */
void facts_put(struct facts *facts, const char *name, const char *value);

/** Host, kernel, processor, compiler, environment that steers threads, and counters. */
void facts_put_machine(struct facts *facts);

/** Every shared object in use with its real path, as "object NAME". */
void facts_put_objects(struct facts *facts);

#endif
