/* SPDX-License-Identifier: BSD-3-Clause */
/* A module per package for callers: enums, types, and procedures that call entry-point tables. */
#include "emit_fortran.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Types */

/*
 * The type that S extends in Fortran: the parent with the longest table that S's table starts with,
 * so that a reference of S is one of that type.
 */
static const struct portolan_sidl_symbol *parent_of(const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_symbol *best = class_parent(s);

    if (best && s->kind == PORTOLAN_SIDL_CLASS)
        return best;
    best = NULL;
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *p = symbol_parent(s, i)->symbol;
        size_t k = 0;

        while (k < p->n_slots && k < s->n_slots &&
               !strcmp(p->slots[k]->slot_name, s->slots[k]->slot_name))
            k++;
        if (k == p->n_slots && !emit_is_handwritten(p) && (!best || p->n_slots > best->n_slots))
            best = p;
    }
    return best;
}

static const char *parent_name(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_symbol *p = parent_of(s);

    if (p)
        return f_name(a, "%s_t", p->c_name);
    return s->kind == PORTOLAN_SIDL_CLASS ? "sidl_BaseClass_t" : "sidl_BaseInterface_t";
}

static size_t first_own_slot(const struct portolan_sidl_symbol *s)
{
    return parent_of(s) ? parent_of(s)->n_slots : 0;
}

/* A generic name, and the procedures that it stands for. */
struct generic {
    const char *name;
    struct portolan_text procedures;
};

struct module {
    struct emitter *e;
    struct portolan_text *t, interfaces, bodies, procedures; /* the names of all procedures */
    const struct portolan_sidl_symbol *package;
    struct names slots, arrays; /* abstract interfaces, and procedures, that are there */
    struct portolan_text abstract;
    struct seen done; /* types that are there */
    struct generic **generics;
    size_t n_generics;
};

/* A procedure's name in the module, noted. */
static const char *procedure_of(struct module *k, const struct portolan_sidl_symbol *s,
                                const char *name)
{
    const char *procedure = f_name(k->e->arena, "%s_%s", s->name, name);

    portolan_text_add(&k->procedures, "%s%s", k->procedures.length ? ", " : "", procedure);
    return procedure;
}

/*
 * Names that no generic procedure may take from the users of a module: intrinsic functions, and
 * procedures of sidl_base.
 */
static bool is_taken(const char *name, const struct portolan_sidl_symbol *package)
{
    static const char taken[] =
        " abs achar acos adjustl adjustr aimag aint all allocated anint any asin "
        "associated atan atan2 bit_size btest c_associated c_f_pointer c_f_procpointer "
        "c_loc ceiling char cmplx conjg cos cosh count cshift dble digits dim dot_product "
        "dprod eoshift epsilon erf erfc exp exponent findloc floor fraction gamma huge "
        "hypot iachar iand ichar ieor index int ior is_contiguous ishft kind lbound len "
        "len_trim log log10 logical matmul max maxloc maxval merge min minloc minval mod "
        "modulo nearest nint norm2 not not_implemented null num_images pack popcnt "
        "precision present product radix range rank real reduce repeat reshape scale scan "
        "shape sidl_catch sidl_len sidl_raise sidl_take sidl_throw sign sin sinh size "
        "spacing spread sqrt sum tan tanh this_image tiny transfer transpose trim ubound "
        "unpack update_exception verify ";
    char lower[64]; /* longer than any of these */
    size_t n = 0;

    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    return (!name[n] && portolan_has_word(taken, lower)) || !strcasecmp(name, package->c_name);
}

static void add_generic(struct module *k, const char *name, const char *procedure)
{
    struct generic *g = NULL;

    if (is_taken(name, k->package))
        name = portolan_arena_printf(k->e->arena, "%s_", name);
    for (size_t i = 0; i < k->n_generics && !g; i++)
        if (!strcasecmp(k->generics[i]->name, name))
            g = k->generics[i];
    if (!g) {
        g = portolan_arena_alloc(k->e->arena, 1, sizeof *g);
        *g = (struct generic){f_name(k->e->arena, "%s", name), {.arena = k->e->arena}};
        ARENA_PUSH(k->e->arena, k->generics, k->n_generics, g);
    }
    portolan_text_add(&g->procedures, "%s%s", g->procedures.length ? ", " : "", procedure);
}

enum { DIMENSIONS = 8, KIND_COUNTS = (PORTOLAN_SIDL_OBJECT + 1) * DIMENSIONS };

/* Counts arguments by type and rank; void and objects, which are all alike, do not count. */
static void count_kinds(const struct portolan_sidl_method *m, int counts[])
{
    for (size_t i = 0; i <= m->n_arguments; i++) {
        const struct portolan_sidl_type *type =
            i < m->n_arguments ? m->arguments[i].type : m->result;
        const int dimension = type->element ? type->dimension : 0;
        enum portolan_sidl_kind kind = type->element ? type->element->kind : type->kind;

        if (kind == PORTOLAN_SIDL_ENUM)
            kind = dimension ? PORTOLAN_SIDL_LONG : PORTOLAN_SIDL_INT;
        if (kind != PORTOLAN_SIDL_VOID && (kind != PORTOLAN_SIDL_OBJECT || dimension))
            counts[(int)kind * DIMENSIONS + dimension]++;
    }
}

/* Returns whether M can have its short name as well: no other of S's with it is like M. */
static bool is_distinct(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    int own[KIND_COUNTS] = {0};

    count_kinds(m, own);
    for (size_t i = 0; i < s->n_slots; i++) {
        int counts[KIND_COUNTS] = {0};

        if (s->slots[i] == m || strcasecmp(s->slots[i]->name, m->name))
            continue;
        count_kinds(s->slots[i], counts);
        if (!memcmp(own, counts, sizeof own))
            return false;
    }
    return true;
}

/* Reports methods whose names differ by case only. */
static void check_names(struct module *k, const struct portolan_sidl_symbol *s)
{
    for (size_t i = first_own_slot(s); i < s->n_slots; i++)
        for (size_t n = 0; n < i; n++)
            if (!strcasecmp(s->slots[i]->slot_name, s->slots[n]->slot_name))
                diagnose_at(k->e->d, &s->slots[i]->place,
                            "%s and %s of %s are one name in Fortran; give one of them another",
                            s->slots[n]->slot_name, s->slots[i]->slot_name, s->full_name);
}

static void put_method(struct module *k, const struct portolan_sidl_symbol *s, size_t i)
{
    const struct portolan_sidl_method *m = s->slots[i];
    const char *procedure = procedure_of(k, s, m->slot_name);

    f_line(k->t, 4, "procedure :: %s => %s", f_name(k->e->arena, "%s", m->slot_name), procedure);
    add_generic(k, m->slot_name, procedure);
    if (*m->extension && is_distinct(s, m))
        add_generic(k, m->name, procedure);
    f_slot_interface(&k->abstract, &k->slots, "slot", m);
    f_array_procedures(&k->bodies, &k->arrays, &k->procedures, m, F_CALLER);
    f_stub(&k->bodies, m, procedure,
           portolan_arena_printf(k->e->arena, "    class(%s), intent(in) :: self\n",
                                 f_name(k->e->arena, "%s_t", s->c_name)),
           "slot", "self%d_ref%d_epv", i);
}

/* A function of the package's C file that returns a pointer: NAME(ex). */
static const char *put_c_function(struct module *k, const struct portolan_sidl_symbol *s,
                                  const char *name)
{
    const char *function = f_name(k->e->arena, "%s%s", s->name, name);

    f_line(&k->interfaces, 4, "function %s(ex) bind(C, name='%s%s') result(r)", function, s->c_name,
           name);
    portolan_text_add(&k->interfaces, "      import\n      type(c_ptr), intent(inout) :: ex\n"
                                      "      type(c_ptr) :: r\n    end function\n");
    portolan_text_add(&k->procedures, "%s%s", k->procedures.length ? ", " : "", function);
    return function;
}

static void put_new(struct module *k, const struct portolan_sidl_symbol *s)
{
    const char *name = f_name(k->e->arena, "new_%s", s->name);

    add_generic(k, "new", name);
    portolan_text_add(&k->procedures, ", %s", name);
    portolan_text_add(&k->bodies, "\n");
    f_line(&k->bodies, 2, "subroutine %s(self, ex)", name);
    f_line(&k->bodies, 4, "type(%s), intent(out) :: self", f_name(k->e->arena, "%s_t", s->c_name));
    f_line(&k->bodies, 4, "type(sidl_BaseInterface_t), intent(out), optional :: ex");
    f_line(&k->bodies, 4, "type(c_ptr) :: e__");
    f_line(&k->bodies, 4, "e__ = c_null_ptr");
    f_line(&k->bodies, 4, "call c_f_pointer(%s(e__), self%%d_ref)",
           put_c_function(k, s, "__create"));
    f_line(&k->bodies, 4, "if (c_associated(e__)) call sidl_raise(e__, ex)");
    f_line(&k->bodies, 2, "end subroutine");
}

/* Static methods are called by their long names: stat_Counter_next. */
static void put_statics(struct module *k, const struct portolan_sidl_symbol *s,
                        struct portolan_text *names)
{
    const char *table = put_c_function(k, s, "__statics");
    size_t index = 0;

    for (size_t i = 0; i < s->n_methods; i++) {
        const char *name = f_name(k->e->arena, "%s_%s", s->c_name, s->methods[i]->slot_name);

        if (!method_is_static(s->methods[i]))
            continue;
        f_slot_interface(&k->abstract, &k->slots, "slot", s->methods[i]);
        f_array_procedures(&k->bodies, &k->arrays, &k->procedures, s->methods[i], F_CALLER);
        f_stub(&k->bodies, s->methods[i], name, "", "slot", table, index++);
        portolan_text_add(names, "%s%s", names->length ? ", " : "", name);
    }
}

static void put_object(struct module *k, const struct portolan_sidl_symbol *s,
                       struct portolan_text *statics)
{
    const char *name = procedure_of(k, s, "_name");

    check_names(k, s);
    portolan_text_add(k->t, "\n");
    f_comment(k->t, s->comment, 2);
    f_line(k->t, 2, "type, public, extends(%s) :: %s", parent_name(k->e->arena, s),
           f_name(k->e->arena, "%s_t", s->c_name));
    f_line(k->t, 2, "contains");
    f_line(k->t, 4, "procedure, nopass :: d_name => %s", name);
    portolan_text_add(&k->bodies, "\n");
    f_line(&k->bodies, 2, "function %s() result(r)", name);
    f_line(&k->bodies, 4, "character(len=:), allocatable :: r");
    f_line(&k->bodies, 4, "r = '%s'", s->full_name);
    f_line(&k->bodies, 2, "end function");
    for (size_t i = first_own_slot(s); i < s->n_slots; i++)
        put_method(k, s, i);
    f_line(k->t, 2, "end type");
    if (s->kind == PORTOLAN_SIDL_CLASS && !(s->flags & PORTOLAN_SIDL_ABSTRACT))
        put_new(k, s);
    if (symbol_has_statics(s))
        put_statics(k, s, statics);
}

static void put_enum(struct module *k, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(k->t, "\n");
    f_comment(k->t, s->comment, 2);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        f_comment(k->t, s->enumerators[i].comment, 2);
        f_line(k->t, 2, "integer(sidl_enum), parameter, public :: %s = %lld",
               f_name(k->e->arena, "%s_%s", s->c_name, s->enumerators[i].name),
               (long long)s->enumerators[i].value);
    }
}

/* Structs */

/* "(0:1,0:2)" for an rarray inside the struct; NULL: the struct has a pointer. */
static const char *inner_extents(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    for (size_t i = 0; i < type->n_extents; i++)
        if (type->extents[i]->op != PORTOLAN_SIDL_OP_INTEGER)
            return NULL;
    return f_extents(a, type);
}

static void put_field(struct module *k, const struct portolan_sidl_field *f, bool is_mirror)
{
    struct portolan_arena *a = k->e->arena;
    const struct portolan_sidl_type *type = f->type;
    const char *name = f_name(a, "%s", f->name);

    if (!is_mirror)
        f_comment(k->t, f->comment, 4);
    if (type->kind == PORTOLAN_SIDL_RARRAY && inner_extents(a, type))
        f_line(k->t, 4, "%s :: %s%s = 0", f_type(a, type), name, inner_extents(a, type));
    else if (type->kind == PORTOLAN_SIDL_RARRAY || type->kind == PORTOLAN_SIDL_OPAQUE)
        f_line(k->t, 4, "type(c_ptr) :: %s = c_null_ptr", name);
    else if (type->kind == PORTOLAN_SIDL_ARRAY)
        f_line(k->t, 4, "type(sidl_array_t) :: %s", name);
    else if (type->kind == PORTOLAN_SIDL_STRING)
        f_line(k->t, 4, "type(sidl_string_t) :: %s = sidl_string_t(c_null_ptr)", name);
    else if (type->kind == PORTOLAN_SIDL_STRUCT)
        f_line(k->t, 4, "type(%s) :: %s",
               is_mirror ? f_returned(a, type->symbol) : f_name(a, "%s_t", type->symbol->c_name),
               name);
    else if (type->kind == PORTOLAN_SIDL_OBJECT)
        f_line(k->t, 4, "%s :: %s", is_mirror ? "type(c_ptr)" : f_type(a, type), name);
    else if (type->kind == PORTOLAN_SIDL_BOOL)
        f_line(k->t, 4, is_mirror ? "integer(c_int) :: %s" : "logical(sidl_bool) :: %s = .false.",
               name);
    else
        f_line(k->t, 4, "%s :: %s = %s", f_type(a, type), name,
               type->kind == PORTOLAN_SIDL_CHAR ? "c_null_char" : "0");
}

/* Frees what the fields of S at PATH own. */
static void put_destroyed(struct portolan_text *t, const struct portolan_sidl_symbol *s,
                          const char *path)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_type *type = s->fields[i].type;
        const char *field = portolan_arena_printf(t->arena, "%s%%%s", path, s->fields[i].name);

        if (type->kind == PORTOLAN_SIDL_STRING)
            f_line(t, 4, "call sidl_free(%s)", field);
        else if (type->kind == PORTOLAN_SIDL_ARRAY || type->kind == PORTOLAN_SIDL_OBJECT)
            f_line(t, 4, "call deleteRef(%s)", field);
        else if (type->kind == PORTOLAN_SIDL_STRUCT)
            put_destroyed(t, type->symbol, field);
    }
}

static void put_struct(struct module *k, const struct portolan_sidl_symbol *s)
{
    const char *type = f_name(k->e->arena, "%s_t", s->c_name),
               *name = f_name(k->e->arena, "destroy_%s", s->name);
    struct portolan_text owned = {.arena = k->e->arena};

    portolan_text_add(k->t, "\n");
    f_comment(k->t, s->comment, 2);
    for (int is_mirror = 0; is_mirror < (f_is_interoperable(s) ? 1 : 2); is_mirror++) {
        f_line(k->t, 2, "type, public%s :: %s",
               is_mirror || f_is_interoperable(s) ? ", bind(C)" : "",
               is_mirror ? f_returned(k->e->arena, s) : type);
        for (size_t i = 0; i < s->n_fields; i++)
            put_field(k, &s->fields[i], is_mirror);
        if (!s->n_fields)
            f_line(k->t, 4, "character(kind=c_char) :: d__none");
        f_line(k->t, 2, "end type");
    }
    put_destroyed(&owned, s, "self");
    if (!owned.length)
        return;
    add_generic(k, "destroy", name);
    portolan_text_add(&k->procedures, "%s%s", k->procedures.length ? ", " : "", name);
    portolan_text_add(&k->bodies, "\n");
    f_line(&k->bodies, 2, "subroutine %s(self)", name);
    f_line(&k->bodies, 4, "type(%s), intent(inout) :: self", type);
    portolan_text_add_bytes(&k->bodies, owned.bytes, owned.length);
    f_line(&k->bodies, 2, "end subroutine");
}

/* The module */

/* Puts a type after those of this package that it extends or contains. */
static void put_type(struct module *k, const struct portolan_sidl_symbol *s,
                     struct portolan_text *statics)
{
    if (s->kind == PORTOLAN_SIDL_PACKAGE || s->package != k->package || emit_is_handwritten(s) ||
        !see(&k->done, s))
        return;
    if (symbol_is_object(s) && parent_of(s))
        put_type(k, parent_of(s), statics);
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->symbol && s->fields[i].type->kind != PORTOLAN_SIDL_ENUM)
            put_type(k, s->fields[i].type->symbol, statics);
    if (s->kind == PORTOLAN_SIDL_ENUMERATION)
        put_enum(k, s);
    else if (s->kind == PORTOLAN_SIDL_STRUCTURE)
        put_struct(k, s);
    else
        put_object(k, s, statics);
}

static void put_section(struct portolan_text *t, const char *begin,
                        const struct portolan_text *content)
{
    if (!content->length)
        return;
    portolan_text_add(t, "\n  %s\n", begin);
    portolan_text_add_bytes(t, content->bytes, content->length);
    portolan_text_add(t, "  end interface\n");
}

/* What module sidl has is visible to its users; other modules show their own names only. */
static void put_visibility(struct module *k, const struct portolan_text *statics)
{
    struct portolan_text names = {.arena = k->e->arena};

    if (!strcmp(k->package->full_name, "sidl")) {
        f_line(k->t, 2, "private :: %s", k->procedures.bytes);
        return;
    }
    for (size_t i = 0; i < k->n_generics; i++)
        portolan_text_add(&names, "%s%s", i ? ", " : "", k->generics[i]->name);
    if (statics->length)
        portolan_text_add(&names, "%s%s", names.length ? ", " : "", statics->bytes);
    if (names.length)
        f_line(k->t, 2, "public :: %s", names.bytes);
}

static void put_head(struct module *k)
{
    const bool is_sidl = !strcmp(k->package->full_name, "sidl");

    portolan_text_add(k->t, "! " EMIT_BANNER " from %s %s; changes will be lost.\n",
                      k->package->full_name, k->package->version ? k->package->version : "");
    f_comment(k->t, k->package->comment, 0);
    f_line(k->t, 0, "module %s", k->package->c_name);
    f_line(k->t, 2, "use, intrinsic :: iso_c_binding");
    f_line(k->t, 2, "use sidl_base");
    f_line(k->t, 2, "use sidl_arrays");
    f_use_types(k->e, k->t, (const struct portolan_sidl_symbol *const *)k->package->children,
                k->package->n_children, k->package);
    f_line(k->t, 2, "implicit none");
    if (!is_sidl)
        f_line(k->t, 2, "private");
}

/* PACKAGE.c becomes PACKAGE.o, so the module has another name. */
static void put_module(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct output *o =
        emit_open_raw(e, portolan_arena_printf(e->arena, "%s_mod.f90", package->c_name));
    struct portolan_text text = {.arena = e->arena}, statics = text;
    struct module k = {.e = e,
                       .t = &o->text,
                       .interfaces = text,
                       .bodies = text,
                       .procedures = text,
                       .abstract = text,
                       .package = package,
                       .slots = {.arena = e->arena},
                       .arrays = {.arena = e->arena},
                       .done = {.arena = e->arena}};

    put_head(&k);
    for (size_t i = 0; i < package->n_children; i++)
        put_type(&k, package->children[i], &statics);
    put_section(k.t, "abstract interface", &k.abstract);
    put_section(k.t, "interface", &k.interfaces);
    for (size_t i = 0; i < k.n_generics; i++) {
        f_line(k.t, 2, "interface %s", k.generics[i]->name);
        f_line(k.t, 4, "procedure :: %s", k.generics[i]->procedures.bytes);
        f_line(k.t, 2, "end interface");
    }
    put_visibility(&k, &statics);
    if (k.bodies.length) {
        f_line(k.t, 0, "contains");
        portolan_text_add_bytes(k.t, k.bodies.bytes, k.bodies.length);
    }
    f_line(k.t, 0, "end module");
}

/* Packages that are being written, each for the one before it; then those that are done. */
struct order {
    struct seen path, done;
};

static void put_in_order(struct emitter *e, const struct portolan_sidl_symbol *package,
                         struct order *order)
{
    struct seen used;

    for (size_t i = 0; i < order->path.count; i++)
        if (order->path.list[i] == package && i + 1 < order->path.count) {
            diagnose_at(e->d, &package->place,
                        "%s and %s use types of each other, which modules of Fortran cannot; put "
                        "them into one package",
                        package->full_name, order->path.list[order->path.count - 1]->full_name);
            return;
        }
    if (!package->is_requested || !see(&order->done, package))
        return;
    see(&order->path, package);
    used = f_used_types(e, (const struct portolan_sidl_symbol *const *)package->children,
                        package->n_children);
    for (size_t i = 0; i < used.count; i++)
        if (used.list[i]->package != package)
            put_in_order(e, used.list[i]->package, order);
    order->path.count--;
    put_module(e, package);
}

static void put_nested(struct emitter *e, const struct portolan_sidl_symbol *package,
                       struct order *order)
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            put_nested(e, package->children[i], order);
    put_in_order(e, package, order);
}

void emit_fortran_modules(struct emitter *e)
{
    struct order order = {{.arena = e->arena}, {.arena = e->arena}};

    put_nested(e, e->model->global, &order);
}
