/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A_B_C_Impl.F90: procedures in which the author of a class fills in the splicer blocks, and, after
 * them, functions under the names that the Skel file calls, which convert arguments.
 */
#include "emit_fortran.h"

#include <string.h>

/* The author's procedure for a method or built-in function. */
static const char *procedure_of(struct impl *f, const char *name)
{
    return f_name(f->e->arena, "%s_%s_mi", f->s->c_name, name);
}

static const char *type_of(struct impl *f)
{
    return f_name(f->e->arena, "%s_t", f->s->c_name);
}

/* Procedures of the author */

/* What a method does that its author has not written yet. */
static const char *preset_body(struct impl *f, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = f->e->arena}, used = t;
    size_t n = 0;

    portolan_text_add(&t, "    ! DO-DELETE-WHEN-IMPLEMENTING\n");
    if (!method_is_static(m))
        portolan_text_add(&used, "u%zu__ => self", ++n);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const char *name = f_word(f->e->arena, m->arguments[i].name);

        if (m->arguments[i].mode == PORTOLAN_SIDL_OUT && f_kinds[m->arguments[i].type->kind].zero)
            f_line(&t, 4, "%s = %s", name, f_kinds[m->arguments[i].type->kind].zero);
        else
            portolan_text_add(&used, "%su%zu__ => %s", n ? ", " : "", n + 1, name), n++;
    }
    if (m->result->kind != PORTOLAN_SIDL_VOID && f_kinds[m->result->kind].zero)
        f_line(&t, 4, "retval = %s", f_kinds[m->result->kind].zero);
    else if (m->result->kind != PORTOLAN_SIDL_VOID)
        portolan_text_add(&used, "%su%zu__ => retval", n ? ", " : "", n + 1);
    if (used.length)
        f_line(&t, 4, "associate (%s)\n    end associate", used.bytes);
    f_line(&t, 4, "call not_implemented(ex, '%s.%s')", f->s->full_name, m->slot_name);
    return t.bytes;
}

static void put_author_s(struct impl *f, const struct portolan_sidl_method *m)
{
    portolan_text_add(f->t, "\n");
    f_comment(f->t, emit_method_comment(f->e->arena, m), 2);
    f_subroutine(f->t, m, procedure_of(f, m->slot_name));
    if (!method_is_static(m))
        f_line(f->t, 4, "type(%s), intent(in) :: self", type_of(f));
    f_declare_arguments(f->t, m, 4);
    f_line(f->t, 4, "type(sidl_BaseInterface_t), intent(out) :: ex");
    impl_block(f, m->slot_name, 4, preset_body(f, m));
    f_line(f->t, 2, "end subroutine");
}

static void put_builtins(struct impl *f)
{
    for (const struct impl_builtin *b = impl_builtins; b < impl_builtins + IMPL_BUILTINS; b++) {
        portolan_text_add(f->t, "\n");
        f_comment(f->t, b->comment, 2);
        f_line(f->t, 2, "recursive subroutine %s(%s%sex)", procedure_of(f, b->name),
               b->has_self ? "self, " : "", b->has_data ? "private_data, " : "");
        if (b->has_self)
            f_line(f->t, 4, "type(%s), intent(in) :: self", type_of(f));
        if (b->has_data)
            f_line(f->t, 4, "type(c_ptr), intent(in) :: private_data");
        f_line(f->t, 4, "type(sidl_BaseInterface_t), intent(out) :: ex");
        impl_block(f, b->name, 4,
                   b->has_data   ? "    associate (u1__ => self, u2__ => private_data)\n"
                                   "    end associate\n"
                   : b->has_self ? "    associate (u1__ => self)\n    end associate\n"
                                 : "");
        f_line(f->t, 2, "end subroutine");
    }
}

/* Functions for the Skel file */

struct glue {
    struct portolan_text *t;
    const struct portolan_sidl_method *m;
    struct portolan_text list, declared, locals, chars, before, arguments, after, dropped;
};

/* Converts a value of C in NAME, before the call, into NAME__f. */
static void convert(struct glue *g, const struct portolan_sidl_type *type, const char *name)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_BOOL:
        f_line(&g->before, 4, "%s__f = %s /= 0", name, name);
        break;
    case PORTOLAN_SIDL_STRING:
        f_line(&g->before, 4, "if (c_associated(%s)) call sidl_copy(%s, %s__f)", name, name, name);
        break;
    case PORTOLAN_SIDL_ARRAY:
        if (f_is_any(type))
            f_line(&g->before, 4, "%s__f%%p = %s", name, name);
        else
            f_line(&g->before, 4, "call sidl_open_%s_%d(%s, %s__f, ex, %s)", f_element(type),
                   type->dimension, name, name, f_what(g->t->arena, g->m, name));
        break;
    case PORTOLAN_SIDL_OBJECT:
        f_line(&g->before, 4, "call c_f_pointer(%s, %s__f%%d_ref)", name, name);
        break;
    default:
        f_line(&g->before, 4, "call c_f_pointer(%s, %s__f)", name, name);
    }
}

/* Converts NAME__f, after the call, into the value of C in PLACE. */
static void convert_back(struct glue *g, const struct portolan_sidl_argument *a, const char *name,
                         const char *place)
{
    const struct portolan_sidl_type *type = a->type;

    if (type->kind == PORTOLAN_SIDL_BOOL) {
        f_line(&g->after, 6, "%s = merge(1_c_int, 0_c_int, %s__f)", place, name);
    } else if (type->kind == PORTOLAN_SIDL_STRING) {
        if (a->mode == PORTOLAN_SIDL_INOUT)
            f_line(&g->after, 6, "call sidl_c_string_free(%s)", place);
        f_line(&g->after, 6, "%s = sidl_give(%s__f)", place, name);
    } else if (type->kind == PORTOLAN_SIDL_OBJECT) {
        f_line(&g->after, 6, "%s = sidl_c_ref(%s__f)", place, name);
    } else if (type->kind == PORTOLAN_SIDL_STRUCT) {
        f_line(&g->after, 6,
               f_is_interoperable(type->symbol) ? "%s = %s__f" : "%s = transfer(%s__f, r)", place,
               name);
    } else if (type->kind == PORTOLAN_SIDL_ENUM) {
        f_line(&g->after, 6, "%s = %s__f", place, name);
    } else {
        f_line(&g->after, 6, "%s = %s__f%%%s", place, name, f_is_any(type) ? "p" : "d_array");
        if (a->mode == PORTOLAN_SIDL_OUT && !f_is_any(type))
            f_line(&g->after, 6, "call sidl_check_set(%s, associated(%s__f%%d_data), ex, %s)",
                   place, name, f_what(g->t->arena, g->m, name));
    }
    if (a->mode == PORTOLAN_SIDL_OUT &&
        (type->kind == PORTOLAN_SIDL_OBJECT || type->kind == PORTOLAN_SIDL_ARRAY))
        f_line(&g->dropped, 6, "call deleteRef(%s__f)", name);
}

/* The type in Fortran of a value that is converted; NULL: it is passed as it is. */
static const char *converted_type(struct glue *g, const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_STRING  ? "character(len=:), allocatable"
           : type->kind == PORTOLAN_SIDL_ARRAY ? f_array(g->t->arena, type)
           : f_kinds[type->kind].in_c          ? f_type(g->t->arena, type)
                                               : NULL;
}

static void take_in(struct glue *g, const struct portolan_sidl_type *type, const char *name)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_STRING: /* read in place */
        f_line(&g->chars, 4, "character(kind=c_char,len=sidl_len(%s)), pointer :: %s__f", name,
               name);
        f_line(&g->before, 4, "call c_f_pointer(sidl_chars(%s), %s__f)", name, name);
        break;
    case PORTOLAN_SIDL_ARRAY:
        if (f_is_any(type)) {
            portolan_text_add(&g->arguments, "sidl_array_t(%s), ", name);
            return;
        }
        f_line(&g->locals, 4, "%s, pointer :: %s__f(%s)", f_type(g->t->arena, type), name,
               f_colons(g->t->arena, type->dimension));
        f_line(&g->before, 4, "call view_%s_%d(%s, %s__f, ex, %s)", f_element(type),
               type->dimension, name, name, f_what(g->t->arena, g->m, name));
        break;
    case PORTOLAN_SIDL_STRUCT:
    case PORTOLAN_SIDL_OBJECT:
        f_line(&g->locals, 4, "%s%s :: %s__f", f_type(g->t->arena, type),
               type->kind == PORTOLAN_SIDL_STRUCT ? ", pointer" : "", name);
        convert(g, type, name);
        break;
    case PORTOLAN_SIDL_BOOL:
        portolan_text_add(&g->arguments, "%s /= 0, ", name);
        return;
    default: /* as it is */
        portolan_text_add(&g->arguments,
                          type->kind == PORTOLAN_SIDL_CHAR ? "achar(iand(int(%s), 255)), " : "%s, ",
                          name);
        return;
    }
    portolan_text_add(&g->arguments, "%s__f, ", name);
}

static void take_out(struct glue *g, const struct portolan_sidl_argument *a, const char *name)
{
    const char *type = converted_type(g, a->type);

    if (!type) {
        portolan_text_add(&g->arguments, "%s, ", name);
        return;
    }
    f_line(&g->locals, 4, "%s%s :: %s__f", type,
           a->type->kind == PORTOLAN_SIDL_STRUCT ? ", pointer" : "", name);
    portolan_text_add(&g->arguments, "%s__f, ", name);
    if (a->mode == PORTOLAN_SIDL_INOUT || a->type->kind == PORTOLAN_SIDL_STRUCT)
        convert(g, a->type, name);
    if (a->type->kind != PORTOLAN_SIDL_STRUCT)
        convert_back(g, a, name, name);
}

/* Declares an argument of the function as C passes it. */
static void declare_c(struct glue *g, const struct portolan_sidl_argument *a, const char *name)
{
    const char *type = f_kinds[a->type->kind].in_c;

    if (!type)
        type = f_type(g->t->arena, a->type);
    if (a->type->kind == PORTOLAN_SIDL_RARRAY)
        f_line(&g->declared, 4, "%s, intent(%s) :: %s(*)", type,
               a->mode == PORTOLAN_SIDL_IN ? "in" : "inout", name);
    else if (a->type->kind == PORTOLAN_SIDL_CHAR && a->mode == PORTOLAN_SIDL_IN)
        f_line(&g->declared, 4, "integer(c_int8_t), value :: %s", name);
    else if (a->mode == PORTOLAN_SIDL_IN || a->type->kind == PORTOLAN_SIDL_STRUCT)
        f_line(&g->declared, 4, "%s, value :: %s", type, name);
    else
        f_line(&g->declared, 4, "%s, intent(inout) :: %s", type, name);
}

/* The result r, and how the author's value gets there. */
static void take_result(struct glue *g)
{
    const struct portolan_sidl_argument result = {.mode = PORTOLAN_SIDL_OUT, .type = g->m->result};
    const struct portolan_sidl_type *type = g->m->result;
    const char *converted = converted_type(g, type);

    if (type->kind == PORTOLAN_SIDL_VOID)
        return;
    if (type->kind == PORTOLAN_SIDL_ENUM) /* as in Babel's Impl files */
        converted = "integer(sidl_enum)";
    f_line(
        &g->declared, 4, "%s :: r",
        type->kind == PORTOLAN_SIDL_BOOL   ? "integer(c_int)"
        : type->kind == PORTOLAN_SIDL_ENUM ? "integer(sidl_long)"
        : type->kind == PORTOLAN_SIDL_STRUCT
            ? portolan_arena_printf(g->t->arena, "type(%s)", f_returned(g->t->arena, type->symbol))
        : converted ? "type(c_ptr)"
                    : f_type(g->t->arena, type));
    portolan_text_add(&g->arguments, converted ? "retval__f, " : "r, ");
    if (!converted) {
        f_line(&g->before, 4, "r = %s",
               f_kinds[type->kind].zero); /* for calls that end before the author's */
        return;
    }
    f_line(&g->locals, 4, "%s :: retval__f", converted);
    if (type->kind == PORTOLAN_SIDL_BOOL || type->kind == PORTOLAN_SIDL_ENUM)
        f_line(&g->before, 4, "r = 0");
    else if (type->kind != PORTOLAN_SIDL_STRUCT)
        f_line(&g->before, 4, "r = c_null_ptr");
    convert_back(g, &result, "retval", "r");
}

/* Adds the function's head and its declarations, up to the call. */
static void put_head(struct impl *f, struct glue *g, const char *name, bool is_void)
{
    const char *symbol = portolan_arena_printf(f->e->arena, "impl_%s_%s", f->s->c_name, name);

    portolan_text_add(f->t, "\n");
    f_line(f->t, 2, "recursive %s %s(%sex) bind(C, name='%s')%s",
           is_void ? "subroutine" : "function", f_name(f->e->arena, "%s", symbol),
           g->list.bytes ? g->list.bytes : "", symbol, is_void ? "" : " result(r)");
    portolan_text_add_bytes(f->t, g->declared.bytes, g->declared.length);
    f_line(f->t, 4, "type(c_ptr), intent(inout) :: ex");
    portolan_text_add_bytes(f->t, g->locals.bytes, g->locals.length);
    f_line(f->t, 4, "type(sidl_BaseInterface_t) :: ex__f");
    if (g->chars.length)
        f_line(f->t, 4, "block");
    portolan_text_add_bytes(f->t, g->chars.bytes, g->chars.length);
    portolan_text_add_bytes(f->t, g->before.bytes, g->before.length);
}

/* Adds the call, and what comes after it. */
static void put_call(struct impl *f, struct glue *g, const char *name, bool is_void)
{
    if (g->before.bytes && strstr(g->before.bytes, ", ex, "))
        f_line(f->t, 4, "if (c_associated(ex)) return");
    f_line(f->t, 4, "call %s(%sex__f)", procedure_of(f, name),
           g->arguments.bytes ? g->arguments.bytes : "");
    if (g->after.length || g->dropped.length) {
        f_line(f->t, 4, "if (.not. associated(ex__f%%d_ref)) then");
        portolan_text_add_bytes(f->t, g->after.bytes, g->after.length);
        if (g->dropped.length)
            f_line(f->t, 4, "else");
        portolan_text_add_bytes(f->t, g->dropped.bytes, g->dropped.length);
        f_line(f->t, 4, "end if");
    }
    f_line(f->t, 4, "if (associated(ex__f%%d_ref)) ex = c_loc(ex__f%%d_ref)");
    if (g->chars.length)
        f_line(f->t, 4, "end block");
    f_line(f->t, 2, "end %s", is_void ? "subroutine" : "function");
}

static struct glue glue_begin(struct impl *f, bool has_self)
{
    const struct portolan_text text = {.arena = f->e->arena};
    struct glue g = {f->t, NULL, text, text, text, text, text, text, text, text};

    if (has_self) {
        portolan_text_add(&g.list, "self, ");
        f_line(&g.declared, 4, "type(c_ptr), value :: self");
        f_line(&g.locals, 4, "type(%s) :: self__f", type_of(f));
        f_line(&g.before, 4, "call c_f_pointer(self, self__f%%d_ref)");
        portolan_text_add(&g.arguments, "self__f, ");
    }
    return g;
}

static void put_glue(struct impl *f, const struct portolan_sidl_method *m)
{
    struct glue g = glue_begin(f, !method_is_static(m));

    g.m = m;
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const char *name = f_word(f->e->arena, a->name);

        portolan_text_add(&g.list, "%s, ", name);
        declare_c(&g, a, name);
        if (a->type->kind == PORTOLAN_SIDL_RARRAY)
            portolan_text_add(&g.arguments, "%s, ", name);
        else if (a->mode == PORTOLAN_SIDL_IN)
            take_in(&g, a->type, name);
        else
            take_out(&g, a, name);
    }
    take_result(&g);
    put_head(f, &g, m->slot_name, m->result->kind == PORTOLAN_SIDL_VOID);
    put_call(f, &g, m->slot_name, m->result->kind == PORTOLAN_SIDL_VOID);
}

static void put_builtin_glue(struct impl *f, const struct impl_builtin *b)
{
    struct glue g = glue_begin(f, b->has_self);

    if (b->has_data) {
        portolan_text_add(&g.list, "private_data, ");
        f_line(&g.declared, 4, "type(c_ptr), value :: private_data");
        portolan_text_add(&g.arguments, "private_data, ");
    }
    put_head(f, &g, b->name, true);
    put_call(f, &g, b->name, true);
}

/* super_m(self, …) calls the parent class's method, whose table the run time hands over. */
static void put_supers(struct impl *f)
{
    if (!f->bodies.overrides_any)
        return;
    portolan_text_add(f->t, "\n");
    emit_named(f->t, f->s->c_name,
               "  subroutine set_super_epv(table) bind(C, name='@__superEPV')\n"
               "    type(c_ptr), value :: table\n"
               "    call c_f_pointer(table, super_epv)\n  end subroutine\n");
    for (size_t i = 0; i < f->bodies.count; i++) {
        const struct portolan_sidl_method *m = f->bodies.list[i];

        if (class_overrides(f->s, m))
            f_stub(f->t, m, f_name(f->e->arena, "super_%s", m->slot_name),
                   portolan_arena_printf(f->e->arena, "    type(%s), intent(in) :: self\n",
                                         type_of(f)),
                   "super", "super_epv", symbol_slot(class_parent(f->s), m->slot_name));
    }
}

static void put_interfaces(struct impl *f)
{
    struct names slots = {.arena = f->e->arena};

    emit_named(f->t, f->s->c_name,
               "\n  interface\n"
               "    function get_data__c(self) bind(C, name='@__get_data') result(r)\n"
               "      import\n      type(c_ptr), value :: self\n      type(c_ptr) :: r\n"
               "    end function\n"
               "    subroutine set_data__c(self, data) bind(C, name='@__set_data')\n"
               "      import\n      type(c_ptr), value :: self, data\n    end subroutine\n");
    if (class_is_described(f->s))
        emit_named(f->t, f->s->c_name,
                   "    subroutine register__c(self, services, ex) bind(C, name='@__register')\n"
                   "      import\n      type(c_ptr), value :: self, services\n"
                   "      type(c_ptr), intent(inout) :: ex\n    end subroutine\n"
                   "    function parameters__c(services, ex) &\n"
                   "      bind(C, name='portolan_component_properties') result(r)\n"
                   "      import\n      type(c_ptr), value :: services\n"
                   "      type(c_ptr), intent(inout) :: ex\n      type(c_ptr) :: r\n"
                   "    end function\n");
    portolan_text_add(f->t, "  end interface\n");
    if (!f->bodies.overrides_any)
        return;
    portolan_text_add(f->t, "  abstract interface\n");
    for (size_t i = 0; i < f->bodies.count; i++)
        if (class_overrides(f->s, f->bodies.list[i]))
            f_slot_interface(f->t, &slots, "super", f->bodies.list[i]);
    portolan_text_add(f->t, "  end interface\n"
                            "  type(sidl_epv_t), pointer, save :: super_epv => null()\n");
}

/* The procedures that are private, so that they can be inlined: the author's, and those that pass
 * arrays, which go to ARRAYS. */
static const char *private_of(struct impl *f, struct portolan_text *arrays)
{
    struct portolan_text t = {.arena = f->e->arena};
    struct names done = {.arena = f->e->arena};

    for (size_t i = 0; i < IMPL_BUILTINS; i++)
        portolan_text_add(&t, "%s%s", i ? ", " : "", procedure_of(f, impl_builtins[i].name));
    for (size_t i = 0; i < f->bodies.count; i++)
        portolan_text_add(&t, ", %s", procedure_of(f, f->bodies.list[i]->slot_name));
    for (size_t i = 0; i < f->bodies.count; i++) {
        f_array_procedures(arrays, &done, &t, f->bodies.list[i], F_IMPL);
        if (class_overrides(f->s, f->bodies.list[i]))
            f_array_procedures(arrays, &done, &t, f->bodies.list[i], F_CALLER);
    }
    return t.bytes;
}

void emit_fortran_impl(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct impl f = impl_open(e, s, "F90");
    struct portolan_text arrays = {.arena = e->arena};

    if (e->options->hooks)
        diagnose_at(e->d, &s->place, "hooks are for Impl files in C and C++; %s is in Fortran",
                    s->full_name);
    f_comment(f.t, s->comment, 0);
    f_line(f.t, 0, "module %s_Impl", s->c_name);
    f_line(f.t, 2, "use, intrinsic :: iso_c_binding");
    f_line(f.t, 2, "use sidl");
    f_line(f.t, 2, "use %s", s->package->c_name);
    f_use_types(e, f.t, &s, 1, s->package);
    impl_block(&f, "_includes", 2, "");
    f_line(f.t, 2, "implicit none");
    portolan_text_add(f.t, "\n  !> The private data of an object.\n");
    f_line(f.t, 2, "type :: %s_data", s->c_name);
    impl_block(&f, "_data", 4, "");
    f_line(f.t, 2, "end type");
    put_interfaces(&f);
    f_line(f.t, 2, "private :: %s", private_of(&f, &arrays));
    f_line(f.t, 0, "contains");
    put_builtins(&f);
    for (size_t i = 0; i < f.bodies.count; i++)
        put_author_s(&f, f.bodies.list[i]);
    portolan_text_add(f.t, "\n");
    splicer_put(&f.splicer, "_misc", 2, "");
    f_data_access(f.t, s);
    put_supers(&f);
    portolan_text_add(f.t, "\n  ! What follows is called by the Skel file.\n");
    for (size_t i = 0; i < IMPL_BUILTINS; i++)
        put_builtin_glue(&f, &impl_builtins[i]);
    for (size_t i = 0; i < f.bodies.count; i++)
        put_glue(&f, f.bodies.list[i]);
    portolan_text_add_bytes(f.t, arrays.bytes, arrays.length);
    f_line(f.t, 0, "end module");
    splicer_put_rest(&f.splicer);
}
