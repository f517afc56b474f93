/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mastermind: completes the stored trial of a run whose processes have ended, however they did.
 * Commands that start trials use this, in a process of their own, before and after each.
 */
#ifndef PORTOLAN_SETTLE_H
#define PORTOLAN_SETTLE_H

#include <portolan/assembly.h>
#include <portolan/palette.h>
#include <portolan/store.h>

/**
 * Before a trial: opens FILE, in which it will be, and gives it a mark, by which the functions
 * below find it there, in the environment. *STORE is the caller's to close.
 */
enum portolan_status portolan_trial_expect(const char *file, struct portolan_store **store,
                                           struct portolan_error *err);

/** The trial that was to run. */
struct portolan_expected_trial {
    const struct portolan_assembly *assembly;
    const struct portolan_palette *palette;
    int ranks;
    const char *machine; /**< the virtual machine; NULL: this one */
};

/**
 * After that trial, of which nothing runs any more. WHY: how it failed, or NULL. If it did, or
 * ended before it was finished, it is in the store as failed, with the reason and the class to
 * blame, if that is known. PORTOLAN_ECOMPONENT: it failed; ERR has the reason. PORTOLAN_EFOREIGN:
 * the assembly as written did not even begin. Other errors are the store's.
 */
enum portolan_status portolan_trial_settle(struct portolan_store *store,
                                           const struct portolan_expected_trial *expected,
                                           const char *why, struct portolan_error *err);

/** The trial was ended from outside: what is stored of it is removed. */
enum portolan_status portolan_trial_discard(struct portolan_store *store,
                                            const struct portolan_assembly *a,
                                            struct portolan_error *err);

#endif
