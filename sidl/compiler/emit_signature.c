/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls by name need of a package: signatures, methods, members of enums and structs
 * (sidl_object.h has the grammar, sidl_call.h the macros).
 */
#include "emit.h"

#include <string.h>

/* The letter of a kind: in the text of signatures, and as a member of union sidl_value. */
static char letter_of(const struct portolan_sidl_type *type)
{
    static const char letters[] = {
        [PORTOLAN_SIDL_VOID] = 'v',   [PORTOLAN_SIDL_BOOL] = 'b',
        [PORTOLAN_SIDL_CHAR] = 'c',   [PORTOLAN_SIDL_DCOMPLEX] = 'D',
        [PORTOLAN_SIDL_DOUBLE] = 'd', [PORTOLAN_SIDL_FCOMPLEX] = 'F',
        [PORTOLAN_SIDL_FLOAT] = 'f',  [PORTOLAN_SIDL_INT] = 'i',
        [PORTOLAN_SIDL_LONG] = 'l',   [PORTOLAN_SIDL_OPAQUE] = 'p',
        [PORTOLAN_SIDL_STRING] = 's', [PORTOLAN_SIDL_ARRAY] = '[',
        [PORTOLAN_SIDL_RARRAY] = '{', [PORTOLAN_SIDL_ENUM] = 'e',
        [PORTOLAN_SIDL_STRUCT] = 't', [PORTOLAN_SIDL_OBJECT] = 'o',
    };

    return letters[type->kind];
}

/* The member of union sidl_value. */
static char member_of(const struct portolan_sidl_type *type)
{
    const char letter = letter_of(type);

    return letter == 'e' ? 'i' : strchr("[{to", letter) ? 'p' : letter;
}

static void put_value_text(struct portolan_text *t, const struct portolan_sidl_type *type,
                           long long count)
{
    const char letter = letter_of(type);

    portolan_text_add(t, "%c", letter);
    if (letter == '[')
        portolan_text_add(t, type->element ? "%d%s]" : "]", type->dimension,
                          type->order == PORTOLAN_SIDL_COLUMN_MAJOR ? "c"
                          : type->order == PORTOLAN_SIDL_ROW_MAJOR  ? "r"
                                                                    : "");
    else if (letter == '{')
        portolan_text_add(t, count < 0 ? "%d}" : "%d=%lld}", type->dimension, count);
    else if (type->symbol)
        portolan_text_add(t, ":%s", type->symbol->full_name);
    if (type->element)
        put_value_text(t, type->element, -1);
}

static const char *signature_text(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    static const char *const modes[] = {
        [PORTOLAN_SIDL_IN] = "", [PORTOLAN_SIDL_OUT] = ">", [PORTOLAN_SIDL_INOUT] = "="};
    struct portolan_text t = {.arena = a};
    const char *before = "";

    portolan_text_add(&t, method_is_static(m) ? "static " : "");
    put_value_text(&t, m->result, -1);
    portolan_text_add(&t, "(");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (!m->arguments[i].is_extent) {
            portolan_text_add(&t, "%s%s", before, modes[m->arguments[i].mode]);
            put_value_text(&t, m->arguments[i].type, -1);
            before = ",";
        }
    portolan_text_add(&t, ")");
    return t.bytes;
}

/* A signature's parts, in C. */
struct parts {
    struct portolan_text parameters, arguments, before, after;
    size_t n; /* arguments so far */
};

/* A value's type without the blank at its end. */
static const char *bare_type(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    const char *text = c_value(a, type);
    const size_t length = strlen(text);

    return text[length - 1] == ' ' ? portolan_arena_printf(a, "%.*s", (int)length - 1, text) : text;
}

/* The type of an argument's parameter, ready for a name. */
static const char *parameter_type(struct portolan_arena *arena,
                                  const struct portolan_sidl_argument *a)
{
    const bool is_struct = a->type->kind == PORTOLAN_SIDL_STRUCT,
               is_in = a->mode == PORTOLAN_SIDL_IN,
               is_pointer = is_struct || (!is_in && a->type->kind != PORTOLAN_SIDL_RARRAY);

    return portolan_arena_printf(
        arena, "%s%s%s",
        is_in && (is_struct || a->type->kind == PORTOLAN_SIDL_STRING) ? "const " : "",
        c_value(arena, a->type), is_pointer ? "*" : "");
}

/* Adds argument A, which the C function calls "a" and its number. */
static void add_part(struct portolan_arena *arena, struct parts *p,
                     const struct portolan_sidl_argument *a)
{
    const bool is_enum = a->type->kind == PORTOLAN_SIDL_ENUM,
               is_address =
                   a->type->kind == PORTOLAN_SIDL_STRUCT || a->type->kind == PORTOLAN_SIDL_RARRAY;
    const size_t k = ++p->n;
    const char m = member_of(a->type);
    const char *cast =
        is_enum ? portolan_arena_printf(arena, "(%s)", bare_type(arena, a->type)) : "";

    portolan_text_add(&p->parameters, "%sa%zu, ", parameter_type(arena, a), k);
    if (a->mode == PORTOLAN_SIDL_IN || is_address) {
        portolan_text_add(&p->arguments, "%sv[%zu].%c, ", cast, k, m);
        portolan_text_add(&p->before, ", {.%c = %sa%zu}", m,
                          is_address ? "(void *)"
                          : m == 's' ? "(char *)"
                          : is_enum  ? "(int32_t)"
                                     : "",
                          k);
        return;
    }
    portolan_text_add(&p->arguments, "%s&v[%zu].%c, ", m == 'p' || is_enum ? "(void *)" : "", k, m);
    if (a->mode == PORTOLAN_SIDL_OUT)
        portolan_text_add(&p->before, ", {0}");
    else
        portolan_text_add(&p->before, ", {.%c = %s*a%zu}", m, is_enum ? "(int32_t)" : "", k);
    portolan_text_add(&p->after, "%s*a%zu = %sv[%zu].%c", p->after.length ? "; " : "", k, cast, k,
                      m);
}

/* The macro S<NUMBER>: the parts of a signature. */
static void put_signature(struct portolan_arena *a, struct portolan_text *t,
                          const struct portolan_sidl_method *m, const char *text, size_t number)
{
    const char member = member_of(m->result), *self = method_is_static(m) ? "" : "self, ",
               *type = bare_type(a, m->result);
    struct parts p = {{.arena = a}, {.arena = a}, {.arena = a}, {.arena = a}, 0};
    struct portolan_text line = {.arena = a};
    const char *set = portolan_arena_printf(a, "v->%c =", member),
               *get = portolan_arena_printf(a, "v->%c", member), *room = "{0}";

    for (size_t i = 0; i < m->n_arguments; i++)
        if (!m->arguments[i].is_extent)
            add_part(a, &p, &m->arguments[i]);
    if (m->result->kind == PORTOLAN_SIDL_VOID) {
        set = get = "";
    } else if (m->result->kind == PORTOLAN_SIDL_STRUCT) {
        set = portolan_arena_printf(a, "*(%s *)v->p =", type);
        get = portolan_arena_printf(a, "*(%s *)v->p", type);
        room = portolan_arena_printf(a, "{.p = SIDL_ROOM(%s)}", type);
    } else if (m->result->kind == PORTOLAN_SIDL_ENUM) {
        set = "v->i = (int32_t)";
        get = portolan_arena_printf(a, "(%s)v->i", type);
    }
    portolan_text_add(&line,
                      "#define S%zu(USE, ...) USE(__VA_ARGS__, \"%s\", %zu, %s, %s, %s, %s, "
                      "(%s%ssidl_BaseInterface *_ex), (%s%s_ex), (%s%s), %s)",
                      number, text, p.n, type, set, get, *self ? "self" : "NULL",
                      *self ? "void *self, " : "", p.n ? p.parameters.bytes : "", self,
                      p.n ? p.arguments.bytes : "", room, p.n ? p.before.bytes : "",
                      p.after.length ? p.after.bytes : "(void)0");
    emit_broken(t, line.bytes, 4, true);
}

/* Methods */

static void see_method(struct signatures *s, const struct portolan_sidl_method *m)
{
    size_t i = 0;

    while (i < s->n_methods && s->methods[i] != m)
        i++;
    if (i == s->n_methods)
        ARENA_PUSH(s->arena, s->methods, s->n_methods, m);
}

static size_t number_of(const struct signatures *s, const struct portolan_sidl_method *m)
{
    size_t i = 0;

    while (s->methods[i] != m)
        i++;
    return i;
}

/* The number of the signature TEXT, which put_signature() writes if it is new. */
static size_t signature_number(struct portolan_arena *a, struct portolan_text *t,
                               const char ***texts, size_t *n, const struct portolan_sidl_method *m)
{
    const char *text = signature_text(a, m);

    for (size_t i = 0; i < *n; i++)
        if (strcmp((*texts)[i], text) == 0)
            return i;
    put_signature(a, t, m, text, *n);
    ARENA_PUSH(a, *texts, *n, text);
    return *n - 1;
}

struct signatures emit_signatures(struct emitter *e, struct portolan_text *t,
                                  const struct portolan_sidl_symbol *package)
{
    struct signatures s = {.arena = e->arena, .package = package};
    struct portolan_text methods = {.arena = e->arena}, signatures = {.arena = e->arena};
    const char **texts = NULL;
    size_t n_texts = 0;

    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *type = package->children[i];

        for (size_t k = 0; k < type->n_slots; k++)
            see_method(&s, type->slots[k]);
        for (size_t k = 0; k < type->n_methods; k++)
            if (method_is_static(type->methods[k]))
                see_method(&s, type->methods[k]);
    }
    emit_named(t, package->c_name, "#define SIDL_PACKAGE @__package\n");
    for (size_t i = 0; i < s.n_methods; i++)
        portolan_text_add(&methods, " F(%zu, \"%s\", S%zu)", i, s.methods[i]->slot_name,
                          signature_number(e->arena, t, &texts, &n_texts, s.methods[i]));
    for (size_t i = 0; i < n_texts; i++)
        portolan_text_add(&signatures, "%sS%zu(SIDL_SIGNATURE, S%zu_signature)",
                          i % 3 ? " "
                          : i   ? "\n"
                                : "",
                          i, i);
    if (s.n_methods)
        emit_broken(t, portolan_arena_printf(e->arena, "#define METHODS(F)%s", methods.bytes), 4,
                    true);
    if (s.n_methods)
        portolan_text_add(t, "%s\n", signatures.bytes);
    return s;
}

/* Details of types */

/* A list of N numbers of methods, NAME__WHAT; nothing when N is 0. */
static void put_numbers(struct emitter *e, struct portolan_text *t, const struct signatures *s,
                        const char *name, const struct portolan_sidl_method *const *methods,
                        size_t n)
{
    struct portolan_text line = {.arena = e->arena};

    if (n == 0)
        return;
    portolan_text_add(&line, "static const uint16_t %s[] = {", name);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&line, "%s%zu", i ? ", " : "", number_of(s, methods[i]));
    emit_wrapped(e, t, 4, "%s};", line.bytes);
}

/* The number of elements of a raw array that lies in the struct; -1 for a pointer. */
static long long count_inside(const struct portolan_sidl_type *type)
{
    long long count = 1;

    for (size_t i = 0; i < type->n_extents; i++)
        count *= type->extents[i]->op == PORTOLAN_SIDL_OP_INTEGER ? type->extents[i]->integer : 0;
    return type->kind == PORTOLAN_SIDL_RARRAY && count > 0 ? count : -1;
}

static size_t put_members(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *type)
{
    struct portolan_text line = {.arena = e->arena};

    for (size_t i = 0; i < type->n_enumerators; i++)
        portolan_text_add(&line, "%s{\"%s\", NULL, %lld}", i ? ", " : "", type->enumerators[i].name,
                          (long long)type->enumerators[i].value);
    for (size_t i = 0; i < type->n_fields; i++) {
        portolan_text_add(&line, "%s{\"%s\", \"", i ? ", " : "", type->fields[i].name);
        put_value_text(&line, type->fields[i].type, count_inside(type->fields[i].type));
        portolan_text_add(&line, "\", offsetof(struct %s__data, %s)}", type->c_name,
                          type->fields[i].name);
    }
    if (line.length)
        emit_wrapped(e, t, 4, "static const struct sidl_member %s__members[] = {%s};", type->c_name,
                     line.bytes);
    return type->n_enumerators + type->n_fields;
}

void emit_details(struct emitter *e, struct portolan_text *t, const struct signatures *s,
                  const struct portolan_sidl_symbol *type, bool has_code)
{
    struct portolan_text statics = {.arena = e->arena};
    const struct portolan_sidl_method **list = NULL;
    size_t n_statics = 0, n_members;

    for (size_t i = 0; i < type->n_methods; i++)
        if (method_is_static(type->methods[i]))
            ARENA_PUSH(e->arena, list, n_statics, type->methods[i]);
    put_numbers(e, t, s, portolan_arena_printf(e->arena, "%s__slots", type->c_name), type->slots,
                type->n_slots);
    put_numbers(e, t, s, portolan_arena_printf(e->arena, "%s__static_slots", type->c_name), list,
                n_statics);
    n_members = put_members(e, t, type);
    portolan_text_add(&statics,
                      "static const struct sidl_details %s__details = {.package = &%s__package",
                      type->c_name, s->package->c_name);
    if (type->n_slots)
        portolan_text_add(&statics, ", .slots = %s__slots", type->c_name);
    if (n_statics)
        portolan_text_add(&statics, ", .statics = %s__static_slots, .n_statics = %zu", type->c_name,
                          n_statics);
    if (has_code)
        portolan_text_add(&statics, ", .externals = %s__externals", type->c_name);
    if (n_members)
        portolan_text_add(&statics, ", .members = %s__members, .n_members = %zu", type->c_name,
                          n_members);
    if (type->kind == PORTOLAN_SIDL_STRUCTURE)
        portolan_text_add(&statics, ", .size = sizeof(struct %s__data)", type->c_name);
    emit_wrapped(e, t, 4, "%s};", statics.bytes);
}

void emit_package_data(struct emitter *e, struct portolan_text *t, const struct signatures *s)
{
    const struct portolan_sidl_symbol *package = s->package;
    struct portolan_text line = {.arena = e->arena};
    const char *before = "";

    portolan_text_add(t, "\n");
    if (s->n_methods)
        portolan_text_add(t, "METHODS(SIDL_METHOD_SERVE)\n"
                             "static const struct sidl_entry methods[] = {"
                             "METHODS(SIDL_METHOD_ENTRY)};\n");
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE &&
            !emit_is_handwritten(package->children[i]))
            portolan_text_add(&line, "%s&%s__type", before, package->children[i]->c_name),
                before = ", ";
    emit_wrapped(e, t, 4, "static const struct sidl_type *const types[] = {%s};", line.bytes);
    portolan_text_add(t, "SIDL_PACKAGE_DATA(%s__package, \"%s\", \"%s\", %s, %zu)\n",
                      package->c_name, package->full_name, symbol_version(package),
                      s->n_methods ? "methods" : "NULL", s->n_methods);
}
