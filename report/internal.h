/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to report/: shared by the parts of a report. A part is a writer of data here and a
 * renderer in page/NAME.js; README.md says how to add one.
 */
#ifndef PORTOLAN_REPORT_INTERNAL_H
#define PORTOLAN_REPORT_INTERNAL_H

#include <portolan/follow.h>
#include <portolan/json.h>
#include <portolan/report.h>

#include <jansson.h>

/* The runs of an assembly with its present parameters. */
struct report_runs {
    const struct portolan_trial *run;   /* the newest; of a virtual machine the fastest; or NULL */
    struct portolan_decision *decision; /* of the run, or an earlier one; or NULL */
    /* Finished, fully measured; first those that are like the run, then by time. */
    const struct portolan_trial **fixed;
    size_t n_fixed, n_like;
    size_t n_explored, n_elsewhere; /* trials that explored; others, unlike the run */
    size_t explored_partial;        /* steps */
    double explored_ns;
};

/* runs.c. The caller clears R also after an error. */
enum portolan_status report_runs_read(const struct portolan_report_source *from,
                                      struct report_runs *r, struct portolan_error *err);
void report_runs_clear(struct report_runs *r);
/* "assembler=heat.Band solver=heat.Cholmod": what ran, of the instances with alternatives. */
void report_add_choice(const struct portolan_assembly *a, const struct portolan_trial *t,
                       struct portolan_text *out);
/* A time that the run's Optimizer noted, in ns; 0: none. */
double report_fact_ns(const struct portolan_trial *t, const char *name);

/* answer.c: adds "3 % above the prediction". */
void report_add_off(double measured_ns, double predicted_ns, struct portolan_text *out);

/* Adds in what T differs from the run; false: its time is no measure of the run's. */
bool report_add_unlike(const struct report_runs *r, const struct portolan_trial *t,
                       struct portolan_text *out);

struct report {
    const struct portolan_report_source *from;
    struct report_runs runs;
    const struct portolan_trial *shown; /* NULL: there is no trial */
    struct portolan_profile *profile;   /* of SHOWN; or NULL */
    struct portolan_reason_set *reasons;
};

/* answer.c: the answer of the plan for the assembly as it is; NULL: WHY there is none. */
const struct portolan_plan_answer *report_choose(const struct report *r,
                                                 struct portolan_error *why);

/* How a column of a table is shown. */
enum report_unit {
    REPORT_TEXT,
    REPORT_NUMBER,
    REPORT_TIME, /* ns */
    REPORT_SHARE,
    REPORT_BYTES,
    REPORT_TREE, /* text, indented by the row's "depth" */
};

struct report_column {
    const char *member, *label; /* of a row, or what it is in; "mark.text": of an object in it */
    enum report_unit unit;
};

/* An array of objects as a table; a row's "link", if it has one, is its anchor. */
struct report_table {
    const char *member; /* "a.b": in objects and arrays of objects; NULL after the last table */
    const char *caption;
    struct report_column columns[14]; /* up to one without a member */
};

/*
 * A part. WRITE adds its members to an object. DRAW (or NULL) adds static pictures, made from what
 * WRITE wrote, to HTML.
 */
struct report_part {
    const char *name, *title, *about;
    enum portolan_status (*write)(struct report *r, struct portolan_json *j,
                                  struct portolan_error *err);
    void (*draw)(const json_t *part, struct portolan_text *out);
    const struct report_table *tables;
    const char *drawn; /* members of tables that repeat a picture, in blanks: these are folded */
};

/* In the order of the page; ends with NULL. */
extern const struct report_part *const report_parts[];

/* tables.c: PART's sentences, and its tables with what they leave out, in HTML. */
void report_add_sentences(const json_t *data, struct portolan_text *out);
void report_add_tables(const struct report_part *part, const json_t *data,
                       struct portolan_text *out);
/* A value as people read it. */
void report_add_value(const json_t *value, enum report_unit unit, struct portolan_text *out);
/* The text, or "", of a member. */
const char *report_text(const json_t *object, const char *member);
/* The number of a member; NaN if it is none. */
double report_number(const json_t *object, const char *member);
/* Adds TEXT to XML, at most so many CHARACTERS, with an ellipsis if it was cut. */
void report_add_cut(struct portolan_text *out, const char *text, size_t characters);

/* Words of a link: PART/WORD/WORD, without characters that an anchor may not have. */
void report_write_link(struct portolan_json *j, const char *part, const char *const *words,
                       size_t n);

/* model.c: an array of numbers. */
void report_write_values(struct portolan_json *j, const char *key, const double *values, size_t n);
/* choices.c: members of the part "model" on what would be chosen elsewhere. */
enum portolan_status report_write_choices(const struct report *r, struct portolan_json *j,
                                          struct portolan_error *err);

/* Fewer steps are no picture: a wrapped program has the whole run as one. */
enum { REPORT_LEAST_STEPS = 3 };

/* A step of a trial, or a group of short ones that were stored together. */
struct report_step {
    int step, n;   /* the first; how many */
    double ns;     /* mean time of rank 0's calls in a step */
    uint64_t runs; /* steps.c: bit i: class i ran */
};

/* steps.c: the steps of trial T in their order; the caller frees them. */
enum portolan_status report_read_steps(struct portolan_store *store, const struct portolan_trial *t,
                                       struct report_step **steps, size_t *n, bool *grouped,
                                       struct portolan_error *err);

/* time.c: what shares of times are of, in ns, summed over ranks. */
double report_total(const struct portolan_profile *p);

/* functions.c: member "functions" of the part "time"; TOTAL is what shares are of, in ns. */
enum portolan_status report_write_functions(const struct portolan_profile *p, double total,
                                            struct portolan_json *j, struct portolan_error *err);

/* time_pictures.c */
void report_draw_time(const json_t *part, struct portolan_text *out);

/* wiring_layout.c: Graphviz places boxes (sizes in points) and arrows between them. */
struct report_box {
    double width, height, x, y; /* X, Y: of the centre */
};
struct report_arrow {
    size_t from, to;
    size_t n;
    double (*at)[2]; /* 3 k + 1 points of a spline */
};
struct report_layout {
    size_t n_boxes, n_arrows;
    struct report_box *boxes;
    struct report_arrow *arrows;
    double width, height;
    struct portolan_arena *pool;
};
/* ENOTFOUND: Graphviz is not installed. */
enum portolan_status report_lay_out(struct report_layout *l, struct portolan_error *err);

#endif
