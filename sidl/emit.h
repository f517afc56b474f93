/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the emitter's files. */
#ifndef SIDL_EMIT_H
#define SIDL_EMIT_H

#include "model.h"

struct output {
    const char *name;
    struct portolan_text text;
    bool belongs_to_package; /* not to one type: declared to build tools */
};

struct emitter {
    struct portolan_arena *arena;
    const struct portolan_sidl_model *model;
    struct output **outputs;
    size_t n_outputs;
};

/* In C; only what rarray extents may be. */
size_t c_expression(const struct portolan_sidl_expr *e, char *buffer, size_t size);

/* A new file, begun with what all files begin with. */
struct portolan_text *emit_open(struct emitter *e, const char *name, bool belongs_to_package,
                                const struct portolan_sidl_symbol *symbol);
/* COMMENT (may be NULL) as a C comment, INDENT blanks in. */
void emit_comment(struct portolan_text *t, const char *comment, int indent);
/* LINE broken at commas so that it fits the page, continued INDENT blanks in. */
void emit_wrapped(struct portolan_text *t, const char *line, int indent);
/* True for the types that sidl_object.h declares by hand. */
bool emit_is_handwritten(const struct portolan_sidl_symbol *symbol);

const char *emit_package_header(struct portolan_arena *a,
                                const struct portolan_sidl_symbol *package);

/* emit_header.c */
void emit_type_header(struct emitter *e, const struct portolan_sidl_symbol *type);
void emit_package_headers(struct emitter *e, const struct portolan_sidl_symbol *package);
/* emit_tables.c */
void emit_package_tables(struct emitter *e, const struct portolan_sidl_symbol *package);

#endif
