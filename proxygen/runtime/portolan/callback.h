/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * callback: functions that a caller passes to a method. If a side file says so ("method.callback:
 * argument"), generated code passes a stand-in instead. It measures the function as a call path
 * below the method that counts for the user, so that the method's exclusive time does not include
 * it.
 *
 * A function keeps its stand-in permanently, since implementations may store the pointer and call
 * it later and from other threads. There are a few stand-ins for each parameter; further functions,
 * functions of calls that are not measured, and values that are no addresses (SQLITE_TRANSIENT,
 * SIG_IGN) are passed unchanged. Only code that `portolan proxygen` made includes this header.
 */
#ifndef PORTOLAN_CALLBACK_H
#define PORTOLAN_CALLBACK_H

#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Stand-ins for each parameter. */
#define PORTOLAN_CALLBACKS          8
#define PORTOLAN_CALLBACK_EACH(X)   X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PORTOLAN_CALLBACK_COMMAS(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)

/** A function that has a stand-in. Initially zero; set once. */
struct portolan_callback {
    void (*function)(void);
    uint32_t method; /**< handle of the method that it was given to */
    uint32_t handle; /**< its own */
};

/**
 * The number of the stand-in for FUNCTION in SLOTS (PORTOLAN_CALLBACKS of them), given to method
 * number METHOD of PORT as ARGUMENT; -1 when it is to be passed unchanged. Any thread.
 */
PORTOLAN_API int portolan_callback_find(struct portolan_callback *slots,
                                        const struct portolan_probe_port *port, size_t method,
                                        const char *argument, void (*function)(void));

#ifdef __cplusplus
}
#endif
#endif
