/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures that call a slot of an entry-point table, or functions of the Skel file. */
#include "emit_fortran.h"

#include <string.h>

struct stub {
    struct portolan_text *t;
    const struct portolan_sidl_method *m;
    struct portolan_text locals, before, arguments, after;
};

/* A value of C in the local PLACE, which comes back as NAME. */
static void receive(struct stub *s, const struct portolan_sidl_type *type, const char *name,
                    const char *place)
{
    if (type->kind == PORTOLAN_SIDL_BOOL) {
        f_line(&s->after, 6, "%s = %s /= 0", name, place);
    } else if (type->kind == PORTOLAN_SIDL_STRING) {
        f_line(&s->after, 6, "call sidl_take(%s, %s)", place, name);
    } else {
        f_line(&s->after, 6, "call sidl_open_%s_%d(%s, %s, e__, %s)", f_element(type),
               type->dimension, place, name, f_what(s->t->arena, s->m, name));
        f_line(&s->after, 6, "if (is_null(%s)) call sidl_c_array_deleteRef(%s)", name, place);
    }
}

/* Returns whether a value passes by a local variable, because C has it in another form. */
static bool is_converted(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_BOOL || type->kind == PORTOLAN_SIDL_STRING ||
           (type->kind == PORTOLAN_SIDL_ARRAY && !f_is_any(type));
}

static void pass_in(struct stub *s, const struct portolan_sidl_type *type, const char *name)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_BOOL:
        portolan_text_add(&s->arguments, "merge(1_c_int, 0_c_int, %s), ", name);
        return;
    case PORTOLAN_SIDL_STRING:
        f_line(&s->locals, 4, "character(kind=c_char,len=len(%s)+1), target :: %s__c", name, name);
        f_line(&s->before, 4, "%s__c = %s // c_null_char", name, name);
        portolan_text_add(&s->arguments, "c_loc(%s__c), ", name);
        return;
    case PORTOLAN_SIDL_ARRAY:
        if (f_is_any(type)) {
            portolan_text_add(&s->arguments, "%s%%p, ", name);
            return;
        }
        f_line(&s->locals, 4, "type(sidl_array_c), target :: %s__a", name);
        f_line(&s->locals, 4, "type(c_ptr) :: %s__c", name);
        f_line(&s->before, 4, "call describe_%s_%d(%s, %s__a, %s__c)", f_element(type),
               type->dimension, name, name, name);
        portolan_text_add(&s->arguments, "%s__c, ", name);
        return;
    case PORTOLAN_SIDL_CHAR:
        portolan_text_add(&s->arguments, "transfer(%s, 0_c_int8_t), ", name);
        return;
    case PORTOLAN_SIDL_STRUCT:
        portolan_text_add(&s->arguments, "c_loc(%s), ", name);
        return;
    case PORTOLAN_SIDL_OBJECT:
        portolan_text_add(&s->arguments, "sidl_c_ref(%s), ", name);
        return;
    default:
        portolan_text_add(&s->arguments, "%s, ", name);
    }
}

/* An rarray is described on the stack, as the stubs of C do it. */
static void pass_raw(struct stub *s, const struct portolan_sidl_type *type, const char *name)
{
    struct portolan_text extents = {.arena = s->t->arena};

    for (int i = 1; i <= type->dimension; i++)
        portolan_text_add(&extents, "size(%s, %d), ", name, i);
    f_line(&s->locals, 4, "type(sidl_array_c), target :: %s__a", name);
    f_line(&s->before, 4, "call raw_%s_%d(c_loc(%s), %s%s__a)", f_element(type), type->dimension,
           name, extents.bytes, name);
    portolan_text_add(&s->arguments, "c_loc(%s__a), ", name);
}

static void pass_out(struct stub *s, const struct portolan_sidl_argument *a, const char *name)
{
    const bool is_inout = a->mode == PORTOLAN_SIDL_INOUT;

    if (!is_converted(a->type)) {
        portolan_text_add(&s->arguments, "c_loc(%s), ", name);
        return;
    }
    f_line(&s->locals, 4, "%s, target :: %s__c",
           a->type->kind == PORTOLAN_SIDL_BOOL ? "integer(c_int)" : "type(c_ptr)", name);
    if (a->type->kind == PORTOLAN_SIDL_BOOL && is_inout)
        f_line(&s->before, 4, "%s__c = merge(1_c_int, 0_c_int, %s)", name, name);
    else if (a->type->kind == PORTOLAN_SIDL_STRING && is_inout)
        f_line(&s->before, 4, "%s__c = sidl_give(%s)", name, name);
    else if (is_inout)
        f_line(&s->before, 4, "%s__c = %s%%d_array", name, name);
    else if (a->type->kind != PORTOLAN_SIDL_BOOL)
        f_line(&s->before, 4, "%s__c = c_null_ptr", name);
    portolan_text_add(&s->arguments, "c_loc(%s__c), ", name);
    receive(s, a->type, name, portolan_arena_printf(s->t->arena, "%s__c", name));
}

/* The call, with the result where it belongs. */
static const char *call_of(struct stub *s)
{
    struct portolan_arena *a = s->t->arena;
    const struct portolan_sidl_type *type = s->m->result;
    const char *call = portolan_arena_printf(a, "f__(%s%se__)",
                                             method_is_static(s->m) ? "" : "self%d_ref%d_object, ",
                                             s->arguments.bytes ? s->arguments.bytes : "");

    if (type->kind == PORTOLAN_SIDL_VOID)
        return portolan_arena_printf(a, "call %s", call);
    if (type->kind == PORTOLAN_SIDL_OBJECT)
        return portolan_arena_printf(a, "call c_f_pointer(%s, retval%%d_ref)", call);
    if (type->kind == PORTOLAN_SIDL_STRUCT && !f_is_interoperable(type->symbol))
        return portolan_arena_printf(a, "retval = transfer(%s, retval)", call);
    if (f_is_any(type))
        return portolan_arena_printf(a, "retval%%p = %s", call);
    if (!is_converted(type))
        return portolan_arena_printf(a, "retval = %s", call);
    f_line(&s->locals, 4, "%s :: retval__c",
           type->kind == PORTOLAN_SIDL_BOOL ? "integer(c_int)" : "type(c_ptr)");
    receive(s, type, "retval", "retval__c");
    return portolan_arena_printf(a, "retval__c = %s", call);
}

void f_stub(struct portolan_text *t, const struct portolan_sidl_method *m, const char *name,
            const char *self, const char *prefix, const char *table, size_t index)
{
    struct stub s = {
        t, m, {.arena = t->arena}, {.arena = t->arena}, {.arena = t->arena}, {.arena = t->arena}};
    const char *call;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const char *argument = f_word(t->arena, a->name);

        if (a->is_extent)
            continue;
        if (a->type->kind == PORTOLAN_SIDL_RARRAY)
            pass_raw(&s, a->type, argument);
        else if (a->mode == PORTOLAN_SIDL_IN)
            pass_in(&s, a->type, argument);
        else
            pass_out(&s, a, argument);
    }
    call = call_of(&s);
    portolan_text_add(t, "\n");
    f_comment(t, emit_method_comment(t->arena, m), 2);
    f_subroutine(t, m, name);
    portolan_text_add(t, "%s", self);
    f_declare_arguments(t, m, 4);
    f_line(t, 4, "type(sidl_BaseInterface_t), intent(out), optional :: ex");
    f_line(t, 4, "procedure(%s), pointer :: f__", f_slot(t->arena, prefix, m));
    f_line(t, 4, "type(c_ptr) :: e__");
    if (method_is_static(m))
        f_line(t, 4, "type(sidl_epv_t), pointer :: epv__");
    portolan_text_add_bytes(t, s.locals.bytes, s.locals.length);
    f_line(t, 4, "e__ = c_null_ptr");
    portolan_text_add_bytes(t, s.before.bytes, s.before.length);
    if (method_is_static(m)) {
        f_line(t, 4, "call c_f_pointer(%s(e__), epv__)", table);
        f_line(t, 4, "if (.not. associated(epv__)) then");
        f_line(t, 4, "  call sidl_raise(e__, ex)");
        f_line(t, 4, "  return");
        f_line(t, 4, "end if");
        table = "epv__";
    }
    f_line(t, 4, "call c_f_procpointer(%s%%f(%zu), f__)", table, index);
    f_line(t, 4, "%s", call);
    if (s.after.length) {
        f_line(t, 4, "if (.not. c_associated(e__)) then");
        portolan_text_add_bytes(t, s.after.bytes, s.after.length);
        f_line(t, 4, "end if");
    }
    f_line(t, 4, "if (c_associated(e__)) call sidl_raise(e__, ex)");
    f_line(t, 2, "end subroutine");
}

void f_data_access(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    emit_named(t, s->c_name,
               "\n  !> Null until set_data was called.\n"
               "  subroutine @_get_data(self, data)\n"
               "    type(@_t), intent(in) :: self\n"
               "    type(@_data), pointer, intent(out) :: data\n"
               "    call c_f_pointer(get_data__c(sidl_c_ref(self)), data)\n  end subroutine\n"
               "\n  subroutine @_set_data(self, data)\n"
               "    type(@_t), intent(in) :: self\n"
               "    type(@_data), pointer, intent(in) :: data\n"
               "    type(c_ptr) :: place\n    place = c_null_ptr\n"
               "    if (associated(data)) place = c_loc(data)\n"
               "    call set_data__c(sidl_c_ref(self), place)\n  end subroutine\n");
    if (class_is_described(s))
        emit_named(t, s->c_name,
                   "\n  !> Registers the ports that the SIDL file states.\n"
                   "  subroutine @_register(self, services, ex)\n"
                   "    type(@_t), intent(in) :: self\n"
                   "    class(gov_cca_Services_t), intent(in) :: services\n"
                   "    type(sidl_BaseInterface_t), intent(out) :: ex\n"
                   "    type(c_ptr) :: e\n    e = c_null_ptr\n"
                   "    call register__c(sidl_c_ref(self), sidl_c_ref(services), e)\n"
                   "    if (c_associated(e)) call sidl_raise(e, ex)\n  end subroutine\n");
    if (class_is_described(s) && *described_list(s, "parameters"))
        emit_named(
            t, s->c_name,
            "\n  !> The values of the component's parameters; a new reference.\n"
            "  subroutine @_parameters(services, parameters, ex)\n"
            "    use gov_cca, only: gov_cca_TypeMap_t\n"
            "    class(gov_cca_Services_t), intent(in) :: services\n"
            "    type(gov_cca_TypeMap_t), intent(out) :: parameters\n"
            "    type(sidl_BaseInterface_t), intent(out) :: ex\n"
            "    type(c_ptr) :: e\n    e = c_null_ptr\n"
            "    call c_f_pointer(parameters__c(sidl_c_ref(services), e), parameters%d_ref)\n"
            "    if (c_associated(e)) call sidl_raise(e, ex)\n  end subroutine\n");
}
