/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of Fortran: names, types, signatures, comments and long lines. */
#include "emit_fortran.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LINE_WIDTH = 116, NAME_LENGTH = 63 };

const char *f_name(struct portolan_arena *a, const char *format, ...)
{
    va_list args;
    const char *name;

    va_start(args, format);
    name = portolan_arena_vprintf(a, format, args);
    va_end(args);
    if (strlen(name) <= NAME_LENGTH)
        return name;
    return portolan_arena_printf(a, "%.*s_%08x", NAME_LENGTH - 9, name,
                                 (unsigned)portolan_hash(name, strlen(name), 0));
}

const char *f_word(struct portolan_arena *a, const char *name)
{
    static const char *const used[] = {
        "associated", "c_associated", "c_char",      "c_f_pointer", "c_f_procpointer", "c_int",
        "c_int8_t",   "c_loc",        "c_null_char", "c_null_ptr",  "c_ptr",           "ex",
        "int",        "merge",        "retval",      "self",        "transfer",        NULL};

    for (size_t i = 0; used[i]; i++)
        if (!strcasecmp(used[i], name))
            return portolan_arena_printf(a, "%s_", name);
    return f_name(a, "%s", name);
}

const struct f_kind f_kinds[PORTOLAN_SIDL_OBJECT + 1] = {
    [PORTOLAN_SIDL_VOID] = {'v', NULL, NULL, NULL, NULL},
    [PORTOLAN_SIDL_BOOL] = {'i', "bool", "logical", ".false.", "integer(c_int)"},
    [PORTOLAN_SIDL_CHAR] = {'c', "char", "character(kind=c_char,len=1)", "c_null_char", NULL},
    [PORTOLAN_SIDL_DCOMPLEX] = {'z', "dcomplex", "complex(sidl_dcomplex)", "0", NULL},
    [PORTOLAN_SIDL_DOUBLE] = {'d', "double", "real(sidl_double)", "0", NULL},
    [PORTOLAN_SIDL_FCOMPLEX] = {'y', "fcomplex", "complex(sidl_fcomplex)", "0", NULL},
    [PORTOLAN_SIDL_FLOAT] = {'f', "float", "real(sidl_float)", "0", NULL},
    [PORTOLAN_SIDL_INT] = {'i', "int", "integer(sidl_int)", "0", NULL},
    [PORTOLAN_SIDL_LONG] = {'l', "long", "integer(sidl_long)", "0", NULL},
    [PORTOLAN_SIDL_OPAQUE] = {'p', "opaque", "type(c_ptr)", "c_null_ptr", NULL},
    [PORTOLAN_SIDL_STRING] = {'p', "string", "type(sidl_string_t)", "''", "type(c_ptr)"},
    [PORTOLAN_SIDL_ARRAY] = {'p', NULL, NULL, NULL, "type(c_ptr)"},
    [PORTOLAN_SIDL_RARRAY] = {'p', NULL, NULL, NULL, NULL},
    [PORTOLAN_SIDL_ENUM] = {'i', "long", "integer(sidl_enum)", "0", NULL},
    [PORTOLAN_SIDL_STRUCT] = {'p', NULL, NULL, NULL, "type(c_ptr)"},
    [PORTOLAN_SIDL_OBJECT] = {'p', "object", "type(sidl_ref_t)", NULL, "type(c_ptr)"},
};

bool f_is_any(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_ARRAY && !type->element;
}

const char *f_element(const struct portolan_sidl_type *array)
{
    return f_kinds[array->element->kind].element;
}

const char *f_type(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    if (f_is_any(type))
        return "type(sidl_array_t)";
    if (type->kind == PORTOLAN_SIDL_ARRAY || type->kind == PORTOLAN_SIDL_RARRAY)
        switch (type->element->kind) {
        case PORTOLAN_SIDL_BOOL:
            return "logical(sidl_bool)";
        case PORTOLAN_SIDL_ENUM: /* elements of enum arrays are long */
            return "integer(sidl_long)";
        default:
            return f_kinds[type->element->kind].declaration;
        }
    if (type->kind == PORTOLAN_SIDL_STRUCT || type->kind == PORTOLAN_SIDL_OBJECT)
        return portolan_arena_printf(a, "type(%s)", f_name(a, "%s_t", type->symbol->c_name));
    return f_kinds[type->kind].declaration;
}

const char *f_array(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    return f_is_any(type)
               ? f_type(a, type)
               : portolan_arena_printf(a, "type(sidl_%s_%dd)", f_element(type), type->dimension);
}

const char *f_colons(struct portolan_arena *a, int dimension)
{
    return portolan_arena_printf(a, "%.*s", 2 * dimension - 1, ":,:,:,:,:,:,:");
}

static void put_extent(struct portolan_text *t, const struct portolan_sidl_expr *e)
{
    if (e->op == PORTOLAN_SIDL_OP_BINARY || e->op == PORTOLAN_SIDL_OP_UNARY) {
        portolan_text_add(t, "(");
        if (e->op == PORTOLAN_SIDL_OP_BINARY)
            put_extent(t, e->operands[0]);
        portolan_text_add(t, "%s", e->text);
        put_extent(t, e->operands[e->n_operands - 1]);
        portolan_text_add(t, ")");
    } else if (e->op == PORTOLAN_SIDL_OP_INTEGER) {
        portolan_text_add(t, "%lld", (long long)e->integer);
    } else {
        portolan_text_add(t, "%s", f_word(t->arena, e->text));
    }
}

const char *f_extents(struct portolan_arena *a, const struct portolan_sidl_type *rarray)
{
    struct portolan_text t = {.arena = a};

    for (size_t i = 0; i < rarray->n_extents; i++) {
        portolan_text_add(&t, "%s0:", i ? "," : "(");
        put_extent(&t, rarray->extents[i]);
        portolan_text_add(&t, "-1");
    }
    portolan_text_add(&t, ")");
    return t.bytes;
}

bool f_is_interoperable(const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_type *type = s->fields[i].type;

        if (type->kind == PORTOLAN_SIDL_BOOL || type->kind == PORTOLAN_SIDL_OBJECT ||
            (type->kind == PORTOLAN_SIDL_STRUCT && !f_is_interoperable(type->symbol)))
            return false;
    }
    return true;
}

const char *f_returned(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    return f_name(a, f_is_interoperable(s) ? "%s_t" : "%s_c", s->c_name);
}

/* The last blank of LINE before ROOM that is not in a text; 0: none. */
static size_t find_cut(const char *line, size_t room)
{
    bool is_in_text = false;
    size_t cut = 0;

    for (size_t i = 0; i < room; i++) {
        is_in_text ^= line[i] == '\'';
        if (!is_in_text && line[i] == ' ' && i && line[i - 1] != ' ')
            cut = i;
    }
    return cut;
}

void f_line(struct portolan_text *t, int indent, const char *format, ...)
{
    va_list args;
    const char *line;
    size_t room = LINE_WIDTH - (size_t)indent;

    va_start(args, format);
    line = portolan_arena_vprintf(t->arena, format, args);
    va_end(args);
    while (strlen(line) > room) {
        const size_t cut = find_cut(line, room);

        if (!cut)
            break;
        portolan_text_add(t, "%*s%.*s &\n", indent, "", (int)cut, line);
        line += cut + 1;
        if (room == LINE_WIDTH - (size_t)indent) {
            indent += 2;
            room -= 2;
        }
    }
    portolan_text_add(t, "%*s%s\n", indent, "", line);
}

void f_comment(struct portolan_text *t, const char *comment, int indent)
{
    while (comment && *comment) {
        const size_t length = strcspn(comment, "\n");

        portolan_text_add(t, "%*s!>%s", indent, "", length ? " " : "");
        emit_comment_text(t, comment, length);
        portolan_text_add(t, "\n");
        comment += length + (comment[length] == '\n');
    }
}

/* Signatures */

static void declare(struct portolan_text *t, const struct portolan_sidl_argument *a,
                    const char *name, int indent)
{
    static const char *const intents[] = {"in", "out", "inout"};
    const struct portolan_sidl_type *type = a->type;
    const char *intent = intents[a->mode];
    const bool is_in = a->mode == PORTOLAN_SIDL_IN;

    if (type->kind == PORTOLAN_SIDL_RARRAY)
        f_line(t, indent, "%s, intent(%s), target :: %s%s", f_type(t->arena, type), intent, name,
               f_extents(t->arena, type));
    else if (type->kind == PORTOLAN_SIDL_ARRAY && is_in && !f_is_any(type))
        f_line(t, indent, "%s, pointer, intent(in) :: %s(%s)", f_type(t->arena, type), name,
               f_colons(t->arena, type->dimension));
    else if (type->kind == PORTOLAN_SIDL_ARRAY)
        f_line(t, indent, "%s, intent(%s), target :: %s", f_array(t->arena, type), intent, name);
    else if (type->kind == PORTOLAN_SIDL_STRING)
        f_line(t, indent, "character(len=%s, intent(%s) :: %s", is_in ? "*)" : ":), allocatable",
               intent, name);
    else if (type->kind == PORTOLAN_SIDL_OBJECT && is_in)
        f_line(t, indent, "class(%s), intent(in) :: %s",
               f_name(t->arena, "%s_t", type->symbol->c_name), name);
    else
        f_line(t, indent, "%s, intent(%s)%s :: %s", f_type(t->arena, type), intent,
               is_in && type->kind != PORTOLAN_SIDL_STRUCT ? "" : ", target", name);
}

void f_declare_arguments(struct portolan_text *t, const struct portolan_sidl_method *m, int indent)
{
    const struct portolan_sidl_argument result = {
        .name = "retval", .mode = PORTOLAN_SIDL_OUT, .type = m->result};

    for (int raw = 0; raw < 2; raw++) /* extents must be declared before what they bound */
        for (size_t i = 0; i < m->n_arguments; i++)
            if ((m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY) == raw)
                declare(t, &m->arguments[i], f_word(t->arena, m->arguments[i].name), indent);
    if (m->result->kind != PORTOLAN_SIDL_VOID)
        declare(t, &result, result.name, indent);
}

void f_subroutine(struct portolan_text *t, const struct portolan_sidl_method *m, const char *name)
{
    struct portolan_text list = {.arena = t->arena};

    portolan_text_add(&list, "%s", method_is_static(m) ? "" : "self, ");
    for (size_t i = 0; i < m->n_arguments; i++)
        portolan_text_add(&list, "%s, ", f_word(t->arena, m->arguments[i].name));
    portolan_text_add(&list, "%sex", m->result->kind == PORTOLAN_SIDL_VOID ? "" : "retval, ");
    f_line(t, 2, "recursive subroutine %s(%s)", name, list.bytes);
}

/* Functions in C: their abstract interfaces are shared by all methods of the same signature */

/* The type that a letter of f_kinds[], or 'b', the byte of a char, means in calls of C. */
static const char *c_type_of(char letter)
{
    static const char *const types[] = {
        ['i'] = "integer(c_int)",
        ['c'] = "character(kind=c_char)", /* of results; gfortran 12 passes one by value wrongly */
        ['b'] = "integer(c_int8_t)",
        ['z'] = "complex(sidl_dcomplex)",
        ['d'] = "real(sidl_double)",
        ['y'] = "complex(sidl_fcomplex)",
        ['f'] = "real(sidl_float)",
        ['l'] = "integer(sidl_long)",
        ['p'] = "type(c_ptr)",
    };

    return types[(int)letter];
}

/* The letters of the arguments in the entry-point table. */
static const char *letters_of(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = a};

    portolan_text_add(&t, "%s", method_is_static(m) ? "" : "p");
    for (size_t i = 0; i < m->n_arguments; i++) {
        const char letter = f_kinds[m->arguments[i].type->kind].letter;

        if (m->arguments[i].is_extent)
            continue;
        portolan_text_add(&t, "%c",
                          m->arguments[i].mode != PORTOLAN_SIDL_IN ? 'p'
                          : letter == 'c'                          ? 'b'
                                                                   : letter);
    }
    return t.bytes ? t.bytes : "";
}

const char *f_slot(struct portolan_arena *a, const char *prefix,
                   const struct portolan_sidl_method *m)
{
    if (m->result->kind == PORTOLAN_SIDL_STRUCT)
        return f_name(a, "%s_%s_%s", prefix, letters_of(a, m), m->result->symbol->c_name);
    return f_name(a, "%s_%s_%c", prefix, letters_of(a, m), f_kinds[m->result->kind].letter);
}

void f_slot_interface(struct portolan_text *t, struct names *names, const char *prefix,
                      const struct portolan_sidl_method *m)
{
    const char *name = f_slot(t->arena, prefix, m), *letters = letters_of(t->arena, m);
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    const void **meaning = names_add(names, name, strlen(name));
    struct portolan_text list = {.arena = t->arena};

    if (*meaning)
        return;
    *meaning = m;
    for (size_t i = 0; letters[i]; i++)
        portolan_text_add(&list, "a%zu, ", i);
    f_line(t, 4, "%s %s(%sex) bind(C)%s", is_void ? "subroutine" : "function", name,
           list.bytes ? list.bytes : "", is_void ? "" : " result(r)");
    portolan_text_add(t, "      import\n");
    for (size_t i = 0; letters[i]; i++) {
        list.length = 0;
        portolan_text_add(&list, "a%zu", i);
        while (letters[i + 1] == letters[i])
            portolan_text_add(&list, ", a%zu", ++i);
        f_line(t, 6, "%s, value :: %s", c_type_of(letters[i]), list.bytes);
    }
    portolan_text_add(t, "      type(c_ptr), intent(inout) :: ex\n");
    if (m->result->kind == PORTOLAN_SIDL_STRUCT)
        f_line(t, 6, "type(%s) :: r", f_returned(t->arena, m->result->symbol));
    else if (!is_void)
        f_line(t, 6, "%s :: r", c_type_of(f_kinds[m->result->kind].letter));
    portolan_text_add(t, "    end %s\n", is_void ? "subroutine" : "function");
}

const char *f_what(struct portolan_arena *a, const struct portolan_sidl_method *m,
                   const char *argument)
{
    return portolan_arena_printf(a, "'%s.%s: %s'", m->owner->full_name, m->slot_name, argument);
}

/* Types of other modules */

static void see_used(struct seen *s, const struct portolan_sidl_type *type)
{
    if (type && type->element)
        type = type->element->kind == PORTOLAN_SIDL_OBJECT ? NULL : type->element;
    if (type && (type->kind == PORTOLAN_SIDL_OBJECT || type->kind == PORTOLAN_SIDL_STRUCT) &&
        !emit_is_handwritten(type->symbol))
        see(s, type->symbol);
}

static void see_all(struct seen *s, const struct portolan_sidl_symbol *symbol)
{
    for (size_t i = 0; i < symbol_n_parents(symbol); i++)
        see_used(s, symbol_parent(symbol, i));
    for (size_t i = 0; i < symbol->n_slots + symbol->n_statics; i++) {
        const struct portolan_sidl_method *m =
            i < symbol->n_slots ? symbol->slots[i] : symbol->statics[i - symbol->n_slots];

        see_used(s, m->result);
        for (size_t k = 0; k < m->n_arguments; k++)
            see_used(s, m->arguments[k].type);
    }
    for (size_t i = 0; i < symbol->n_fields; i++)
        see_used(s, symbol->fields[i].type);
}

struct seen f_used_types(struct emitter *e, const struct portolan_sidl_symbol *const *symbols,
                         size_t n)
{
    struct seen used = {.arena = e->arena};

    for (size_t i = 0; i < n; i++)
        see_all(&used, symbols[i]);
    return used;
}

void f_use_types(struct emitter *e, struct portolan_text *t,
                 const struct portolan_sidl_symbol *const *symbols, size_t n,
                 const struct portolan_sidl_symbol *own_package)
{
    const struct seen used = f_used_types(e, symbols, n);
    struct seen packages = {.arena = e->arena};

    see(&packages, own_package);
    for (size_t i = 0; i < used.count; i++) {
        const struct portolan_sidl_symbol *package = used.list[i]->package;
        struct portolan_text list = {.arena = e->arena};

        if (!see(&packages, package))
            continue;
        for (size_t k = i; k < used.count; k++) {
            if (used.list[k]->package != package)
                continue;
            portolan_text_add(&list, "%s%s", list.length ? ", " : "",
                              f_name(e->arena, "%s_t", used.list[k]->c_name));
            if (used.list[k]->kind == PORTOLAN_SIDL_STRUCTURE && !f_is_interoperable(used.list[k]))
                portolan_text_add(&list, ", %s", f_returned(e->arena, used.list[k]));
        }
        f_line(t, 2, "use %s, only: %s", package->c_name, list.bytes);
    }
}
