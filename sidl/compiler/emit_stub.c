/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline stubs: what callers of an interface or a class call. */
#include "emit.h"

#include <string.h>

static bool is_rarray(const struct portolan_sidl_argument *a)
{
    return a->type->kind == PORTOLAN_SIDL_RARRAY;
}

/* The sidl array on the stack around a raw array. */
static void emit_rarray(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_argument *a)
{
    struct portolan_text line = {.arena = e->arena};

    portolan_text_add(&line, "    SIDL_RARRAY(%s, %s", a->type->element->name, a->name);
    for (size_t i = 0; i < a->type->n_extents; i++) {
        const size_t length = c_expression(a->type->extents[i], "", NULL, 0) + 1;
        char *extent = portolan_arena_alloc(e->arena, length, 1);

        c_expression(a->type->extents[i], "", extent, length);
        portolan_text_add(&line, ", (int32_t)%s", extent);
    }
    portolan_text_add(&line, ");");
    emit_wrapped(t, line.bytes, 8);
}

static void emit_rarrays(struct emitter *e, struct portolan_text *t,
                         const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_rarray(&m->arguments[i]))
            emit_rarray(e, t, &m->arguments[i]);
}

/* HEAD, the arguments, _ex. */
static void emit_call(struct emitter *e, struct portolan_text *t, const char *head, bool has_self,
                      const struct portolan_sidl_method *m)
{
    struct portolan_text line = {.arena = e->arena};

    portolan_text_add(&line, "%s", head);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        if (a->is_extent)
            continue;
        portolan_text_add(&line, "%s%s%s%s", has_self ? ", " : "", is_rarray(a) ? "&" : "", a->name,
                          is_rarray(a) ? "__array" : "");
        has_self = true;
    }
    portolan_text_add(&line, "%s_ex);", has_self ? ", " : "");
    emit_wrapped(t, line.bytes, 8);
}

static void emit_signature(struct emitter *e, struct portolan_text *t,
                           const struct portolan_sidl_symbol *s,
                           const struct portolan_sidl_method *m, const char *self)
{
    const char *name = portolan_arena_printf(e->arena, "%s_%s", s->c_name, m->slot_name);

    portolan_text_add(t, "\n");
    if (m->owner == s)
        emit_comment(t, emit_method_comment(e->arena, m), 0);
    emit_wrapped(t,
                 portolan_arena_printf(e->arena, "static inline %s",
                                       c_function(e->arena, m, C_STUB, name, self)),
                 4);
    portolan_text_add(t, "{\n");
}

void emit_stub(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s,
               const struct portolan_sidl_method *m)
{
    emit_signature(e, t, s, m, portolan_arena_printf(e->arena, "%s self", s->c_name));
    emit_rarrays(e, t, m);
    portolan_text_add(t, "    *_ex = NULL;\n");
    emit_call(e, t,
              portolan_arena_printf(e->arena, "    %sSIDL_SLOT(self, f_%s)(self->d_object",
                                    m->result->kind == PORTOLAN_SIDL_VOID ? "" : "return ",
                                    m->slot_name),
              true, m);
    portolan_text_add(t, "}\n");
}

/* The table comes from wherever the class is; without one, the result is zero. */
static void emit_static_stub(struct emitter *e, struct portolan_text *t,
                             const struct portolan_sidl_symbol *s,
                             const struct portolan_sidl_method *m)
{
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;

    emit_signature(e, t, s, m, NULL);
    emit_rarrays(e, t, m);
    portolan_text_add(t, "    const struct %s__sepv *sepv__ = %s__statics(_ex);\n", s->c_name,
                      s->c_name);
    if (!is_void)
        portolan_text_add(t,
                          "    %sresult__;\n\n    memset(&result__, 0, sizeof result__);\n"
                          "    if (sepv__)\n",
                          c_result(e->arena, m, C_STUB));
    else
        portolan_text_add(t, "\n    if (sepv__)\n");
    emit_call(e, t,
              portolan_arena_printf(e->arena, "        %sSIDL_STATIC_SLOT(sepv__, f_%s)(",
                                    is_void ? "" : "result__ = ", m->slot_name),
              false, m);
    portolan_text_add(t, "%s}\n", is_void ? "" : "    return result__;\n");
}

void emit_super(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m,
                const char *self)
{
    const char *name = portolan_arena_printf(e->arena, "super_%s", m->slot_name);

    portolan_text_add(t, "\n");
    emit_wrapped(t,
                 portolan_arena_printf(e->arena, "__attribute__((unused)) static %s",
                                       c_function(e->arena, m, C_IMPL, name, self)),
                 4);
    portolan_text_add(t, "{\n");
    emit_rarrays(e, t, m);
    emit_call(e, t,
              portolan_arena_printf(e->arena, "    %ssuperEPV->f_%s(self",
                                    m->result->kind == PORTOLAN_SIDL_VOID ? "" : "return ",
                                    m->slot_name),
              true, m);
    portolan_text_add(t, "}\n");
}

static bool has_statics(const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (s->methods[i]->flags & PORTOLAN_SIDL_STATIC)
            return true;
    return false;
}

/* Static methods of the classes that S extends, unless a nearer class has them. */
static void emit_inherited_statics(struct portolan_text *t, const struct portolan_sidl_symbol *s,
                                   struct seen *nearer)
{
    const struct portolan_sidl_symbol *p = s;

    while (p->n_extends) {
        see(nearer, p);
        p = p->extends[0]->symbol;
        for (size_t i = 0; i < p->n_methods; i++) {
            bool is_hidden = !(p->methods[i]->flags & PORTOLAN_SIDL_STATIC);

            for (size_t k = 0; k < nearer->count && !is_hidden; k++)
                for (size_t j = 0; j < nearer->list[k]->n_methods; j++)
                    is_hidden |= strcmp(nearer->list[k]->methods[j]->slot_name,
                                        p->methods[i]->slot_name) == 0;
            if (!is_hidden)
                portolan_text_add(t, "#define %s_%s %s_%s\n", s->c_name, p->methods[i]->slot_name,
                                  p->c_name, p->methods[i]->slot_name);
        }
    }
}

void emit_statics(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    struct seen nearer = {.arena = e->arena};

    if (has_statics(s)) {
        portolan_text_add(t, "\nstruct %s__sepv {\n", s->c_name);
        for (size_t i = 0; i < s->n_methods; i++)
            if (s->methods[i]->flags & PORTOLAN_SIDL_STATIC) {
                const struct portolan_sidl_method *m = s->methods[i];
                const char *name = portolan_arena_printf(e->arena, "(*f_%s)", m->slot_name);

                emit_wrapped(t,
                             portolan_arena_printf(e->arena, "    %s;",
                                                   c_function(e->arena, m, C_SLOT, name, NULL)),
                             8);
            }
        portolan_text_add(t, "};\n\n/** The static methods' table; NULL with *_ex set when the "
                             "class cannot be found. */\n");
        portolan_text_add(t,
                          "SIDL_API const struct %s__sepv *%s__statics(sidl_BaseInterface *_ex);\n",
                          s->c_name, s->c_name);
        for (size_t i = 0; i < s->n_methods; i++)
            if (s->methods[i]->flags & PORTOLAN_SIDL_STATIC)
                emit_static_stub(e, t, s, s->methods[i]);
    }
    emit_inherited_statics(t, s, &nearer);
}
