/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * measured: what a session of measuring (<portolan/measure.h>) asks of the store and of the
 * assembly. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_MEASURED_H
#define PORTOLAN_MEASURED_H

#include <portolan/measure.h>
#include <portolan/store.h>
#include <portolan/workbench.h>

/** The trials of an assembly; may be the first member of a caller's struct, the runner's `arg`. */
struct measured_trials {
    struct workbench *w;
    const char *file;                /**< the store */
    const char *machine;             /**< name of the virtual machine; NULL: this one */
    int ranks;                       /**< on which trials run */
    struct portolan_sample_set *set; /**< the trials that were read last; the caller's to destroy */
};

/*
 * Members of struct portolan_measure_runner, whose `arg` is a struct measured_trials. _read offers
 * the combinations of a program that were measured; _offer is only for programs.
 */
enum portolan_status measured_read(void *arg, bool with_samples,
                                   const struct portolan_sample_set **set,
                                   struct portolan_error *err);
bool measured_has_port(void *arg, const char *class_name, const char *port);
enum portolan_status measured_apply(void *arg, const char *orders, struct portolan_error *err);
enum portolan_status measured_keep(void *arg, const struct portolan_stored_model *model,
                                   struct portolan_error *err);
enum portolan_status measured_offer(void *arg, const char *changes_of, bool *is_race, bool *grew,
                                    struct portolan_error *err);

#endif
