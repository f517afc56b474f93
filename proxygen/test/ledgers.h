/* SPDX-License-Identifier: BSD-3-Clause */
/* Implementations of ledger.Ledger that fail on request, users of them, and an assembly of both. */
#ifndef TEST_LEDGERS_H
#define TEST_LEDGERS_H

#include <portolan/framework.h>
#include <semaphore.h>
#include <unit_test.h>

#include "ledger.h"

enum {
    LEDGER_THREADS = 3,
    LEDGER_LINES = 2 * LEDGER_THREADS, /* of threads, and of calls that a call makes */
    LEDGER_USERS = 2,
    LEDGER_NESTED = 8 /* such a part of the calls makes another one through the next user's port */
};
/* In place of an entry: the call waits inside if it is in ledger.Two; the call swaps. */
#define LEDGER_WAIT (-1)
#define LEDGER_SWAP (-2)

/* What all ledgers of the process share. */
extern struct ledgers {
    const char *fault;                 /* what is to fail next, once; NULL: nothing */
    ledger_Ledger ports[LEDGER_USERS]; /* what the users hold: proxies */
    int64_t open[LEDGER_LINES];        /* entries of the classes without state */
    sem_t inside, go_on;               /* of calls that wait */
    int released, faults_inside;       /* so often; calls in what was released */
    int gatekeeper_fails; /* so often its drain fails, the last time after waiting for `inside` */
    enum portolan_status swapped_inside;
} ledgers;

/*
 * An assembly with the users "u0" and "u1" of the instance "ledger" of CLASS_NAME: ledger.One and
 * ledger.Two have state, ledger.OpenOne and ledger.OpenTwo have none. ledger.None has no code. With
 * a GATEKEEPER, a third user.
 */
struct portolan_framework *ledgers_open(const char *class_name, bool gatekeeper);
void ledgers_close(void);
enum portolan_status ledgers_replace(const char *class_name, struct portolan_error *err);

#endif
