/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers: one per type, and two per package. */
#include "emit.h"

#include <stdio.h>
#include <string.h>

enum { LINE_ROOM = 4096 };

static void begin_guard(struct portolan_text *t, const char *name)
{
    portolan_text_add(t, "#ifndef %s_h\n#define %s_h\n\n", name, name);
}

static void end_guard(struct portolan_text *t)
{
    portolan_text_add(t, "\n#endif\n");
}

static void begin_c(struct portolan_text *t)
{
    portolan_text_add(t, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
}

static void end_c(struct portolan_text *t)
{
    portolan_text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n");
}

/* A set of symbols, in the order in which they came. */
struct seen {
    struct portolan_arena *arena;
    const struct portolan_sidl_symbol **list;
    size_t count;
};

static bool see(struct seen *s, const struct portolan_sidl_symbol *symbol)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i] == symbol)
            return false;
    ARENA_PUSH(s->arena, s->list, s->count, symbol);
    return true;
}

static void see_type(struct seen *s, const struct portolan_sidl_type *type)
{
    if (type->element)
        see_type(s, type->element);
    if (type->symbol && !emit_is_handwritten(type->symbol))
        see(s, type->symbol);
}

/* The types in the signatures of SYMBOL, and its parents. */
static struct seen types_used(struct emitter *e, const struct portolan_sidl_symbol *symbol)
{
    struct seen s = {.arena = e->arena};

    for (size_t i = 0; i < symbol_n_parents(symbol); i++)
        see_type(&s, symbol_parent(symbol, i));
    for (size_t i = 0; i < symbol->n_slots; i++) {
        const struct portolan_sidl_method *m = symbol->slots[i];

        see_type(&s, m->result);
        for (size_t k = 0; k < m->n_arguments; k++)
            see_type(&s, m->arguments[k].type);
        for (size_t k = 0; k < m->n_throws; k++)
            see_type(&s, m->throws[k]);
    }
    return s;
}

static void emit_epv(struct portolan_text *t, const struct portolan_sidl_symbol *symbol)
{
    char line[LINE_ROOM], name[512];

    portolan_text_add(t, "\nstruct %s__epv {\n", symbol->c_name);
    for (size_t i = 0; i < symbol->n_slots; i++) {
        size_t used = 4;

        memset(line, ' ', 4);
        snprintf(name, sizeof name, "(*f_%s)", symbol->slots[i]->slot_name);
        used += portolan_sidl_c_slot(symbol->slots[i], name, line + 4, sizeof line - 8);
        memcpy(line + used, ";", 2);
        emit_wrapped(t, line, 8);
    }
    if (symbol->n_slots == 0)
        portolan_text_add(t, "    sidl_slot_fn f__none; /* no methods; C wants a member */\n");
    portolan_text_add(t, "};\n");
}

static void emit_stub_call(struct portolan_text *t, const struct portolan_sidl_method *m)
{
    char line[LINE_ROOM];
    size_t used;

    used = (size_t)snprintf(line, sizeof line, "    %sself->d_epv->f_%s(self->d_object",
                            m->result->kind == PORTOLAN_SIDL_VOID ? "" : "return ", m->slot_name);
    for (size_t i = 0; i < m->n_arguments && used < sizeof line; i++)
        if (!m->arguments[i].is_extent)
            used += (size_t)snprintf(
                line + used, sizeof line - used, ", %s%s%s",
                m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY ? "&" : "", m->arguments[i].name,
                m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY ? "__array" : "");
    if (used < sizeof line)
        snprintf(line + used, sizeof line - used, ", _ex);");
    emit_wrapped(t, line, 8);
}

/* In a stub: the sidl array on the stack around a raw array. */
static void emit_rarray(struct portolan_text *t, const struct portolan_sidl_argument *a)
{
    char line[LINE_ROOM], extent[1024];
    size_t used;

    used = (size_t)snprintf(line, sizeof line, "    SIDL_RARRAY(%s, %s", a->type->element->name,
                            a->name);
    for (size_t i = 0; i < a->type->n_extents && used < sizeof line; i++) {
        c_expression(a->type->extents[i], extent, sizeof extent);
        used += (size_t)snprintf(line + used, sizeof line - used, ", (int32_t)%s", extent);
    }
    if (used < sizeof line)
        snprintf(line + used, sizeof line - used, ");");
    emit_wrapped(t, line, 8);
}

static void emit_stub(struct portolan_text *t, const struct portolan_sidl_symbol *symbol,
                      const struct portolan_sidl_method *m)
{
    char line[LINE_ROOM], part[1024];
    size_t used;

    portolan_text_add(t, "\n");
    if (m->owner == symbol)
        emit_comment(t, m->comment, 0);
    portolan_sidl_c_result(m, part, sizeof part);
    used = (size_t)snprintf(line, sizeof line, "static inline %s%s%s_%s(%s self", part,
                            part[strlen(part) - 1] == '*' ? "" : " ", symbol->c_name, m->slot_name,
                            symbol->c_name);
    for (size_t i = 0; i < m->n_arguments && used < sizeof line; i++) {
        portolan_sidl_c_parameter(&m->arguments[i], false, part, sizeof part);
        used += (size_t)snprintf(line + used, sizeof line - used, ", %s", part);
    }
    if (used < sizeof line)
        snprintf(line + used, sizeof line - used, ", sidl_BaseInterface *_ex)");
    emit_wrapped(t, line, 4);
    portolan_text_add(t, "{\n");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY)
            emit_rarray(t, &m->arguments[i]);
    portolan_text_add(t, "    *_ex = NULL;\n");
    emit_stub_call(t, m);
    portolan_text_add(t, "}\n");
}

static void emit_object(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *s)
{
    struct seen used = types_used(e, s);
    struct seen packages = {.arena = e->arena};

    portolan_text_add(t, "#include \"sidl.h\"\n#include \"%s__types.h\"\n", s->package->c_name);
    see(&packages, s->package);
    for (size_t i = 0; i < used.count; i++)
        if (see(&packages, used.list[i]->package))
            portolan_text_add(t, "#include \"%s__types.h\"\n", used.list[i]->package->c_name);
    begin_c(t);
    emit_epv(t, s);
    portolan_text_add(
        t, "\nstruct %s__object {\n    const struct %s__epv *d_epv;\n    void *d_object;\n};\n",
        s->c_name, s->c_name);
    portolan_text_add(t, "\nSIDL_REFERENCE_API(%s, \"%s\")\nSIDL_OBJECT_ARRAY_API(%s)\n", s->c_name,
                      s->full_name, s->c_name);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        portolan_text_add(
            t,
            "\n/** A new one, the caller's; NULL with *_ex set when memory is out. */\n"
            "SIDL_API %s %s__create(sidl_BaseInterface *_ex);\n",
            s->c_name, s->c_name);
    for (size_t i = 0; i < s->n_slots; i++)
        emit_stub(t, s, s->slots[i]);
    end_c(t);
    if (used.count)
        portolan_text_add(t, "\n/* the types met above */\n");
    for (size_t i = 0; i < used.count; i++)
        if (used.list[i] != s)
            portolan_text_add(t, "#include \"%s.h\"\n", used.list[i]->c_name);
}

void emit_type_header(struct emitter *e, const struct portolan_sidl_symbol *type)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.h", type->c_name), false, type);

    emit_comment(t, type->comment, 0);
    begin_guard(t, type->c_name);
    if (type->kind == PORTOLAN_SIDL_ENUMERATION)
        portolan_text_add(t, "#include \"%s__types.h\"\n", type->package->c_name);
    else
        emit_object(e, t, type);
    end_guard(t);
}

static void emit_enum(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "\n");
    emit_comment(t, s->comment, 0);
    portolan_text_add(t, "enum %s__enum {\n", s->c_name);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        emit_comment(t, s->enumerators[i].comment, 4);
        portolan_text_add(t, "    %s_%s = %lld,\n", s->c_name, s->enumerators[i].name,
                          (long long)s->enumerators[i].value);
    }
    portolan_text_add(t, "};\nSIDL_API extern const struct sidl_type %s__type;\n", s->c_name);
}

static void emit_types_header(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    const char *name = portolan_arena_printf(e->arena, "%s__types", package->c_name);
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.h", name), true, package);

    begin_guard(t, name);
    portolan_text_add(t, "#include \"sidl.h\"\n");
    begin_c(t);
    portolan_text_add(t, "\n");
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (symbol_is_object(s) && !emit_is_handwritten(s))
            portolan_text_add(t,
                              "typedef struct %s__object *%s;\nstruct %s__array;\n"
                              "SIDL_API extern const struct sidl_type %s__type;\n",
                              s->c_name, s->c_name, s->c_name, s->c_name);
    }
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_ENUMERATION)
            emit_enum(t, package->children[i]);
    end_c(t);
    end_guard(t);
}

static bool holds_types(const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            return true;
    return false;
}

/* A package's nested packages that have headers; those without types pass theirs on. */
static void include_nested(struct portolan_text *t, const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *child = package->children[i];

        if (child->kind != PORTOLAN_SIDL_PACKAGE)
            continue;
        if (holds_types(child))
            portolan_text_add(t, "#include \"%s.h\"\n", child->c_name);
        else
            include_nested(t, child);
    }
}

void emit_package_headers(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t;

    emit_types_header(e, package);
    t = emit_open(e, emit_package_header(e->arena, package), true, package);
    emit_comment(t, package->comment, 0);
    begin_guard(t, package->c_name);
    portolan_text_add(t, "#include \"%s__types.h\"\n", package->c_name);
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            portolan_text_add(t, "#include \"%s.h\"\n", package->children[i]->c_name);
    include_nested(t, package);
    end_guard(t);
}
