/* SPDX-License-Identifier: BSD-3-Clause */
/* A_B_C_Impl.h and A_B_C_Impl.c: what the author of a class fills in, between splicer comments. */
#include "splicer.h"

#include <string.h>

struct impl {
    struct splicer splicer;
    struct emitter *e;
    struct portolan_text *t;
    const struct portolan_sidl_symbol *s;
    struct bodies bodies;
    bool overrides_any;
};

static struct impl open_impl(struct emitter *e, const struct portolan_sidl_symbol *s,
                             const char *ending)
{
    struct impl f = {.e = e, .s = s, .bodies = class_bodies(e->arena, s)};

    for (size_t i = 0; i < f.bodies.count; i++)
        f.overrides_any |= class_overrides(s, f.bodies.list[i]);
    f.splicer = splicer_open(e, portolan_arena_printf(e->arena, "%s_Impl.%s", s->c_name, ending));
    f.t = &f.splicer.o->text;
    portolan_text_add(f.t,
                      "/* " EMIT_BANNER " from %s %s; only what stands between splicer comments is "
                      "kept. */\n",
                      s->full_name, s->version);
    return f;
}

/* A block whose name begins with that of the class. */
static void put(struct impl *f, const char *name, int indent, const char *preset)
{
    splicer_put(&f->splicer, portolan_arena_printf(f->e->arena, "%s.%s", f->s->full_name, name),
                indent, preset);
}

static const char *impl_name(struct impl *f, const char *method)
{
    return portolan_arena_printf(f->e->arena, "impl_%s_%s", f->s->c_name, method);
}

static const char *self_of(struct impl *f, const struct portolan_sidl_method *m)
{
    return m->flags & PORTOLAN_SIDL_STATIC
               ? NULL
               : portolan_arena_printf(f->e->arena, "%s self", f->s->c_name);
}

/* Babel's Impl headers include this one for the table of the parent class, authors for any reason.
 */
static void emit_ior_header(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s_IOR.h", s->c_name), false, s);

    portolan_text_add(t, "#include \"%s.h\"\n", s->c_name);
}

static void declare_hook(struct impl *f, const struct portolan_sidl_method *m, enum hook_time time)
{
    if (f->e->options->hooks)
        emit_wrapped(f->t,
                     portolan_arena_printf(f->e->arena, "%s;", hook_signature(f->e, f->s, m, time)),
                     4);
}

static void declare_builtins(struct impl *f)
{
    const char *name = f->s->c_name;

    portolan_text_add(f->t,
                      "\nstruct %s__data *%s__get_data(%s self);\n"
                      "void %s__set_data(%s self, struct %s__data *data);\n",
                      name, name, name, name, name, name);
    if (f->overrides_any)
        portolan_text_add(f->t, "void %s__superEPV(struct %s__epv *parentEPV);\n", name,
                          class_parent(f->s)->c_name);
    portolan_text_add(f->t,
                      "\nvoid impl_%s__load(sidl_BaseInterface *_ex);\n"
                      "void impl_%s__ctor(%s self, sidl_BaseInterface *_ex);\n"
                      "void impl_%s__ctor2(%s self, void *private_data, sidl_BaseInterface *_ex);\n"
                      "void impl_%s__dtor(%s self, sidl_BaseInterface *_ex);\n",
                      name, name, name, name, name, name, name);
}

static void emit_impl_header(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = open_impl(e, s, "h");
    const char *guard = portolan_arena_printf(e->arena, "%s_Impl", s->c_name);
    const char *name = s->c_name;

    emit_begin_guard(f.t, guard);
    portolan_text_add(f.t, "#include \"sidl.h\"\n#include \"%s.h\"\n\n", name);
    splicer_rename(&f.splicer, portolan_arena_printf(e->arena, "%s._includes", s->full_name),
                   portolan_arena_printf(e->arena, "%s._hincludes", s->full_name)); /* Babel 1 */
    put(&f, "_hincludes", 0, "");
    portolan_text_add(f.t,
                      "\n/** The private data of an object of class %s. */\nstruct %s__data {\n",
                      s->full_name, name);
    put(&f, "_data", 4, "    int ignore; /* C wants a member: replace it by yours */\n");
    portolan_text_add(f.t, "};\n");
    emit_begin_c(f.t);
    declare_builtins(&f);
    for (size_t i = 0; i < f.bodies.count; i++) {
        const struct portolan_sidl_method *m = f.bodies.list[i];

        declare_hook(&f, m, HOOK_BEFORE);
        emit_wrapped(f.t,
                     portolan_arena_printf(e->arena, "%s;",
                                           c_function(e->arena, m, C_IMPL,
                                                      impl_name(&f, m->slot_name), self_of(&f, m))),
                     4);
        declare_hook(&f, m, HOOK_AFTER);
    }
    portolan_text_add(f.t, "\n");
    splicer_put(&f.splicer, "_hmisc", 0, "");
    emit_end_c(f.t);
    emit_end_guard(f.t);
    splicer_put_rest(&f.splicer);
    emit_ior_header(e, s);
}

/* What the parent class does, for methods that override it. */
static void emit_supers(struct impl *f)
{
    const struct portolan_sidl_symbol *s = f->s;

    if (!f->overrides_any)
        return;
    portolan_text_add(f->t,
                      "\nstatic const struct %s__epv *superEPV = NULL;\n\n"
                      "void %s__superEPV(struct %s__epv *parentEPV)\n{\n"
                      "    superEPV = parentEPV;\n}\n",
                      class_parent(s)->c_name, s->c_name, class_parent(s)->c_name);
    for (size_t i = 0; i < f->bodies.count; i++)
        if (class_overrides(s, f->bodies.list[i]))
            emit_super(f->e, f->t, f->bodies.list[i], self_of(f, f->bodies.list[i]));
}

/* COMMENT, then a function with one block in it. */
static void emit_function(struct impl *f, const char *comment, const char *signature,
                          const char *block, const char *preset)
{
    portolan_text_add(f->t, "\n");
    emit_comment(f->t, comment, 0);
    emit_wrapped(f->t, signature, 4);
    portolan_text_add(f->t, "{\n    *_ex = NULL;\n    {\n");
    put(f, block, 8, preset);
    portolan_text_add(f->t, "    }\n}\n");
}

static void emit_builtins(struct impl *f)
{
    struct portolan_arena *a = f->e->arena;
    const char *name = f->s->c_name;

    emit_function(f, "Once, before anything else of this class.",
                  portolan_arena_printf(a, "void impl_%s__load(sidl_BaseInterface *_ex)", name),
                  "_load", "");
    emit_function(f, "The parent class's constructor has run.",
                  portolan_arena_printf(a, "void impl_%s__ctor(%s self, sidl_BaseInterface *_ex)",
                                        name, name),
                  "_ctor", "        (void)self;\n");
    emit_function(f, "Instead of the other constructor, around data that the caller has.",
                  portolan_arena_printf(a,
                                        "void impl_%s__ctor2(%s self, void *private_data, "
                                        "sidl_BaseInterface *_ex)",
                                        name, name),
                  "_ctor2", "        (void)self, (void)private_data;\n");
    emit_function(f, "The parent class's destructor follows.",
                  portolan_arena_printf(a, "void impl_%s__dtor(%s self, sidl_BaseInterface *_ex)",
                                        name, name),
                  "_dtor", "        (void)self;\n");
}

static const char *zero_of(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_DCOMPLEX:
    case PORTOLAN_SIDL_FCOMPLEX:
        return " = {0, 0}";
    case PORTOLAN_SIDL_STRUCT:
        return "";
    case PORTOLAN_SIDL_OPAQUE:
    case PORTOLAN_SIDL_STRING:
    case PORTOLAN_SIDL_ARRAY:
    case PORTOLAN_SIDL_OBJECT:
        return " = NULL";
    default:
        return " = 0";
    }
}

/* The body that a method has until its author gives it one. */
static const char *preset_body(struct impl *f, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = f->e->arena}, unused = {.arena = f->e->arena};
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    const char *comma = "";

    portolan_text_add(&t, "        /* DO-DELETE-WHEN-IMPLEMENTING */\n");
    if (!is_void)
        portolan_text_add(&t, "        %sresult%s;\n\n", c_result(f->e->arena, m, C_IMPL),
                          zero_of(m->result));
    if (!(m->flags & PORTOLAN_SIDL_STATIC)) {
        portolan_text_add(&unused, "        (void)self");
        comma = ", ";
    }
    for (size_t i = 0; i < m->n_arguments; i++, comma = ", ")
        portolan_text_add(&unused, "%s(void)%s", *comma ? comma : "        ", m->arguments[i].name);
    if (unused.length) {
        portolan_text_add(&unused, ";");
        emit_wrapped(&t, unused.bytes, 8);
    }
    if (m->result->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(&t, "        %s__init(&result);\n", m->result->symbol->c_name);
    portolan_text_add(&t,
                      "        SIDL_THROW(*_ex, sidl_NotImplementedException,\n"
                      "            \"%s.%s is not implemented\");\n    EXIT:%s\n",
                      f->s->full_name, m->slot_name, is_void ? ";" : "\n        return result;");
    return t.bytes;
}

static void emit_hook(struct impl *f, const struct portolan_sidl_method *m, enum hook_time time)
{
    if (f->e->options->hooks)
        emit_function(f,
                      portolan_arena_printf(f->e->arena, "Called %s %s while hooks are on.",
                                            time == HOOK_BEFORE ? "before" : "after", m->slot_name),
                      hook_signature(f->e, f->s, m, time), hook_name(f->e, m, time),
                      hook_preset(f->e, m, time));
}

static void emit_impl_source(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = open_impl(e, s, "c");

    emit_comment(f.t, s->comment, 0);
    portolan_text_add(f.t,
                      "#include \"%s_Impl.h\"\n#include \"sidl_Exception.h\"\n"
                      "#include \"sidl_MemAllocException.h\"\n"
                      "#include \"sidl_NotImplementedException.h\"\n\n",
                      s->c_name);
    put(&f, "_includes", 0, "");
    emit_supers(&f);
    emit_builtins(&f);
    for (size_t i = 0; i < f.bodies.count; i++) {
        const struct portolan_sidl_method *m = f.bodies.list[i];

        emit_hook(&f, m, HOOK_BEFORE);
        emit_function(&f, emit_method_comment(e->arena, m),
                      c_function(e->arena, m, C_IMPL, impl_name(&f, m->slot_name), self_of(&f, m)),
                      m->slot_name, preset_body(&f, m));
        emit_hook(&f, m, HOOK_AFTER);
    }
    portolan_text_add(f.t, "\n");
    splicer_put(&f.splicer, "_misc", 0, "");
    splicer_put_rest(&f.splicer);
}

void emit_impl(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    emit_impl_header(e, s);
    emit_impl_source(e, s);
}
