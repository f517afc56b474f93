/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What the drivers of examples/solvers and examples/ffts share: parameters, ports, the loop over
 * steps with a swap point between them. Every rank does the same work. A step that throws, or that
 * misses the accuracy, is offered to the swap point and repeated as long as another implementation
 * comes in; what throws with nothing left ends the run.
 */
#ifndef SOLVERS_STEPS_H
#define SOLVERS_STEPS_H

#include <portolan/framework.h>

enum { STEPS_CONTEXTS = 4 };

struct steps;

struct steps_kind {
    struct sidl_class cls;   /**< see STEPS_CLASS */
    const char *port, *type; /**< the uses port with which steps are done */
    /** Reads PROPERTIES and fills `contexts`. */
    enum portolan_status (*prepare)(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err);
    /** One step; its accuracy is the worst of its calls, 0 where that is not known. */
    double (*step)(struct steps *s, void *port, sidl_BaseInterface *_ex);
    /** Frees what `prepare` made, of which there may be nothing. */
    void (*finish)(struct steps *s);
};

/** First in the struct of a driver. */
struct steps {
    struct sidl_object object;
    const struct steps_kind *kind;
    gov_cca_Services services;
    portolan_ports_SwapPoint swap; /* NULL = not connected */
    void *port;
    int n_steps;
    double tolerance, accuracy; /* wanted of a step; reached in the last one */
    struct {
        const char *name; /* NULL: there are no more */
        double value;
    } contexts[STEPS_CONTEXTS]; /* of the calls to come */
};

extern const struct sidl_implements steps_implements[3];
gov_cca_Component steps_create(const struct steps_kind *kind, sidl_BaseInterface *_ex);

#define STEPS_CLASS(NAME, TYPE)                                                                    \
    {                                                                                              \
        .name = (NAME), .version = "1.0", .size = sizeof(TYPE), .implements = steps_implements,    \
        .n_implements = 3                                                                          \
    }

#endif
