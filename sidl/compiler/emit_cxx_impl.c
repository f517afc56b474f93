/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A_B_C_Impl.hxx and A_B_C_Impl.cxx, in which the author of a class fills in the splicer blocks as
 * in Babel's UC++ binding, and A_B_C_Skel.hxx: functions under the names that the Skel file calls,
 * which convert arguments. Impl.cxx includes it at its end, so that compilers can inline methods.
 */
#include "emit_cxx.h"

#include <string.h>

/* "heat::Cholmod_impl" */
static const char *name_of(struct impl *f)
{
    return portolan_arena_printf(f->e->arena, "%s::%s_impl",
                                 cxx_qualified(f->e->arena, f->s->package) + 2, f->s->name);
}

/* Calls FN for the methods of the class and their hooks. */
static void each_method(struct impl *f,
                        void (*fn)(struct impl *f, const struct portolan_sidl_method *m,
                                   const char *comment, bool is_hook))
{
    static const char *const comments[] = {"Called before %s while hooks are on.",
                                           "Called after %s while hooks are on."};

    for (size_t i = 0; i < f->bodies.count; i++) {
        const struct portolan_sidl_method *m = f->bodies.list[i];

        fn(f, m, emit_method_comment(f->e->arena, m), false);
        for (int time = HOOK_BEFORE; f->e->options->hooks && time <= HOOK_AFTER; time++) {
            const struct portolan_sidl_method hook = emit_hook(f->e, m, (enum hook_time)time);

            fn(f, &hook, portolan_arena_printf(f->e->arena, comments[time], m->slot_name), true);
        }
    }
}

static const char *method_name(struct impl *f, const struct portolan_sidl_method *m)
{
    return portolan_arena_printf(f->e->arena, "%s_impl", cxx_method(f->e->arena, f->s, m));
}

/* The class */

static void declare_method(struct impl *f, const struct portolan_sidl_method *m,
                           const char *comment, bool is_hook)
{
    (void)is_hook;
    emit_comment(f->t, comment, 4);
    emit_wrapped(f->e, f->t, 8, "    %s%s;", method_is_static(m) ? "static " : "",
                 cxx_head(f->e->arena, m, method_name(f, m)));
}

static void put_class(struct impl *f)
{
    struct portolan_text *t = f->t;

    portolan_text_add(t, "\nnamespace %s\n{\n\n", cxx_qualified(f->e->arena, f->s->package) + 2);
    emit_comment(t, f->s->comment, 0);
    portolan_text_add(t, "class %s_impl : public ::sidl::borrowed<%s>\n", f->s->name,
                      cxx_qualified(f->e->arena, f->s));
    impl_block(f, "_inherits", 4, "");
    portolan_text_add(t, "{\n  protected:\n");
    impl_block(f, "_implementation", 4, "");
    portolan_text_add(t, "  public:\n");
    if (f->bodies.overrides_any)
        portolan_text_add(t,
                          "    /** Calls the methods of the class above. */\n"
                          "    ::sidl::parent_of<%s_impl, %s> super{_get_ior()};\n",
                          f->s->name, cxx_qualified(f->e->arena, class_parent(f->s)));
    portolan_text_add(t, "    using borrowed::borrowed;\n    static void _load();\n"
                         "    void _ctor();\n    void _dtor();\n");
    each_method(f, declare_method);
    portolan_text_add(t, "};\n\n}\n\n");
}

static void put_header(struct impl *f)
{
    const char *c_name = f->s->c_name;

    portolan_text_add(f->t,
                      "#ifndef included_%s_Impl_hxx\n#define included_%s_Impl_hxx\n\n"
                      "#include \"%s.hxx\"\n",
                      c_name, c_name, f->s->package->c_name);
    if (class_is_component(f->s))
        portolan_text_add(f->t, "#include <portolan/%s.hpp>\n",
                          "component"); /* as in emit_skel.c */
    impl_block(f, "_hincludes", 0, "");
    put_class(f);
    impl_block(f, "_hmisc", 0, "");
    portolan_text_add(f->t, "\n#endif\n");
    splicer_put_rest(&f->splicer);
}

/* Its methods */

/* The body of a method that its author has not written yet. */
static const char *preset_body(struct impl *f, const struct portolan_sidl_method *m, bool is_hook)
{
    struct portolan_text t = {.arena = f->e->arena}, unused = t;

    if (!is_hook)
        portolan_text_add(&t, "    /* DO-DELETE-WHEN-IMPLEMENTING */\n");
    for (size_t i = 0; i < m->n_arguments; i++)
        portolan_text_add(&unused, "%s(void)%s", i ? ", " : "", m->arguments[i].name);
    if (unused.length)
        emit_wrapped(f->e, &t, 8, "    %s;", unused.bytes);
    if (!is_hook)
        portolan_text_add(&t,
                          "    ::sidl::throw_new<::sidl::NotImplementedException>(\n"
                          "        \"%s.%s is not implemented\");\n",
                          f->s->full_name, m->slot_name);
    return t.bytes ? t.bytes : "";
}

static void put_method(struct impl *f, const struct portolan_sidl_method *m, const char *comment,
                       bool is_hook)
{
    portolan_text_add(f->t, "\n");
    emit_comment(f->t, comment, 0);
    emit_wrapped(
        f->e, f->t, 4, "%s",
        cxx_head(f->e->arena, m,
                 portolan_arena_printf(f->e->arena, "%s::%s", name_of(f), method_name(f, m))));
    portolan_text_add(f->t, "{\n");
    impl_block(f, m->slot_name, 4, preset_body(f, m, is_hook));
    portolan_text_add(f->t, "}\n");
}

static void put_source(struct impl *f)
{
    portolan_text_add(f->t, "#include \"%s_Impl.hxx\"\n#include \"%s_Skel.h\"\n", f->s->c_name,
                      f->s->c_name);
    impl_block(f, "_includes", 0, described_includes(f->e, f->s));
    for (const struct impl_builtin *b = impl_builtins; b < impl_builtins + IMPL_BUILTINS; b++) {
        if (b->has_data) /* objects cannot be made around data */
            continue;
        portolan_text_add(f->t, "\n");
        emit_comment(f->t, b->comment, 0);
        portolan_text_add(f->t, "void %s::%s()\n{\n", name_of(f), b->name);
        impl_block(f, b->name, 4, "");
        portolan_text_add(f->t, "}\n");
    }
    each_method(f, put_method);
    portolan_text_add(f->t, "\n");
    impl_block(f, "_misc", 0, "");
    portolan_text_add(f->t, "\n#include \"%s_Skel.hxx\" /* the tables' functions */\n",
                      f->s->c_name);
    splicer_put_rest(&f->splicer);
}

/* Functions for the Skel file */

/* ARGUMENT of C as the method takes it. */
static const char *converted(struct portolan_arena *a,
                             const struct portolan_sidl_argument *argument)
{
    const char *type = cxx_type(a, argument->type), *name = argument->name;

    if (argument->type->kind == PORTOLAN_SIDL_RARRAY)
        return argument->type->element->kind == PORTOLAN_SIDL_DCOMPLEX ||
                       argument->type->element->kind == PORTOLAN_SIDL_FCOMPLEX
                   ? portolan_arena_printf(a, "reinterpret_cast<%s>(%s)", type, name)
                   : name;
    if (argument->mode != PORTOLAN_SIDL_IN)
        return portolan_arena_printf(a, "%s__", name);
    switch (argument->type->kind) {
    case PORTOLAN_SIDL_STRING:
        return portolan_arena_printf(a, "::sidl::text(%s)", name);
    case PORTOLAN_SIDL_STRUCT:
        return portolan_arena_printf(a, "::sidl::copied<%s>(%s, %s__copy)", type, name,
                                     argument->type->symbol->c_name);
    case PORTOLAN_SIDL_ARRAY:
    case PORTOLAN_SIDL_OBJECT:
        return portolan_arena_printf(a, "::sidl::borrowed<%s>(%s)", type, name);
    case PORTOLAN_SIDL_BOOL:
    case PORTOLAN_SIDL_ENUM:
    case PORTOLAN_SIDL_DCOMPLEX:
    case PORTOLAN_SIDL_FCOMPLEX:
        return portolan_arena_printf(a, "%s(%s)", cxx_binding(a, argument->type, "take"), name);
    default:
        return name;
    }
}

static void put_call(struct impl *f, const struct portolan_sidl_method *m, bool has_outputs)
{
    struct portolan_arena *a = f->e->arena;
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    struct portolan_text call = {.arena = a};

    if (method_is_static(m))
        portolan_text_add(&call, "::%s::%s(", name_of(f), method_name(f, m));
    else
        portolan_text_add(&call, "::sidl::implementation<::%s>(self, %zu)->%s(", name_of(f),
                          class_depth(f->s), method_name(f, m));
    for (size_t i = 0; i < m->n_arguments; i++)
        portolan_text_add(&call, "%s%s", i ? ", " : "", converted(a, &m->arguments[i]));
    if (is_void)
        emit_wrapped(f->e, f->t, 12, "        %s);", call.bytes);
    else if (has_outputs)
        emit_wrapped(f->e, f->t, 12, "        const auto result__ = %s);", call.bytes);
    else
        emit_wrapped(f->e, f->t, 12, "        return %s(%s));", cxx_binding(a, m->result, "give"),
                     call.bytes);
}

static void put_function(struct impl *f, const struct portolan_sidl_method *m, const char *comment,
                         bool is_hook)
{
    struct portolan_arena *a = f->e->arena;
    struct portolan_text gives = {.arena = a};
    const char *name = portolan_arena_printf(a, "impl_%s_%s", f->s->c_name, m->slot_name);

    (void)comment, (void)is_hook;
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN &&
            m->arguments[i].type->kind != PORTOLAN_SIDL_RARRAY)
            portolan_text_add(&gives, "        %s__.give();\n", m->arguments[i].name);
    portolan_text_add(f->t, "\n");
    emit_wrapped(
        f->e, f->t, 4, "%s",
        c_function(a, m, C_IMPL, name,
                   method_is_static(m) ? NULL : portolan_arena_printf(a, "%s self", f->s->c_name)));
    portolan_text_add(f->t, "{\n    return ::%s::guarded(_ex, \"%s.%s\", [&] {\n",
                      class_is_component(f->s) ? "portolan" : "sidl", f->s->full_name,
                      m->slot_name);
    cxx_holders(f->e, f->t, m, "_value", 8);
    put_call(f, m, gives.length > 0);
    if (gives.length) {
        portolan_text_add(f->t, "%s", gives.bytes);
        if (m->result->kind != PORTOLAN_SIDL_VOID)
            portolan_text_add(f->t, "        return %s(result__);\n",
                              cxx_binding(a, m->result, "give"));
    }
    portolan_text_add(f->t, "    });\n}\n");
}

static void put_skel(struct impl *f)
{
    struct emitter *e = f->e;
    const char *c_name = f->s->c_name;

    f->t = emit_open(e, portolan_arena_printf(e->arena, "%s_Skel.hxx", c_name), f->s);
    emit_wrapped(e, f->t, 4, "SIDL_CXX_CLASS(%s, \"%s\", ::%s, %zu)", c_name, f->s->full_name,
                 name_of(f), class_depth(f->s));
    if (f->bodies.overrides_any)
        portolan_text_add(f->t,
                          "\nvoid %s__superEPV(struct %s__epv *parentEPV)\n{\n"
                          "    ::sidl::parent_of<::%s, %s>::table = parentEPV;\n}\n",
                          c_name, class_parent(f->s)->c_name, name_of(f),
                          cxx_qualified(e->arena, class_parent(f->s)));
    each_method(f, put_function);
}

void emit_cxx_impl(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = impl_open(e, s, "hxx");

    put_header(&f);
    f = impl_open(e, s, "cxx");
    put_source(&f);
    put_skel(&f);
}
