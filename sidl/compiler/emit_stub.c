/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline stubs, which callers of an interface or a class call. */
#include "emit.h"

#include <string.h>

void emit_rarrays(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        struct portolan_text extents = {.arena = e->arena};

        if (a->type->kind != PORTOLAN_SIDL_RARRAY)
            continue;
        for (size_t k = 0; k < a->type->n_extents; k++) {
            portolan_text_add(&extents, ", (int32_t)");
            emit_extent(&extents, a->type->extents[k]);
        }
        emit_wrapped(e, t, 8, "    SIDL_RARRAY(%s, %s%s);", a->type->element->name, a->name,
                     extents.bytes);
    }
}

/* Adds the arguments for the function in the entry-point table, and ends the call. */
static void put_arguments(struct portolan_text *t, struct call *c,
                          const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY)
            emit_argument(c, "&%s__array", m->arguments[i].name);
        else if (!m->arguments[i].is_extent)
            emit_argument(c, "%s", m->arguments[i].name);
    emit_end_call(t, c);
}

static void put_signature(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s,
                          const struct portolan_sidl_method *m, const char *self)
{
    const char *name = portolan_arena_printf(e->arena, "%s_%s", s->c_name, m->slot_name);

    portolan_text_add(t, "\n");
    if (m->owner == s)
        emit_comment(t, emit_method_comment(e->arena, m), 0);
    emit_wrapped(e, t, 4, "static inline %s", c_function(e->arena, m, C_STUB, name, self));
    portolan_text_add(t, "{\n");
    emit_rarrays(e, t, m);
}

void emit_stub(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s,
               const struct portolan_sidl_method *m)
{
    struct call c =
        emit_begin_call(e, "    %sSIDL_SLOT(self, f_%s)",
                        m->result->kind == PORTOLAN_SIDL_VOID ? "" : "return ", m->slot_name);

    put_signature(e, t, s, m, portolan_arena_printf(e->arena, "%s self", s->c_name));
    portolan_text_add(t, "    *_ex = NULL;\n");
    emit_argument(&c, "self->d_object");
    put_arguments(t, &c, m);
    portolan_text_add(t, "}\n");
}

/* The run time gets the table, if need be by loading the class; without one, the result is zero. */
static void put_static_stub(struct emitter *e, struct portolan_text *t,
                            const struct portolan_sidl_symbol *s,
                            const struct portolan_sidl_method *m)
{
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    struct call c = emit_begin_call(e, "        %sSIDL_STATIC_SLOT(sepv__, f_%s)",
                                    is_void ? "" : "result__ = ", m->slot_name);

    put_signature(e, t, s, m, NULL);
    emit_named(t, s->c_name, "    const struct @__sepv *sepv__ = @__statics(_ex);\n");
    if (!is_void)
        portolan_text_add(t, "    %sresult__;\n\n    memset(&result__, 0, sizeof result__);\n",
                          c_result(e->arena, m, C_STUB));
    portolan_text_add(t, "%s    if (sepv__)\n", is_void ? "\n" : "");
    put_arguments(t, &c, m);
    portolan_text_add(t, "%s}\n", is_void ? "" : "    return result__;\n");
}

void emit_super(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m,
                const char *self)
{
    const char *name = portolan_arena_printf(e->arena, "super_%s", m->slot_name);
    struct call c =
        emit_begin_call(e, "    %ssuperEPV->f_%s",
                        m->result->kind == PORTOLAN_SIDL_VOID ? "" : "return ", m->slot_name);

    portolan_text_add(t, "\n");
    emit_wrapped(e, t, 4, "__attribute__((unused)) static %s",
                 c_function(e->arena, m, C_IMPL, name, self));
    portolan_text_add(t, "{\n");
    emit_rarrays(e, t, m);
    emit_argument(&c, "self");
    put_arguments(t, &c, m);
    portolan_text_add(t, "}\n");
}

/* Static methods of the classes that S extends, unless a nearer class has them. */
static void put_inherited_statics(struct portolan_text *t, const struct portolan_sidl_symbol *s,
                                  struct seen *nearer)
{
    const struct portolan_sidl_symbol *p = s;

    while (p->n_extends) {
        see(nearer, p);
        p = p->extends[0]->symbol;
        for (size_t i = 0; i < p->n_methods; i++) {
            bool is_hidden = !method_is_static(p->methods[i]);

            for (size_t k = 0; k < nearer->count && !is_hidden; k++)
                is_hidden = symbol_method(nearer->list[k], p->methods[i]->slot_name) != NULL;
            if (!is_hidden)
                portolan_text_add(t, "#define %s_%s %s_%s\n", s->c_name, p->methods[i]->slot_name,
                                  p->c_name, p->methods[i]->slot_name);
        }
    }
}

void emit_statics(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    struct seen nearer = {.arena = e->arena};

    if (symbol_has_statics(s)) {
        portolan_text_add(t, "\nstruct %s__sepv {\n", s->c_name);
        for (size_t i = 0; i < s->n_methods; i++)
            if (method_is_static(s->methods[i]))
                emit_slot(e, t, s->methods[i], NULL);
        emit_named(t, s->c_name,
                   "};\n\n/** The static methods' table; NULL with *_ex set when the class cannot "
                   "be found. */\n"
                   "SIDL_API const struct @__sepv *@__statics(sidl_BaseInterface *_ex);\n");
        for (size_t i = 0; i < s->n_methods; i++)
            if (method_is_static(s->methods[i]))
                put_static_stub(e, t, s, s->methods[i]);
    }
    put_inherited_statics(t, s, &nearer);
}
