/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test bench for components: a framework with an assembly, in which the test itself is the
 * component `bench` (class test.Bench) that uses all the others.
 */
#ifndef PORTOLAN_COMPONENTS_TEST_BENCH_H
#define PORTOLAN_COMPONENTS_TEST_BENCH_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <unit_test.h>

struct bench {
    char *folder; /**< of this test, removed at the end; the store is portolan.db in it */
    char *store;
    struct portolan_palette *palette;
    struct portolan_assembly *assembly;
    struct portolan_framework *framework;
};

extern struct bench bench;

/** Per test: a fresh folder, and a palette with the plug-ins and the classes of the bench. */
int bench_setup(void **state);
int bench_teardown(void **state);

/**
 * Reads ASSEMBLY, the inside of an <assembly> element to which instance "bench" is added; with an
 * instance "mastermind", its parameter `store` gets the path of the store. Fails on bad input.
 */
void bench_read(const char *assembly);

/** Builds what was read; the status is the framework's. */
enum portolan_status bench_build(struct portolan_error *err);

/** Reads and builds, and fails the test when that does not work. */
void bench_start(const char *assembly);

/** Takes everything down, as at the end of a program; the store is complete then. */
void bench_stop(void);

/**
 * The port behind a uses port of the bench ("measurement", "work", "swappoint", "steps", "monitor",
 * "control", "MeasurementPort", "MonitorPort", "PerfParamPort"; cast to its type), borrowed until
 * bench_stop().
 */
void *bench_port(const char *uses);

/** The C object behind its uses port "records". */
struct portolan_records *bench_records(void);

/** Fails when EX holds an exception, with its note. */
void bench_no_exception(sidl_BaseInterface *ex);

/** Fails unless EX holds an exception whose note has WORDS in it; clears it. */
void bench_exception(sidl_BaseInterface *ex, const char *words);

/**
 * What class test.Listener (provides "steps") has heard, as "a:reached 1;b:reached 1;". Its reached
 * takes 1000 ns on the manual clock.
 */
extern char bench_heard[1000];
/** The listener of that instance name throws in reached ("" none). */
extern const char *bench_thrower;

/** Everything in the store, after bench_stop(). */
struct portolan_sample_set *bench_stored(void);

/** A monitored go of the bench around INSIDE, and in it a call of its solver that takes N ns. */
void bench_go(void (*inside)(void));
void bench_solve(int64_t n);

#endif
