/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a trace to the quantities that formulas of a paradigm name.
 *
 * tokens.c makes of each rank's events a row of tokens, each of which may be one or more components
 * (binding.c); instances.c fits them into the paradigm's events; delays.c charges waiting to them;
 * constraints.c drops and cuts; attributes.c gives each instance its values; values.c makes of
 * these what metrics name; suggest.c compares paradigms.
 */
#ifndef HERCULE_RECOGNISE_H
#define HERCULE_RECOGNISE_H

#include "event_expression.h"
#include "internal.h"

#include <portolan/trace.h>
#include <portolan/waits.h>

enum { TOKEN_NO_COMPONENT = 255 };

/* A call of MPI, a region that is bound to a component, or computing in between; at the end of a
   rank that ends early, waiting for the others. Tokens of a location are in the order of their
   begins; those inside a region follow it. */
struct token {
    int64_t begin, end, wait, mpi, collective;
    int64_t delay;                  /* waiting of others that this token caused: delays.c */
    uint64_t components;            /* the components that it may be, as bits */
    uint32_t first_event, n_events; /* computing has no events, and is before FIRST_EVENT */
    uint32_t n_inside;              /* number of tokens that follow and are within */
    uint8_t component;              /* the component that it was found to be */
    bool is_apart;   /* it broke constraints of what it was matched with: constraints.c */
    bool is_foreign; /* it is in a stretch that fits no event, of which the rank has few */
};

/* The tokens of a location. */
struct token_row {
    struct token *tokens;
    size_t n, room;
    int rank;
};

static const uint32_t NO_INSTANCE = UINT32_MAX;

/* An instance: one occurrence of an event on a rank. Those within follow it. */
struct instance {
    uint32_t event;
    uint32_t row;        /* row of its tokens */
    uint32_t first, end; /* its tokens, including those inside regions */
    uint32_t n_inside;   /* number of instances that follow and are within */
    uint32_t ordinal;    /* index on its rank, among those of its event */
    uint32_t of_event;   /* index among all instances of its event, and of its values */
    uint32_t parent;     /* NO_INSTANCE: it has none */
    int64_t begin_ns, end_ns;
};

/* How much of the time of tokens that may be a component was fitted into events. */
struct fit {
    int64_t fitted_ns, all_ns;
    size_t n;
};

struct recognition {
    const struct paradigm *paradigm;
    const struct portolan_trace *trace;
    const struct portolan_waits *waits;
    struct token_row *rows; /* by location */
    size_t n_rows;
    int64_t run_ns;
    struct instance *instances; /* by row, then time */
    size_t n_instances, room;
    size_t **of_event; /* instances of each event, by rank, then time */
    size_t *n_of_event;
    size_t **related; /* for each relation and instance of its event: an instance, or none; NULL:
                       * not computed yet, or related by ordinal */
    double **values;  /* for each attribute and instance of its event; NULL: not computed yet */
    struct portolan_arena of_instances; /* holds of_event to values, until instances change */
    struct portolan_arena arena;        /* holds what follows */
    struct fit *fits;                   /* by component */
    int64_t *caused, *delegated;        /* by component of woven paradigms: delays.c; or NULL */
    struct fit whole;
    size_t n_apart; /* number of tokens set apart */
    double globals[N_GLOBALS];
    bool failed; /* ran out of memory: what was looked up may be wrong */
};

/*
 * Recognises PARADIGM in the trace of WAITS: *RECOGNITION. BINDINGS (N may be 0) come from the
 * user. The caller frees it with recognition_destroy() before the others, which it borrows.
 * PORTOLAN_EUNSUPPORTED (too many components), PORTOLAN_ENOMEM.
 */
enum portolan_status recognise(const struct paradigm *paradigm, const struct portolan_waits *waits,
                               const struct binding *bindings, size_t n_bindings,
                               struct recognition **recognition, struct portolan_error *err);
/* Frees a recognition; NULL is legal. */
void recognition_destroy(struct recognition *r);

/* Looks up a quantity: a hercule_lookup_fn whose ARG is a struct recognition. */
bool recognition_lookup(void *recognition, const struct paradigm *paradigm,
                        const struct reference *reference, struct measured *value);

/* Return what fits none of the paradigm's events: a share of the run; lines of text, in ARENA:
 * misfit.c. */
double recognition_misfit(const struct recognition *r);
const char *recognition_misfits(const struct recognition *r, struct portolan_arena *arena);

/* Sets to 1 in EVENTS, a byte for each event of the trace, those that belong to COMPONENT. */
void recognition_mark(const struct recognition *r, size_t component, uint8_t *events);

/* ------------------------------------------------- between the files of this folder */

/* Binds calls and regions of a trace to components, in ARENA; NULL: no memory. */
struct bound;
struct bound *bind_components(const struct paradigm *paradigm, const struct portolan_trace *trace,
                              const struct binding *bindings, size_t n,
                              struct portolan_arena *arena);
/* Replaces a region: the time from a mark on. */
#define BOUND_NO_REGION UINT32_MAX
/* Returns the components that the last of the N_OPEN regions may be, as bits, after MARK ("": none)
 * and within component WITHIN; 0: it is not bound. */
uint64_t bound_region(const struct bound *b, const char *mark, const uint32_t *open, size_t n_open,
                      size_t within);
/* Returns the components that computing may be, within WITHIN (HERCULE_NONE: outside of all). */
uint64_t bound_computing(const struct bound *b, size_t within);
/* Returns whether other components are parts of COMPONENT. */
bool bound_is_refined(const struct bound *b, size_t component);
/* Returns the components that the call with N EVENTS on RANK may be, after MARK, in N_OPEN
 * regions. */
uint64_t bound_call(const struct bound *b, const struct portolan_trace_event *events, size_t n,
                    int rank, bool is_further, const char *mark, const uint32_t *open,
                    size_t n_open, size_t within);
/* Returns whether the paradigm distinguishes a receive that continues the one before it. */
bool bound_knows_further(const struct bound *b);

bool tokens_make(struct recognition *r, const struct bound *b);
/* Returns the last token of ROW that begins at NS or before; NULL: none. */
struct token *tokens_at(const struct token_row *row, int64_t ns);
/* Charges all waiting to tokens of the ranks that were waited for. False: no memory. */
bool delays_charge(struct recognition *r);
/* Sets CAUSED and DELEGATED if paradigms are woven. False: no memory. */
bool delays_delegate(struct recognition *r);
/* Returns whether a token is neither start, finish, gap, nor waiting for the others at the end. */
bool token_is_ordinary(const struct recognition *r, const struct token *t);
double token_quantity(const struct recognition *r, const struct token_row *row,
                      const struct token *t, enum quantity quantity);
/* Returns LOCATION's innermost token that contains event number EVENT; NULL: none. */
struct token *tokens_find(const struct recognition *r, size_t location, size_t event);

/* Finds instances; false: no memory. */
bool instances_find(struct recognition *r);
/* Drops and cuts instances that break the constraints of their events; false: no memory. */
bool constraints_apply(struct recognition *r);

/* Values, with the rank and ordinal of each. */
struct value_list {
    struct grouped_value {
        double value;
        uint32_t rank, ordinal;
    } * values;
    size_t n, room;
    bool failed; /* ran out of memory */
};
bool value_list_add(struct value_list *l, double value, size_t rank, size_t ordinal);
/* Aggregates the values; NaN values do not count. NaN: there is no value, or no memory. */
double value_list_aggregate(struct value_list *l, enum aggregate aggregate);
/* Frees the list; R is marked as failed if memory ran out. */
void value_list_clear(struct value_list *l, struct recognition *r);

/* Numbers instances and lists them by event; drops relations and values. False: no memory. */
bool instances_order(struct recognition *r);
/* Returns the values of ATTRIBUTE, for all instances of its event; NULL: no memory. */
const double *attribute_values(struct recognition *r, size_t attribute);

/* Collects what REFERENCE names: within an instance, or NULL: of all. False: no memory. */
bool values_collect(struct recognition *r, const struct reference *reference,
                    const struct instance *within, struct value_list *l);

#endif
