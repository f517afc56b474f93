/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The conformance suite for frameworks of the CCA specification (gov.cca 0.8.5) in Babel's C
 * binding: what a framework gives the suite, and what the suite gives the framework. README.md
 * says how to build it against another framework.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stddef.h>

#include "gov_cca.h"
#include "gov_cca_ports.h"

/* -- what the adaptor defines ---------------------------------------------------------------- */

/**
 * A new framework without components, in which instances of the classes below can be created by
 * their names. The suite calls shutdownFramework and drops the reference. Called once per test.
 */
gov_cca_AbstractFramework conformance_framework(sidl_BaseInterface *_ex);

/**
 * Asked at the end of each test, after the shutdown: frees what the adaptor made for the last
 * conformance_framework. May be empty.
 */
void conformance_framework_end(void);

struct conformance_group;

/** What a framework may have beyond the specification; all members may be empty. */
struct conformance_extras {
    /** Groups of tests of its own extensions. */
    const struct conformance_group *const *groups;
    size_t n_groups;
    /**
     * Puts an instance of another class in the place of the named one, which keeps its name and
     * its connections. NULL: the random sequences do without.
     */
    void (*replace)(gov_cca_Services services, const char *instance, const char *class_name,
                    sidl_BaseInterface *_ex);
};
extern const struct conformance_extras conformance_extras;

/* -- what the suite defines ------------------------------------------------------------------- */

/** A component class of the suite, which the framework must be able to create by NAME. */
struct conformance_class {
    const char *name; /**< "suite.Part" */
    /** A new instance, the caller's reference. */
    gov_cca_Component (*create)(sidl_BaseInterface *_ex);
};
extern const struct conformance_class conformance_classes[];
extern const size_t conformance_n_classes;

/* -- tests ------------------------------------------------------------------------------------ */

struct world;

/** One sentence of the specification, and its test. */
struct conformance_sentence {
    const char *id;   /**< "SV-07" */
    const char *text; /**< the sentence in short */
    void (*test)(struct world *w);
    const char *why_not; /**< when there is no test */
    const char *where;   /**< when the test is elsewhere: "FILE FUNCTION" */
};

struct conformance_group {
    const char *name;  /**< one word, for the command line */
    const char *title; /**< the interfaces that it is about */
    const struct conformance_sentence *sentences;
    size_t n_sentences;
};

/** Begins a test: SENTENCE(SV_07, "getPort never returns null") { … w is the struct world … }. */
#define SENTENCE(ID, TEXT)                                                                         \
    static const char ID##_text[] = TEXT;                                                          \
    static void ID(struct world *w)
/** Lists it in the group's array. */
#define TESTED(ID)                                                                                 \
    {                                                                                              \
#ID, ID##_text, ID, NULL, NULL                                                             \
    }
#define NOT_COVERED(ID, TEXT, WHY)                                                                 \
    {                                                                                              \
#ID, TEXT, NULL, WHY, NULL                                                                 \
    }
/** What Portolan's own tests cover, because it needs more than a framework. */
#define ELSEWHERE(ID, TEXT, WHERE)                                                                 \
    {                                                                                              \
#ID, TEXT, NULL, NULL, WHERE                                                               \
    }
#define GROUP(SYMBOL, TITLE, TABLE)                                                                \
    const struct conformance_group conformance_##SYMBOL = {#SYMBOL, TITLE, TABLE,                  \
                                                           sizeof(TABLE) / sizeof *(TABLE)}

#endif
