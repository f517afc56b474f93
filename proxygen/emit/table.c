/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proxies for C structs with functions: `struct x { const struct x_ops *ops; … }`, and structs that
 * hold their functions themselves. Emits the forwarding functions, the description for the run
 * time, and faces for programs without a framework.
 */
#include "emit.h"

#include <string.h>

#define add proxygen_emit_port

/* ------------------------------------------------------------------ forwarding functions */

/* The argument with this role; NULL: none has it. */
static const struct argument *argument_as(const struct method *m, enum argument_role role)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].role == role)
            return &m->arguments[i];
    return NULL;
}

/*
 * The target's functions read their object from the holder's member. So the member points to the
 * target during the call and to the face again afterwards; a longjmp skips the latter.
 */
static void emit_held(const struct method *m, const struct locals *l, bool before,
                      struct portolan_text *out)
{
    const struct argument *a = argument_as(m, ROLE_HOLDER);

    if (a && before)
        portolan_text_add(out,
                          "    if (%s != %s.object)\n"
                          "        %s->%s = %s.object;\n",
                          m->own, l->to, a->name, a->holder, l->to);
    else if (a)
        portolan_text_add(out,
                          "    if (%s != %s.object && %s->%s == %s.object)\n"
                          "        %s->%s = %s;\n",
                          m->own, l->to, a->name, a->holder, l->to, a->name, a->holder, m->own);
}

static void emit_prototype(struct run *run, const struct port *p, const struct method *m,
                           const struct locals *l, bool is_short, struct portolan_text *out)
{
    const char *name = proxygen_function_name(run, p->prefix, m, is_short);

    portolan_text_add(out, "static %s", proxygen_function_attribute(m, is_short));
    if (p->shape == SHAPE_STRUCT)
        name = proxygen_print(&run->arena, "%s(%s)", name, proxygen_slot_parameters(run, m, l));
    else
        name = proxygen_print(&run->arena, "%s(%s%s)", name, m->parameters, m->twin ? ", ..." : "");
    portolan_text_add(out, "%s", proxygen_replace(&run->arena, m->returning, name));
}

static void emit_pass(struct run *run, const struct port *p, const struct method *m,
                      const struct locals *l, struct portolan_text *out)
{
    const char *names = proxygen_argument_names(run, m), *proxy = "";

    if (p->shape == SHAPE_STRUCT)
        proxy = proxygen_print(&run->arena, "%s%s", *names ? ", " : "", l->proxy);
    proxygen_emit_pass(m, l,
                       proxygen_print(&run->arena, "%s(%s%s)",
                                      proxygen_function_name(run, p->prefix, m, false), names,
                                      proxy),
                       out);
}

/* "to = $_in(proxy, self, portolan_probe_enter(…));" */
static void emit_enter(const struct port *p, const struct method *m, const struct locals *l,
                       size_t number, bool is_short, struct portolan_text *out)
{
    const char *self = m->own;

    if (self)
        portolan_text_add(out, "    %s = %s_in(%s, %s, ", l->to, p->prefix, l->proxy, self);
    else
        portolan_text_add(out, "    %s.binding = ", l->to);
    if (is_short)
        portolan_text_add(out, "%s.binding", l->call);
    else
        proxygen_emit_enter_call(m, l, number, out);
    portolan_text_add(out, self ? ");\n" : ";\n");
    if (!self)
        portolan_text_add(out, "    %s.ops = (const %s *)%s.binding->extra;\n", l->to, p->table,
                          l->to);
    if (m->no_return)
        portolan_text_add(out, "    portolan_probe_leave(&%s); /* it never comes back */\n",
                          l->call);
}

/* Objects that came back are proxied, too. */
static void emit_gifts(const struct port *p, const struct method *m, const struct locals *l,
                       struct portolan_text *out)
{
    const char *self = m->own;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->gift && a->depth == 1)
            portolan_text_add(
                out, "    portolan_proxy_give_in_place(%s, %s.binding, &%s_description, %s);\n",
                l->proxy, l->to, a->gift->prefix, a->name);
        else if (a->gift)
            portolan_text_add(out,
                              "    if (%s && %s_given != (void *)&%s_given)\n"
                              "        *%s = portolan_proxy_give(%s, %s.binding, &%s_description, "
                              "(void *)%s_given);\n",
                              a->name, a->name, a->name, a->name, l->proxy, l->to, a->gift->prefix,
                              a->name);
    }
    if (!m->gift)
        return;
    portolan_text_add(out, "    ");
    if (m->gift == p && self)
        portolan_text_add(out, "if (%s == %s.object)\n        %s = (%s *)%s;\n    else\n        ",
                          l->result, l->to, l->result, p->object, self);
    portolan_text_add(out,
                      "%s = portolan_proxy_give(%s, %s.binding, &%s_description, (void *)%s);\n",
                      l->result, l->proxy, l->to, m->gift->prefix, l->result);
}

static void emit_body(struct run *run, const struct port *p, const struct method *m,
                      const struct locals *l, bool is_short, struct portolan_text *out)
{
    const char *self = m->own;
    /* Declared with its value, since its type may be an alias of a const type. */
    const char *result = proxygen_replace(&run->arena, m->result, l->result);
    const struct argument *handle = argument_as(m, ROLE_HANDLE);
    bool list = p->shape == SHAPE_TABLE; /* else it is a parameter */

    if (handle)
        portolan_text_add(out, "    %s *%s_held = %s.object;\n", p->object, handle->name, l->to);
    if (list)
        proxygen_emit_list_start(m, l, out);
    emit_held(m, l, true, out);
    portolan_text_add(out, "    %s%s%s.ops->%s(%s%s%s);\n", m->returns ? result : "",
                      m->returns ? " = " : "", l->to, m->twin ? m->forward : m->member, m->pass,
                      m->twin ? ", " : "", m->twin ? l->list : "");
    if (list)
        proxygen_emit_list_end(m, l, out);
    if (m->no_return)
        return;
    emit_held(m, l, false, out);
    if (self && p->has_data && !m->destroys)
        portolan_text_add(out, "    %s_out(%s, %s, %s);\n", p->prefix, l->proxy, self, l->to);
    if (!is_short)
        proxygen_emit_accuracy(m, l, NULL, out);
    emit_gifts(p, m, l, out);
    if (self && m->destroys)
        portolan_text_add(out,
                          "    if (%s.object != %s)\n"
                          "        portolan_proxy_end(%s);\n",
                          l->to, self, l->proxy);
    if (handle) /* the method changed the pointer, usually to NULL */
        portolan_text_add(out,
                          "    if (%s_held != %s.object)\n"
                          "        *%s = %s_held;\n",
                          handle->name, l->to, handle->name, handle->name);
    if (!is_short)
        proxygen_emit_leave(run, m, l, out);
    if (m->returns)
        portolan_text_add(out, "    return %s;\n", l->result);
}

static void emit_function(struct run *run, const struct port *p, const struct method *m,
                          size_t number, bool is_short, struct portolan_text *out)
{
    struct locals l = proxygen_locals(run, m);
    const struct argument *holder = argument_as(m, ROLE_HOLDER);

    portolan_text_add(out, "\n");
    emit_prototype(run, p, m, &l, is_short, out);
    portolan_text_add(out, "\n{\n");
    if (m->no_return)
        portolan_text_add(out, "    struct portolan_probe_call %s;\n", l.call);
    else if (!is_short)
        portolan_text_add(out, "    PORTOLAN_PROBE_CALL(%s);\n", l.call);
    if (!is_short)
        proxygen_emit_context(m, &l, out);
    if (p->shape == SHAPE_TABLE)
        portolan_text_add(out, "    struct portolan_proxy *%s = %s_of(%s);\n", l.proxy, p->prefix,
                          m->own);
    portolan_text_add(out, "    struct %s_to %s;\n", p->prefix, l.to);
    if (p->shape == SHAPE_TABLE)
        proxygen_emit_list(m, &l, out);
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].gift && m->arguments[i].depth == 2)
            portolan_text_add(out, "    __typeof__(*%s) %s_given = (void *)&%s_given;\n",
                              m->arguments[i].name, m->arguments[i].name, m->arguments[i].name);
    if (holder)
        portolan_text_add(out, "    %s *%s = %s ? %s->%s : NULL;\n", p->object, m->own,
                          holder->name, holder->name, holder->holder);
    portolan_text_add(out, "\n");
    if (is_short)
        emit_pass(run, p, m, &l, out);
    emit_enter(p, m, &l, number, is_short, out);
    emit_body(run, p, m, &l, is_short, out);
    portolan_text_add(out, "}\n");
}

/* ------------------------------------------------------------------ the run time's view */

/* Emits the function that returns how many bytes of a table exist. */
static void emit_length(const struct port *p, struct portolan_text *out)
{
    long known = 0;

    if (p->version_kind == VERSION_NONE)
        return;
    add(p, out,
        "\n"
        "/* How much of a table there is. */\n"
        "static size_t $_length(const void *bytes)\n"
        "{\n"
        "    const TABLE *table = bytes;\n"
        "\n");
    if (p->version_kind == VERSION_SIZE) {
        portolan_text_add(out, "    return (size_t)table->%s;\n}\n", p->version_member);
        return;
    }
    for (size_t i = 0; i < p->n_methods; i++)
        if (p->methods[i].since > known) {
            known = p->methods[i].since;
            portolan_text_add(out,
                              "    if (table->%s < %ld)\n"
                              "        return offsetof(%s, %s);\n",
                              p->version_member, known, p->table, p->methods[i].member);
        }
    portolan_text_add(out, "%s    return sizeof *table;\n}\n", known ? "" : "    (void)table;\n");
}

static bool has_forwards(const struct port *p)
{
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip && p->methods[i].twin)
            return true;
    return false;
}

/* The offset of each method's entry in the table, or of the entry that it is forwarded to. */
static void emit_entries(const struct port *p, bool forwards, struct portolan_text *out)
{
    add(p, out,
        forwards ? "\nstatic const size_t $_forwards[] = {\n"
                 : "\nstatic const size_t $_entries[] = {\n");
    for (size_t i = 0; i < p->n_methods; i++) {
        const struct method *m = &p->methods[i];

        if (!m->skip)
            portolan_text_add(out, "    offsetof(%s, %s),\n", p->table,
                              forwards && m->twin ? m->forward : m->member);
    }
    portolan_text_add(out, "};\n");
}

static bool has_links(const struct port *p)
{
    for (size_t i = 0; i < p->n_members; i++)
        if (p->members[i].kind == MEMBER_LINK)
            return true;
    return false;
}

static void emit_offsets(const struct port *p, struct portolan_text *out)
{
    emit_entries(p, false, out);
    if (has_forwards(p))
        emit_entries(p, true, out);
    if (!has_links(p))
        return;
    add(p, out, "\nstatic const size_t $_links[] = {\n");
    for (size_t i = 0; i < p->n_members; i++)
        if (p->members[i].kind == MEMBER_LINK)
            portolan_text_add(out, "    offsetof(%s, %s),\n", p->object, p->members[i].name);
    portolan_text_add(out, "};\n");
}

static void emit_functions(const struct port *p, struct portolan_text *out)
{
    add(p, out, "\nstatic const TABLE $_functions = {\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            portolan_text_add(out, "    .%s = %s_do_%s,\n", p->methods[i].member, p->prefix,
                              p->methods[i].name);
    portolan_text_add(out, "};\n");
}

static void emit_description(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        p->is_cxx ? "\nconst struct portolan_proxy_table $_table = {\n"
                  : "\nstatic const struct portolan_proxy_table $_table = {\n");
    if (p->shape == SHAPE_STRUCT)
        add(p, out, "    .own = true,\n");
    add(p, out,
        "    .size_bytes = sizeof(TABLE),\n"
        "    .entries = $_entries,\n"
        "    .n_entries = sizeof $_entries / sizeof *$_entries,\n");
    if (has_forwards(p))
        add(p, out, "    .forwards = $_forwards,\n");
    add(p, out,
        p->shape == SHAPE_STRUCT ? "    .functions = $_functions,\n"
                                 : "    .functions = &$_functions,\n");
    if (p->version_kind != VERSION_NONE)
        add(p, out, "    .length = $_length,\n");
    if (p->shape == SHAPE_STRUCT)
        add(p, out, "    .slots = $_slots,\n");
    add(p, out,
        "    .proxy_size = sizeof(struct $),\n"
        "    .face_offset = offsetof(struct $, face),\n"
        "    .object_size = sizeof(OBJECT),\n");
    if (p->shape == SHAPE_TABLE)
        add(p, out, "    .table_offset = offsetof(OBJECT, MEMBER),\n");
    if (has_links(p))
        add(p, out,
            "    .links = $_links,\n"
            "    .n_links = sizeof $_links / sizeof *$_links,\n");
    if (p->has_data)
        add(p, out, "    .follow = $_follow,\n");
    portolan_text_add(out, "};\n");
    proxygen_emit_port_description(p, out);
}

static bool gives_itself(const struct port *p)
{
    for (size_t i = 0; i < p->n_methods; i++) {
        if (p->methods[i].gift == p)
            return true;
        for (size_t k = 0; k < p->methods[i].n_arguments; k++)
            if (p->methods[i].arguments[k].gift == p)
                return true;
    }
    return false;
}

/* ------------------------------------------------------------------ slots */

/* Adds TEXT, indented, as lines of a macro; the caller ends the last line. */
static void add_macro_lines(struct portolan_text *out, const char *text)
{
    for (size_t length; *text; text += length + 1) {
        length = strcspn(text, "\n");
        portolan_text_add(out, "%s%.*s", length ? "    " : "", (int)length, text);
        if (text[length + 1])
            portolan_text_add(out, length && strchr(" (", text[length - 1]) ? "\\\n" : " \\\n");
    }
}

/*
 * If a struct holds its functions itself, a function cannot find its proxy by the arguments: users
 * may copy the struct or not pass it at all. So each of a small number of proxies (slots) has
 * functions of its own.
 */
static const char *slot_function(struct run *run, const struct method *m)
{
    struct portolan_arena *arena = &run->arena;
    const char *prefix = run->port->prefix;
    struct portolan_text text = {.arena = arena};
    const char *name =
        proxygen_print(arena, "%s_##portolan_slot##_%s(%s%s)", prefix, m->name,
                       *m->parameters ? m->parameters : "void", m->twin ? ", ..." : "");

    proxygen_emit_slot_entry(
        run, m,
        proxygen_print(arena, "static %s%s", m->no_return ? "__attribute__((noreturn)) " : "",
                       proxygen_replace(arena, m->returning, name)),
        proxygen_print(
            arena, "\n        __atomic_load_n(&%s_slots[portolan_slot], __ATOMIC_RELAXED)", prefix),
        &text);
    return text.bytes ? text.bytes : "";
}

/* The functions of a struct that holds its functions itself, a set for each slot. */
static void emit_slots(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;
    const char *between = "";

    add(p, out, "\n#define $_SLOT(portolan_slot) \\\n");
    for (size_t i = 0; i < p->n_methods; i++) {
        if (p->methods[i].skip)
            continue;
        portolan_text_add(out, "%s", between);
        add_macro_lines(out, slot_function(run, &p->methods[i]));
        between = " \\\n";
    }
    add(p, out, "\nPORTOLAN_PROXY_EACH_SLOT($_SLOT)\n\n");
    add(p, out, "#define $_SLOT_SET(portolan_slot) \\\n    { \\\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            portolan_text_add(out, "        .%s = %s_##portolan_slot##_%s, \\\n",
                              p->methods[i].member, p->prefix, p->methods[i].name);
    add(p, out,
        "    },\n"
        "static const OBJECT $_functions[PORTOLAN_PROXY_SLOTS] = {\n"
        "    PORTOLAN_PROXY_EACH_SLOT($_SLOT_SET)};\n");
}

/* ------------------------------------------------------------------ the whole */

/* The run's port. */
static void emit_one(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;
    size_t number = 0;

    proxygen_emit_methods(p, p->prefix, out);
    proxygen_emit_callbacks(run, out);
    proxygen_emit_object(p, out);
    if (gives_itself(p))
        add(p, out, "\nstatic const struct portolan_proxy_description $_description;\n");
    if (p->shape == SHAPE_STRUCT)
        add(p, out,
            "\n"
            "/* Whose the functions of each slot are. */\n"
            "static struct portolan_proxy *$_slots[PORTOLAN_PROXY_SLOTS];\n");
    proxygen_emit_behind(p, out);
    for (size_t i = 0; i < p->n_methods; i++) {
        const struct method *m = &p->methods[i];

        if (m->skip)
            continue;
        emit_function(run, p, m, number, false, out);
        if (proxygen_has_short_way(m))
            emit_function(run, p, m, number, true, out);
        number++;
    }
    if (p->shape == SHAPE_STRUCT)
        emit_slots(run, out);
    else
        emit_functions(p, out);
    emit_length(p, out);
    emit_offsets(p, out);
    emit_description(p, out);
}

/* PATH may lead into nested structs: "a.b". */
static void undefine(struct run *run, const struct port *port, const char *path,
                     struct portolan_text *out)
{
    while (*path) {
        size_t length = strcspn(path, ".");
        const char *name = proxygen_print(&run->arena, "%.*s", (int)length, path);

        if (proxygen_is_macro(port, name))
            portolan_text_add(out, "#undef %s\n", name);
        path += length + (path[length] == '.');
    }
}

/* Undefines macros of the header that have the name of a member of the port. */
static void emit_undefines(struct run *run, struct portolan_text *out)
{
    const struct port *port = run->port;

    for (size_t i = 0; i < port->n_methods; i++)
        undefine(run, port, port->methods[i].member, out);
    for (size_t i = 0; i < port->n_members; i++)
        undefine(run, port, port->members[i].name, out);
    if (port->table_member)
        undefine(run, port, port->table_member, out);
}

void proxygen_emit_table(struct run *run, struct portolan_text *out)
{
    proxygen_emit_quiet(out);
    for (size_t i = 0; proxygen_use_port(run, i); i++)
        emit_undefines(run, out);
    portolan_text_add(out, "\n");
    for (size_t i = 0; proxygen_use_port(run, i); i++) {
        if (run->n_given)
            portolan_text_add(out, "\n/* ---- %s%s ---- */\n\n", run->port->type,
                              i < run->n_given ? ", which calls hand out" : "");
        emit_one(run, out);
    }
}

/* ------------------------------------------------------------------ without a framework */

/* A struct whose functions never take it ("selfless") is shared and constant. */
static const char *constant(const struct port *p)
{
    return p->selfless ? "const " : "";
}

/* The parameter NAME for the generated header, renamed if the port's header has a macro NAME. */
static const char *parameter(struct run *run, const char *name)
{
    return proxygen_print(&run->arena, "%s%s",
                          proxygen_is_macro(run->port, name) ? "portolan_" : "", name);
}

/* The choice of the ranks of a communicator; MPI's header may not be there. */
static void emit_choose_on(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "\n#ifdef MPI_VERSION /* mpi.h is included: the same on the ranks of COMM, which all call "
        "it;\n"
        "                      the program is linked with portolan-mpi */\n"
        "#include <portolan/communicator.h>\n"
        "static inline OBJECT *$_choose_on(MPI_Comm portolan_comm, const char *portolan_name,\n"
        "    const struct portolan_candidate *portolan_from, size_t portolan_n,\n"
        "    struct portolan_choice **portolan_choice, struct portolan_error *portolan_err)\n"
        "{\n"
        "    struct portolan_cohort *portolan_all =\n"
        "        portolan_mpi_cohort_of(portolan_comm, portolan_err);\n\n"
        "    return portolan_all ? $_choose(portolan_name, portolan_from, portolan_n, "
        "portolan_all,\n"
        "                                   portolan_choice, portolan_err)\n"
        "                        : NULL;\n"
        "}\n"
        "#endif\n");
}

void proxygen_emit_chosen_type(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "extern \"C\" const struct portolan_component portolan_component_$;\n"
        "template <> struct portolan::proxy_of<OBJECT> {\n");
    portolan_text_add(out, "    static constexpr const char *type = \"%s\";\n", p->type);
    add(p, out,
        "    static const portolan_component *component() { return &portolan_component_$; }\n"
        "};\n");
}

void proxygen_emit_wrap_header(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;

    portolan_text_add(
        out,
        "/* Generated by portolan proxygen: proxies for %s in programs without a framework. Do not "
        "edit. */\n",
        p->type);
    add(p, out, "#ifndef @_PROXY_H\n#define @_PROXY_H\n\n");
    portolan_text_add(out, "#include %s\n#include <stddef.h>\n\n", p->include);
    portolan_text_add(
        out,
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/* A face for the object, to be used in its place; what is called through it is measured\n"
        "   under the name. NULL on failure, and portolan_proxy_wrap_error() says why. */\n"
        "%s *%s_wrap(%s%s *%s, const char *%s);\n\n"
        "/* Ends a face and returns the object behind it; NULL if it is none. A method that\n"
        "   ends the object ends its face, too. */\n"
        "%s%s *%s_unwrap(%s%s *%s);\n\n"
        "/* What went wrong in this thread's last wrap or unwrap; in libportolan. */\n"
        "const char *portolan_proxy_wrap_error(void);\n\n"
        "/* The same for one of several objects that do the same, and may take each other's place\n"
        "   at portolan_choice_step(): include <portolan/candidates.h>, too. */\n"
        "struct portolan_candidate;\nstruct portolan_choice;\nstruct portolan_cohort;\n"
        "struct portolan_error;\n"
        "%s *%s_choose(const char *, const struct portolan_candidate *, size_t,\n"
        "    struct portolan_cohort *, struct portolan_choice **, struct portolan_error *);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n",
        p->object, p->prefix, constant(p), p->object, parameter(run, "target"),
        parameter(run, "name"), constant(p), p->object, p->prefix, constant(p), p->object,
        parameter(run, "proxy"), p->object, p->prefix);
    emit_choose_on(p, out);
    add(p, out, "\n#ifdef PORTOLAN_CHOOSE_HPP\n");
    proxygen_emit_chosen_type(p, out);
    add(p, out, "#endif\n#endif\n");
}

void proxygen_emit_wrap(const struct port *p, struct portolan_text *out)
{
    portolan_text_add(out, "\nPORTOLAN_API %s *%s_wrap(%s%s *target, const char *name)\n",
                      p->object, p->prefix, constant(p), p->object);
    add(p, out,
        "{\n"
        "    return (OBJECT *)portolan_proxy_wrap(&$_description, (void *)target, name);\n"
        "}\n\n");
    portolan_text_add(out, "PORTOLAN_API %s%s *%s_unwrap(%s%s *proxy)\n", constant(p), p->object,
                      p->prefix, constant(p), p->object);
    add(p, out,
        "{\n"
        "    return (OBJECT *)portolan_proxy_unwrap(&$_description, (void *)proxy);\n"
        "}\n\n"
        "extern const struct portolan_component portolan_component_$;\n\n"
        "PORTOLAN_API OBJECT *$_choose(const char *name, const struct portolan_candidate *from,\n"
        "    size_t n, struct portolan_cohort *cohort, struct portolan_choice **choice,\n"
        "    struct portolan_error *err)\n"
        "{\n"
        "    return (OBJECT *)portolan_choice_open(&portolan_component_$, $_description.type, "
        "name,\n"
        "                                          from, n, cohort, choice, err);\n"
        "}\n");
}
