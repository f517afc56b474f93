/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a trial: who and what took part in it. */
#ifndef PORTOLAN_MASTERMIND_FACTS_H
#define PORTOLAN_MASTERMIND_FACTS_H

#include <portolan/machine.h>
#include <portolan/recorder.h>

/** portolan_facts_put() with a value of at most 1000 characters. */
void facts_printf(struct portolan_facts *facts, const char *name, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);

/** A copy of TEXT in which passwords of data bases are stars; NULL: no memory. */
char *facts_without_secrets(const char *text);

/** Which compilers made the object or program FILE, and with which flags, under NAME. */
void facts_put_compiler(struct portolan_facts *facts, const char *name, const char *file);

/** Whether FILE is an object with a component (exports portolan_component_…). */
bool facts_is_component(const char *file);

/** The assembly as text, and the revision of the folder that it lies in. */
void facts_put_assembly(struct portolan_facts *facts, const struct portolan_assembly *assembly);

/** The revision of git's working tree that FOLDER lies in; nothing when it lies in none. */
void facts_put_revision(struct portolan_facts *facts, const char *folder);

/** Collective: what is known of all ranks, into rank 0's facts. */
enum portolan_status facts_put_ranks(struct portolan_recorder *r, struct portolan_error *err);

/** Collective: who else used the ranks' cores since OPENED, into rank 0's facts. */
void facts_put_load(struct portolan_recorder *r, const struct portolan_machine_reading *opened);

#endif
