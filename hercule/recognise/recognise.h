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
    int64_t delay;                  /* waiting of others, which this token caused: delays.c */
    uint64_t components;            /* bits: what it may be */
    uint32_t first_event, n_events; /* computing: none, before the event FIRST_EVENT */
    uint32_t n_inside;              /* tokens that follow and lie within */
    uint8_t component;              /* what it was found to be */
    bool is_apart;   /* it broke the constraints of what it was matched with: constraints.c */
    bool is_foreign; /* in a stretch that fits no event, of which the rank has few */
};

/* The tokens of a location. */
struct token_row {
    struct token *tokens;
    size_t n, room;
    int rank;
};

/* One time that an event happened on a rank. Those within follow it. */
struct instance {
    size_t event;
    size_t row;        /* of tokens */
    size_t first, end; /* its tokens, with those inside regions */
    size_t n_inside;   /* instances that follow and lie within */
    size_t ordinal;    /* on its rank, among those of its event */
    size_t of_event;   /* among all of its event: position of its values */
    size_t parent;     /* HERCULE_NONE: none */
    int64_t begin_ns, end_ns;
};

/* How much of the time of the tokens that may be a component was fitted into events. */
struct fit {
    int64_t fitted_ns, all_ns;
    size_t n;
};

struct recognition {
    const struct paradigm *paradigm;
    const struct portolan_trace *trace;
    const struct portolan_waits *waits;
    struct token_row *rows; /* of locations */
    size_t n_rows;
    int64_t run_ns;
    struct instance *instances; /* by row, then time */
    size_t n_instances, room;
    size_t **of_event; /* instances of each event, by rank, then time */
    size_t *n_of_event;
    size_t **related; /* for each relation and instance of its event: an instance, or none;
                         NULL: not yet, or by ordinal */
    double **values;  /* for each attribute and instance of its event; NULL: not yet */
    struct portolan_arena of_instances; /* of_event to values: until instances change */
    struct portolan_arena arena;        /* of what follows */
    struct fit *fits;                   /* of components */
    int64_t *caused, *delegated;        /* of components of woven paradigms: delays.c; else NULL */
    struct fit whole;
    size_t n_apart; /* tokens */
    double globals[N_GLOBALS];
    bool failed; /* memory was out: what was looked up may be wrong */
};

/*
 * *RECOGNITION: the trace of WAITS seen as PARADIGM. BINDINGS (N may be 0) come from the user. The
 * caller frees it with recognition_destroy() before the others, which it borrows.
 * PORTOLAN_EUNSUPPORTED (too many components), PORTOLAN_ENOMEM.
 */
enum portolan_status recognise(const struct paradigm *paradigm, const struct portolan_waits *waits,
                               const struct binding *bindings, size_t n_bindings,
                               struct recognition **recognition, struct portolan_error *err);
/* NULL is legal. */
void recognition_destroy(struct recognition *r);

/* A hercule_lookup_fn whose ARG is a struct recognition. */
bool recognition_lookup(void *recognition, const struct paradigm *paradigm,
                        const struct reference *reference, struct measured *value);

/* What fits none of the paradigm's events, as a share of the run, and in lines of text, in ARENA:
 * misfit.c. */
double recognition_misfit(const struct recognition *r);
const char *recognition_misfits(const struct recognition *r, struct portolan_arena *arena);

/* Sets to 1 in EVENTS, a byte for each event of the trace, those that belong to COMPONENT. */
void recognition_mark(const struct recognition *r, size_t component, uint8_t *events);

/* ------------------------------------------------- between the files of this folder */

/* What calls and regions of a trace may be, in ARENA; NULL: no memory. */
struct bound;
struct bound *bind_components(const struct paradigm *paradigm, const struct portolan_trace *trace,
                              const struct binding *bindings, size_t n,
                              struct portolan_arena *arena);
/* In place of a region: the time from a mark on. */
#define BOUND_NO_REGION UINT32_MAX
/* The components that the last of the N_OPEN regions is, as bits, after MARK ("": none) and within
   component WITHIN; 0: it is not bound. */
uint64_t bound_region(const struct bound *b, const char *mark, const uint32_t *open, size_t n_open,
                      size_t within);
/* The components that computing may be, within component WITHIN (HERCULE_NONE: outside of all). */
uint64_t bound_computing(const struct bound *b, size_t within);
/* Whether components are parts of COMPONENT. */
bool bound_is_refined(const struct bound *b, size_t component);
/* The components that the call with the N EVENTS on RANK may be, after MARK and in the N_OPEN
   regions. */
uint64_t bound_call(const struct bound *b, const struct portolan_trace_event *events, size_t n,
                    int rank, const char *mark, const uint32_t *open, size_t n_open, size_t within);

bool tokens_make(struct recognition *r, const struct bound *b);
/* The last token of ROW that begins at NS or before; NULL: none. */
struct token *tokens_at(const struct token_row *row, int64_t ns);
/* Charges all waiting to tokens of the ranks that were waited for. False: no memory. */
bool delays_charge(struct recognition *r);
/* Sets CAUSED and DELEGATED where paradigms are woven. False: no memory. */
bool delays_delegate(struct recognition *r);
/* Neither start, finish, gap, nor waiting for the others at the end. */
bool token_is_ordinary(const struct recognition *r, const struct token *t);
double token_quantity(const struct recognition *r, const struct token_row *row,
                      const struct token *t, enum quantity quantity);
/* The innermost token of LOCATION's that holds the trace's event number EVENT; NULL: none. */
struct token *tokens_find(const struct recognition *r, size_t location, size_t event);

/* False, also of the next: no memory. */
bool instances_find(struct recognition *r);
/* Drops and cuts instances that do not keep the constraints of their events. */
bool constraints_apply(struct recognition *r);

/* Values, and which of them belong together. */
struct value_list {
    struct grouped_value {
        double value;
        size_t rank, ordinal;
    } * values;
    size_t n, room;
    bool failed; /* memory was out */
};
bool value_list_add(struct value_list *l, double value, size_t rank, size_t ordinal);
/* NaN values do not count. NaN: there is no value, or no memory. */
double value_list_aggregate(struct value_list *l, enum aggregate aggregate);
/* Tells R if memory was out. */
void value_list_clear(struct value_list *l, struct recognition *r);

/* Numbers instances and lists them by event; forgets relations and values. False: no memory. */
bool instances_order(struct recognition *r);
/* The values of ATTRIBUTE, of all instances of its event; NULL: no memory. */
const double *attribute_values(struct recognition *r, size_t attribute);

/* The values of what REFERENCE names: within an instance, or NULL: of all. False: no memory. */
bool values_collect(struct recognition *r, const struct reference *reference,
                    const struct instance *within, struct value_list *l);

#endif
