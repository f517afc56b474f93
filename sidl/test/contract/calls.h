/* SPDX-License-Identifier: BSD-3-Clause */
/** Calls that are to pass, or to violate a contract. */
#ifndef CONTRACT_CALLS_H
#define CONTRACT_CALLS_H

#include <unit_test.h>

#include "sidl.h"
#include "sidl_BaseException.h"
#include "sidl_ContractClass.h"
#include "sidl_EnfPolicy.h"

/* Fails unless EX is of that type and its note, trace included, contains TEXT; drops it. */
static inline void expect_thrown(sidl_BaseInterface ex, const char *type, const char *text,
                                 const char *call, int line)
{
    sidl_BaseException base = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored = NULL;
    char *note, *trace;

    if (!base)
        fail_msg("line %d: %s threw nothing", line, call);
    note = sidl_BaseException_getNote(base, &ignored);
    trace = sidl_BaseException_getTrace(base, &ignored);
    if (!sidl_BaseException_isType(base, type, NULL) ||
        (!strstr(note, text) && !strstr(trace, text)))
        fail_msg("line %d: %s threw, instead of %s with '%s': %s\n%s", line, call, type, text, note,
                 trace);
    sidl_String_free(note);
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(base, NULL);
    sidl_reference_delete(ex, NULL);
}

static inline void expect_nothing(sidl_BaseInterface ex, const char *call, int line)
{
    sidl_BaseException base = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored = NULL;

    if (base)
        fail_msg("line %d: %s threw: %s", line, call, sidl_BaseException_getNote(base, &ignored));
}

/* The call ends with &ex. */
#define PASSES(CALL)                                                                               \
    do {                                                                                           \
        sidl_BaseInterface ex = NULL;                                                              \
        CALL;                                                                                      \
        expect_nothing(ex, #CALL, __LINE__);                                                       \
    } while (0)

#define THROWS(TYPE, TEXT, CALL)                                                                   \
    do {                                                                                           \
        sidl_BaseInterface ex = NULL;                                                              \
        CALL;                                                                                      \
        expect_thrown(ex, TYPE, TEXT, #CALL, __LINE__);                                            \
    } while (0)

#define VIOLATES(CALL) THROWS("sidl.PreViolation", "precondition", CALL)

#endif
