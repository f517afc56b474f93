/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components whose class says in SIDL which ports and parameters it has:
 *
 *   %attrib{provides="solver:heat.Solver", uses="matrix:heat.Matrix", parameters="n:int=100"}
 *
 * Such a class gets its description for the palette (portolan-component(5)), and a function that
 * registers its ports.
 */
#include "emit.h"

#include <string.h>
#include <strings.h>

bool described_next(struct portolan_arena *a, const char **at, struct described *item)
{
    size_t length;
    char *text, *type, *value;

    *at += strspn(*at, " \t\r\n");
    if (!**at)
        return false;
    length = strcspn(*at, " \t\r\n");
    text = portolan_arena_strndup(a, *at, length);
    if (!text)
        return false;
    *at += length;
    type = strchr(text, ':');
    value = strchr(text, '=');
    if (value)
        *value++ = '\0';
    if (type && (!value || type < value))
        *type++ = '\0';
    *item = (struct described){.name = text, .type = type ? type : "", .value = value};
    return true;
}

const char *described_list(const struct portolan_sidl_symbol *s, const char *kind)
{
    const struct portolan_sidl_attribute *a =
        portolan_sidl_attribute(s->attributes, s->n_attributes, kind);

    return a && a->value ? a->value : "";
}

bool portolan_sidl_language_find(const char *name, enum portolan_sidl_language *language)
{
    static const struct {
        const char *name;
        enum portolan_sidl_language language;
    } languages[] = {
        {"C", PORTOLAN_SIDL_C},       {"C++", PORTOLAN_SIDL_CXX}, {"Fortran", PORTOLAN_SIDL_F03},
        {"F2003", PORTOLAN_SIDL_F03}, {"F03", PORTOLAN_SIDL_F03}, {"Python", PORTOLAN_SIDL_PYTHON},
    };

    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (!strcasecmp(name, languages[i].name)) {
            *language = languages[i].language;
            return true;
        }
    return false;
}

enum portolan_sidl_language class_language(const struct emitter *e,
                                           const struct portolan_sidl_symbol *s)
{
    enum portolan_sidl_language language = e->options->server_language;

    portolan_sidl_language_find(described_list(s, "language"), &language);
    return language;
}

bool class_is_described(const struct portolan_sidl_symbol *s)
{
    return class_is_component(s) && (*described_list(s, "provides") || *described_list(s, "uses") ||
                                     *described_list(s, "parameters"));
}

bool class_keeps_services(const struct portolan_sidl_symbol *s)
{
    return class_is_described(s) &&
           (*described_list(s, "uses") || *described_list(s, "parameters"));
}

/* Adds to ALSO the types above S that are ports, each once. */
static void add_parents(struct portolan_text *also, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(s, i)->symbol;
        const char *known = also->bytes ? also->bytes : "";

        if (!symbol_inherits(parent, "gov.cca.Port") || !strcmp(parent->full_name, "gov.cca.Port"))
            continue;
        if (!portolan_has_word(known, parent->full_name))
            portolan_text_add(also, "%s%s ", *known ? "" : " ", parent->full_name);
        add_parents(also, parent);
    }
}

static void put_attribute(struct portolan_text *t, const char *name, const char *value)
{
    portolan_text_add(t, " %s=\"", name);
    portolan_text_add_xml(t, value);
    portolan_text_add(t, "\"");
}

static void put_ports(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_symbol *s, const char *kind)
{
    const char *at = described_list(s, kind);
    struct described port;

    while (described_next(e->arena, &at, &port)) {
        const struct portolan_sidl_symbol *type = portolan_sidl_find(e->model, port.type);
        struct portolan_text also = {.arena = e->arena};

        portolan_text_add(t, "  <%s", kind);
        put_attribute(t, "port", port.name);
        put_attribute(t, "type", port.type);
        if (type && !strcmp(kind, "provides"))
            add_parents(&also, type);
        if (also.length)
            put_attribute(t, "also",
                          portolan_arena_strndup(e->arena, also.bytes + 1, also.length - 2));
        portolan_text_add(t, "/>\n");
    }
}

static void put_parameters(struct emitter *e, struct portolan_text *t,
                           const struct portolan_sidl_symbol *s)
{
    const char *at = described_list(s, "parameters");
    struct described p;

    while (described_next(e->arena, &at, &p)) {
        portolan_text_add(t, "  <parameter");
        put_attribute(t, "name", p.name);
        put_attribute(t, "type", p.type);
        if (p.value)
            put_attribute(t, "default", p.value);
        portolan_text_add(t, "/>\n");
    }
}

/* The first sentence of the class's comment. */
static void put_summary(struct emitter *e, struct portolan_text *t, const char *comment)
{
    const char *end = comment ? strstr(comment, ". ") : NULL;
    char *text;

    if (!comment)
        return;
    text =
        portolan_arena_strndup(e->arena, comment, end ? (size_t)(end - comment) : strlen(comment));
    if (!text)
        return;
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (*text && text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = '\0';
    portolan_text_add(t, "  <summary>");
    portolan_text_add_xml(t, text);
    portolan_text_add(t, "</summary>\n");
}

void emit_description(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct portolan_text *t =
        &emit_open_raw(e, portolan_arena_printf(e->arena, "%s.xml", s->full_name))->text;
    const bool is_python = class_language(e, s) == PORTOLAN_SIDL_PYTHON;

    portolan_text_add(t,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<!-- " EMIT_BANNER "; changes will be lost. -->\n"
                      "<component class=\"%s\" %s%s%s\">\n",
                      s->full_name, is_python ? "language=\"Python\" module=\"" : "library=\"",
                      s->c_name, is_python ? "_Impl" : ".so");
    put_summary(e, t, s->comment);
    put_ports(e, t, s, "provides");
    put_ports(e, t, s, "uses");
    put_parameters(e, t, s);
    if (class_find_query(s))
        portolan_text_add(t, "  <applies query=\"true\"/>\n");
    portolan_text_add(t, "</component>\n");
}

const char *emit_register_head(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    return portolan_arena_printf(e->arena,
                                 "void %s__register(%s self, gov_cca_Services services, "
                                 "sidl_BaseInterface *_ex)",
                                 s->c_name, s->c_name);
}

void emit_register(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    const char *provides = described_list(s, "provides"), *uses = described_list(s, "uses");
    struct described port;

    portolan_text_add(t, "\n");
    emit_wrapped(e, t, 4, "%s", emit_register_head(e, s));
    portolan_text_add(t, "{\n    gov_cca_Port port = gov_cca_Port__cast(self, _ex);\n\n"
                         "    SIDL_CHECK(*_ex);\n");
    while (described_next(e->arena, &provides, &port))
        if (symbol_inherits(s, port.type)) /* else setServices must add the port */
            portolan_text_add(t,
                              "    gov_cca_Services_addProvidesPort(services, port, \"%s\",\n"
                              "        \"%s\", NULL, _ex);\n    SIDL_CHECK(*_ex);\n",
                              port.name, port.type);
    while (described_next(e->arena, &uses, &port))
        portolan_text_add(t,
                          "    gov_cca_Services_registerUsesPort(services, \"%s\",\n"
                          "        \"%s\", NULL, _ex);\n    SIDL_CHECK(*_ex);\n",
                          port.name, port.type);
    portolan_text_add(t, "    (void)services;\nEXIT:\n    sidl_reference_delete(port, NULL);\n}\n");
}

/* Blocks of an Impl file, until its author changes them */

/* The header of the package that a type belongs to; in C, unless it comes with Portolan. */
static void include_package(struct emitter *e, struct seen *seen, struct portolan_text *t,
                            const char *type, bool is_cxx)
{
    const struct portolan_sidl_symbol *symbol = portolan_sidl_find(e->model, type);

    if (symbol && is_cxx && see(seen, symbol->package))
        portolan_text_add(t, "#include \"%s.hxx\"\n", symbol->package->c_name);
    else if (symbol && !is_cxx && strncmp(type, "gov.cca.", 8) && strncmp(type, "portolan.", 9) &&
             see(seen, symbol->package))
        portolan_text_add(t, "#include \"%s\"\n", emit_package_header(e->arena, symbol->package));
}

const char *described_includes(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct portolan_text t = {.arena = e->arena};
    struct seen seen = {.arena = e->arena};
    const char *uses = described_list(s, "uses");
    const bool is_cxx = class_language(e, s) == PORTOLAN_SIDL_CXX;
    struct described port;

    if (!class_is_described(s))
        return "";
    if (!is_cxx)
        portolan_text_add(&t, "#include <portolan/%s.h>\n", "framework"); /* as in emit_skel.c */
    if (class_keeps_services(s) && !is_cxx)
        portolan_text_add(&t, "#include <stdlib.h>\n");
    while (described_next(e->arena, &uses, &port))
        include_package(e, &seen, &t, port.type, is_cxx);
    return t.bytes ? t.bytes : "";
}

const char *described_block(struct emitter *e, const struct portolan_sidl_symbol *s,
                            const char *block)
{
    static const struct {
        enum portolan_sidl_language language;
        bool of_all; /* described classes, not only those that keep their services */
        const char *block, *text;
    } presets[] = {
        {PORTOLAN_SIDL_C, false, "_data",
         "    gov_cca_Services services; /* the framework's; valid as long as the component "
         "is */\n"},
        {PORTOLAN_SIDL_C, false, "_ctor",
         "        struct @__data *data = calloc(1, sizeof *data);\n\n"
         "        if (!data)\n"
         "            SIDL_THROW(*_ex, sidl_MemAllocException, \"out of memory\");\n"
         "        @__set_data(self, data);\n    EXIT:;\n"},
        {PORTOLAN_SIDL_C, false, "_dtor", "        free(@__get_data(self));\n"},
        {PORTOLAN_SIDL_C, false, "setServices",
         "        @__get_data(self)->services = services;\n"
         "        @__register(self, services, _ex); /* the ports that SIDL states "
         "*/\n"},
        {PORTOLAN_SIDL_C, true, "setServices",
         "        @__register(self, services, _ex); /* the ports that SIDL states */\n"},
        {PORTOLAN_SIDL_CXX, false, "_implementation",
         "    gov_cca_Services services_ = nullptr; /* the framework's; valid as long as the "
         "component is */\n"},
        {PORTOLAN_SIDL_CXX, false, "setServices",
         "    services_ = services._ior();\n"
         "    @__register(_ior(), services_, portolan::check()); /* the ports that SIDL states "
         "*/\n"},
        {PORTOLAN_SIDL_CXX, true, "setServices",
         "    @__register(_ior(), services._ior(), portolan::check()); /* the ports that SIDL "
         "states */\n"},
        {PORTOLAN_SIDL_F03, false, "_data",
         "    type(gov_cca_Services_t) :: services ! the framework's\n"},
        {PORTOLAN_SIDL_F03, false, "_ctor",
         "    type(@_data), pointer :: data\n    allocate (data)\n"
         "    call @_set_data(self, data)\n"},
        {PORTOLAN_SIDL_F03, false, "_dtor",
         "    type(@_data), pointer :: data\n    call @_get_data(self, data)\n"
         "    deallocate (data)\n"},
        {PORTOLAN_SIDL_F03, false, "setServices",
         "    type(@_data), pointer :: data\n    call @_get_data(self, data)\n"
         "    data%services = services\n"
         "    call @_register(self, services, ex) ! the ports that SIDL states\n"},
        {PORTOLAN_SIDL_F03, true, "setServices",
         "    call @_register(self, services, ex) ! the ports that SIDL states\n"},
    };

    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (presets[i].language == class_language(e, s) && !strcmp(presets[i].block, block) &&
            (presets[i].of_all ? class_is_described(s) : class_keeps_services(s))) {
            struct portolan_text t = {.arena = e->arena};

            emit_named(&t, s->c_name, presets[i].text);
            return t.bytes;
        }
    return NULL;
}

bool class_is_component(const struct portolan_sidl_symbol *s)
{
    return !(s->flags & PORTOLAN_SIDL_ABSTRACT) && symbol_inherits(s, "gov.cca.Component");
}

const struct portolan_sidl_method *class_find_query(const struct portolan_sidl_symbol *s)
{
    for (; s; s = class_parent(s))
        for (size_t i = 0; i < s->n_methods; i++)
            if (portolan_sidl_attribute(s->methods[i]->attributes, s->methods[i]->n_attributes,
                                        "applies"))
                return s->methods[i];
    return NULL;
}
