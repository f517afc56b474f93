/* SPDX-License-Identifier: BSD-3-Clause */
/* The representation of a formula: one array in postfix order, both the tree and the program. */
#ifndef PORTOLAN_FORMULA_INTERNAL_H
#define PORTOLAN_FORMULA_INTERNAL_H

#include <portolan/formula.h>
#include <portolan/models.h>

enum formula_op {
    OP_NUMBER,
    OP_NAME,
    OP_CONSTANT, /* NAME[k] */
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_LOG,
    OP_LOG2,
    OP_LOG10,
    OP_LOG_BASE,
    OP_EXP,
    OP_SQRT,
    OP_CBRT,
    OP_ABS,
    OP_FLOOR,
    OP_CEIL,
    OP_MIN,
    OP_MAX,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_SELECT, /* condition, then, else; all three are evaluated, which has no effects */
    N_FORMULA_OPS
};

/* Operands come before their operation; the tree below node i is nodes[start … i]. */
struct formula_node {
    unsigned char op;
    bool is_kept; /* MathML only: the tree below stays as its author wrote it */
    unsigned short n_args;
    unsigned start;
    unsigned line, column; /* from where the text started, from 0 */
    unsigned name;         /* of OP_NAME: into names; of OP_CONSTANT: into constants */
    union {
        double number;
        unsigned index; /* k of NAME[k] */
    };
};

struct formula_names {
    size_t n;
    char **list;
};

struct portolan_formula {
    struct portolan_arena memory; /* of names and nodes */
    struct formula_names names, constants;
    size_t n_nodes;
    struct formula_node *nodes;
};

/* ---- formula.c: making them ---- */

enum {
    FORMULA_STACK = 2 * PORTOLAN_FORMULA_MAX_DEPTH, /* operands waiting at once */
    FORMULA_HEIGHT = 200, /* a sum of n terms is a tree of height n; libxml2 reads 256 levels */
    FORMULA_ARGUMENTS = PORTOLAN_FORMULA_MAX_DEPTH
};

struct formula_builder {
    struct portolan_formula *f;
    unsigned short stack[PORTOLAN_FORMULA_MAX_NODES];  /* stack that the tree below a node needs */
    unsigned short height[PORTOLAN_FORMULA_MAX_NODES]; /* of that tree */
    unsigned line, column;                             /* of the next node */
    enum portolan_status status;                       /* ENOMEM, or EINVAL: too large, see WHY */
    const char *why;
};

enum portolan_status formula_begin(struct formula_builder *b);
void formula_push(struct formula_builder *b, enum formula_op op, size_t n_args);
void formula_push_number(struct formula_builder *b, double number);
void formula_push_name(struct formula_builder *b, const char *name, size_t length);
void formula_push_constant(struct formula_builder *b, const char *name, size_t length,
                           unsigned index);
/* Pushes the logarithm of the last operand but one to the base of the last. */
void formula_push_log(struct formula_builder *b);
/* Pushes a copy of the tree whose root is node ROOT of F. */
void formula_push_tree(struct formula_builder *b, const struct portolan_formula *f, size_t root);
/*
 * Pushes the tree at ROOT without its factor at node C; false if the tree is only C. If a node
 * between the two is not a product, quotient or sign, *BETWEEN becomes that node.
 */
bool formula_push_without(struct formula_builder *b, const struct portolan_formula *f, size_t root,
                          size_t c, size_t *between);
/* To be called before any node is pushed. */
void formula_add_names(struct formula_builder *b, size_t n, const char *const *names);
/* Sets *FORMULA if all went well; empties B in any case. */
enum portolan_status formula_end(struct formula_builder *b, struct portolan_formula **formula);

/* The roots of the arguments of node I, first one first; at most MOST of them. */
void formula_arguments(const struct portolan_formula *f, size_t i, size_t *roots, size_t most);
bool formula_equal(const struct portolan_formula *a, const struct portolan_formula *b);
/* The name of a function in the language; NULL for operators. */
const char *formula_op_name(enum formula_op op);
/* Does the language read NAME without backquotes? */
bool formula_name_is_plain(const char *name);

/* ---- formula_write.c and its kin ---- */

/* Writes the tree below ROOT of F in the language so that it can follow a *: a sum in parentheses,
 * a product without. */
void formula_write_factor(const struct portolan_formula *f, size_t root, struct portolan_text *out);
/* Writes F in C with NAMES in place of its names; TRUTH: as the condition of an if. */
void formula_write_c(const struct portolan_formula *f, const char *const *names, bool truth,
                     struct portolan_text *out);
void formula_write_mathml_name(struct portolan_text *out, const char *name);
void formula_write_mathml(const struct portolan_formula *f, size_t root, struct portolan_text *out);
/*
 * N different identifiers for N different names, in MEMORY. None of them is RESERVED, which may be
 * NULL. MEMBERS: a.b and p->n stay as they are. NULL = no memory.
 */
const char *const *formula_identifiers(struct portolan_arena *memory, size_t n,
                                       const char *const *names, bool members,
                                       bool (*reserved)(const char *));

/* ---- emit.c: models as formulas ---- */

struct piece;

enum portolan_status emit_begin(struct formula_builder *b, const struct portolan_model *m);
/*
 * Pushes CONSTANT times SHAPE; marks an expression as kept. EXPAND: whole powers become the
 * products that portolan_model_value() computes.
 */
void emit_push_term(struct formula_builder *b, const struct portolan_model *m,
                    const struct portolan_model_shape *shape, double constant, bool expand);
void emit_push_conditions(struct formula_builder *b, const struct portolan_model *m,
                          const struct piece *piece);

/* ---- complaints ---- */

struct formula_place {
    const char *file;
    int line, column;
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
};

/* Reports a problem LINE lines and COLUMN characters after the start; PORTOLAN_ESYNTAX. */
enum portolan_status formula_complain(const struct formula_place *place, unsigned line,
                                      unsigned column, const char *format, ...)
    PORTOLAN_PRINTF(4, 5);

#endif
