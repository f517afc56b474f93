/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Books of calls, kept by those who call and are called, on CLOCK_MONOTONIC and not by Portolan:
 * what the body of a call saw (inner) and what its caller saw around it (outer). A proxy between
 * them measures something between inner and outer, whatever the machine does meanwhile.
 */
#ifndef PORTOLAN_TEST_BOOKS_H
#define PORTOLAN_TEST_BOOKS_H

#include <stdbool.h>

enum method { LEAF, NEST, RECURSE, THREADS, WAIT, METHODS };

/** Begins and ends the body of a call on the calling thread. */
struct body {
    struct body *around;
    int instance;
    enum method method;
    double begin_s, inner_s; /* of the calls that it makes: */
    double children_inner_s, children_outer_s;
};
void body_begin(struct body *b, int instance, enum method method);
void body_end(struct body *b);

/** Brackets a call of METHOD of instance 0 or 1 in the caller. */
struct call {
    int instance;
    enum method method;
    bool is_outermost;
    double begin_s;
};
void call_begin(struct call *c, int instance, enum method method);
void call_end(struct call *c);

/** Adds bounds of the time in MPI to the running body's method. */
void books_add_mpi(int instance, enum method method, double low_s, double high_s);

double books_now_s(void);

/** Writes them, one line a method; false when that failed. */
bool books_write(const char *file);

#endif
