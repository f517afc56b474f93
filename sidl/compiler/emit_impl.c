/* SPDX-License-Identifier: BSD-3-Clause */
/* A_B_C_Impl.h and A_B_C_Impl.c, in which the author of a class fills in the splicer blocks. */
#include "emit_cxx.h"
#include "emit_fortran.h"

#include <string.h>

static const char *self_of(struct impl *f, const struct portolan_sidl_method *m)
{
    return method_is_static(m) ? NULL : portolan_arena_printf(f->e->arena, "%s self", f->s->c_name);
}

static const char *impl_signature(struct impl *f, const struct portolan_sidl_method *m)
{
    const char *name = portolan_arena_printf(f->e->arena, "impl_%s_%s", f->s->c_name, m->slot_name);

    return c_function(f->e->arena, m, C_IMPL, name, self_of(f, m));
}

static const char *hook_signature(struct impl *f, const struct portolan_sidl_method *m,
                                  enum hook_time time)
{
    const struct portolan_sidl_method hook = emit_hook(f->e, m, time);

    return impl_signature(f, &hook);
}

/* Babel's Impl headers include this one for the parent class's table; authors may do so, too. */
static void put_ior_header(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s_IOR.h", s->c_name), s);

    portolan_text_add(t, "#include \"%s.h\"\n", s->c_name);
}

static void declare_hook(struct impl *f, const struct portolan_sidl_method *m, enum hook_time time)
{
    if (f->e->options->hooks)
        emit_wrapped(f->e, f->t, 4, "%s;", hook_signature(f, m, time));
}

static void declare_builtins(struct impl *f)
{
    emit_named(f->t, f->s->c_name,
               "\nstruct @__data *@__get_data(@ self);\n"
               "void @__set_data(@ self, struct @__data *data);\n");
    if (f->bodies.overrides_any)
        portolan_text_add(f->t, "void %s__superEPV(struct %s__epv *parentEPV);\n", f->s->c_name,
                          class_parent(f->s)->c_name);
    emit_named(f->t, f->s->c_name,
               "\nvoid impl_@__load(sidl_BaseInterface *_ex);\n"
               "void impl_@__ctor(@ self, sidl_BaseInterface *_ex);\n"
               "void impl_@__ctor2(@ self, void *private_data, sidl_BaseInterface *_ex);\n"
               "void impl_@__dtor(@ self, sidl_BaseInterface *_ex);\n");
    if (class_is_described(f->s)) {
        portolan_text_add(f->t, "/* Registers the ports that the SIDL file states. */\n");
        emit_wrapped(f->e, f->t, 4, "%s;", emit_register_head(f->e, f->s));
    }
}

static void declare_methods(struct impl *f)
{
    for (size_t i = 0; i < f->bodies.count; i++) {
        const struct portolan_sidl_method *m = f->bodies.list[i];

        declare_hook(f, m, HOOK_BEFORE);
        emit_wrapped(f->e, f->t, 4, "%s;", impl_signature(f, m));
        declare_hook(f, m, HOOK_AFTER);
    }
}

/* A_B_C_Skel.h: what the Skel file needs to know of an Impl file that is not in C. */
static void put_plain_header(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    const char *name = portolan_arena_printf(e->arena, "%s_Skel", s->c_name);
    struct impl f = {.e = e, .s = s, .bodies = class_bodies(e->arena, s)};

    f.t = emit_open(e, portolan_arena_printf(e->arena, "%s.h", name), s);
    emit_begin_guard(f.t, name);
    portolan_text_add(f.t, "#include \"%s.h\"\n", s->c_name);
    emit_begin_c(f.t);
    declare_builtins(&f);
    declare_methods(&f);
    emit_end_c(f.t);
    emit_end_guard(f.t);
}

static void put_impl_header(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = impl_open(e, s, "h");
    const char *guard = portolan_arena_printf(e->arena, "%s_Impl", s->c_name);
    const char *name = s->c_name;

    emit_begin_guard(f.t, guard);
    portolan_text_add(f.t, "#include \"sidl.h\"\n#include \"%s.h\"\n\n", name);
    splicer_rename(&f.splicer, portolan_arena_printf(e->arena, "%s._includes", s->full_name),
                   portolan_arena_printf(e->arena, "%s._hincludes", s->full_name)); /* Babel 1 */
    impl_block(&f, "_hincludes", 0, "");
    portolan_text_add(f.t,
                      "\n/** The private data of an object of class %s. */\nstruct %s__data {\n",
                      s->full_name, name);
    impl_block(&f, "_data", 4, "    int ignore; /* C wants a member: replace it by yours */\n");
    portolan_text_add(f.t, "};\n");
    emit_begin_c(f.t);
    declare_builtins(&f);
    declare_methods(&f);
    portolan_text_add(f.t, "\n");
    splicer_put(&f.splicer, "_hmisc", 0, "");
    emit_end_c(f.t);
    emit_end_guard(f.t);
    splicer_put_rest(&f.splicer);
    put_ior_header(e, s);
}

/* The functions super_m, which call the parent class's methods that S overrides. */
static void put_supers(struct impl *f)
{
    const struct portolan_sidl_symbol *s = f->s;

    if (!f->bodies.overrides_any)
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
static void put_function(struct impl *f, const char *comment, const char *signature,
                         const char *block, const char *preset)
{
    portolan_text_add(f->t, "\n");
    emit_comment(f->t, comment, 0);
    emit_wrapped(f->e, f->t, 4, "%s", signature);
    portolan_text_add(f->t, "{\n    *_ex = NULL;\n    {\n");
    impl_block(f, block, 8, preset);
    portolan_text_add(f->t, "    }\n}\n");
}

static void put_builtins(struct impl *f)
{
    for (const struct impl_builtin *b = impl_builtins; b < impl_builtins + IMPL_BUILTINS; b++)
        put_function(f, b->comment,
                     portolan_arena_printf(
                         f->e->arena, "void impl_%s_%s(%s%s%ssidl_BaseInterface *_ex)",
                         f->s->c_name, b->name, b->has_self ? f->s->c_name : "",
                         b->has_self ? " self, " : "", b->has_data ? "void *private_data, " : ""),
                     b->name,
                     b->has_data   ? "        (void)self, (void)private_data;\n"
                     : b->has_self ? "        (void)self;\n"
                                   : "");
}

/* The body of a method that its author has not written yet. */
static const char *preset_body(struct impl *f, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = f->e->arena};
    const enum portolan_sidl_kind kind = m->result->kind;
    const bool is_complex = kind == PORTOLAN_SIDL_DCOMPLEX || kind == PORTOLAN_SIDL_FCOMPLEX;

    portolan_text_add(&t, "        /* DO-DELETE-WHEN-IMPLEMENTING */\n");
    if (kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(&t, "        %sresult;\n\n", c_result(f->e->arena, m, C_IMPL));
    else if (kind != PORTOLAN_SIDL_VOID)
        portolan_text_add(&t, "        %sresult = %s;\n\n", c_result(f->e->arena, m, C_IMPL),
                          is_complex ? "{0, 0}" : emit_zero(m->result));
    emit_unused(f->e, &t, m);
    if (kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(&t, "        %s__init(&result);\n", m->result->symbol->c_name);
    portolan_text_add(&t,
                      "        SIDL_THROW(*_ex, sidl_NotImplementedException,\n"
                      "            \"%s.%s is not implemented\");\n    EXIT:%s\n",
                      f->s->full_name, m->slot_name,
                      kind == PORTOLAN_SIDL_VOID ? ";" : "\n        return result;");
    return t.bytes;
}

static void put_hook(struct impl *f, const struct portolan_sidl_method *m, enum hook_time time)
{
    const struct portolan_sidl_method hook = emit_hook(f->e, m, time);
    struct portolan_text preset = {.arena = f->e->arena};

    if (!f->e->options->hooks)
        return;
    emit_unused(f->e, &preset, &hook);
    put_function(f,
                 portolan_arena_printf(f->e->arena, "Called %s %s while hooks are on.",
                                       time == HOOK_BEFORE ? "before" : "after", m->slot_name),
                 impl_signature(f, &hook), hook.slot_name, preset.length ? preset.bytes : "");
}

static void put_impl_source(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = impl_open(e, s, "c");

    emit_comment(f.t, s->comment, 0);
    portolan_text_add(f.t,
                      "#include \"%s_Impl.h\"\n#include \"sidl_Exception.h\"\n"
                      "#include \"sidl_MemAllocException.h\"\n"
                      "#include \"sidl_NotImplementedException.h\"\n\n",
                      s->c_name);
    impl_block(&f, "_includes", 0, described_includes(e, s));
    put_supers(&f);
    put_builtins(&f);
    for (size_t i = 0; i < f.bodies.count; i++) {
        const struct portolan_sidl_method *m = f.bodies.list[i];

        put_hook(&f, m, HOOK_BEFORE);
        put_function(&f, emit_method_comment(e->arena, m), impl_signature(&f, m), m->slot_name,
                     preset_body(&f, m));
        put_hook(&f, m, HOOK_AFTER);
    }
    portolan_text_add(f.t, "\n");
    splicer_put(&f.splicer, "_misc", 0, "");
    splicer_put_rest(&f.splicer);
}

void emit_impl(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    if (class_language(e, s) == PORTOLAN_SIDL_C) {
        put_impl_header(e, s);
        put_impl_source(e, s);
        return;
    }
    put_plain_header(e, s);
    if (class_language(e, s) == PORTOLAN_SIDL_CXX)
        emit_cxx_impl(e, s);
    else
        emit_fortran_impl(e, s);
}
