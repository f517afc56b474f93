/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan new component`: a class in SIDL, its Impl files, and a line in the build file. */
#include "project.h"

#include <string.h>

/* A component being made. */
struct component {
    struct change *c;
    const struct portolan_new_component *of;
    const char *package, *c_name;
    struct portolan_text attributes, implements;  /* of the class in SIDL */
    struct portolan_text includes, blocks;        /* of its Impl file */
    struct portolan_text get, release, variables; /* of its go, if it drives */
    const char *swap;                             /* its uses port for a SwapPoint; NULL: none */
    const struct language *language;
    bool is_driver;
};

/* Adds a line to the includes of the Impl file, once. */
static void include(struct component *k, const char *line)
{
    if (line && !(k->includes.bytes && strstr(k->includes.bytes, line)))
        portolan_text_add(&k->includes, "%s", line);
}

/* Splits "NAME:TYPE" or reports that it is not so. */
static enum portolan_status split(struct component *k, const char *text, const char *option,
                                  const char **name, const char **type)
{
    const char *colon = strchr(text, ':');

    if (!colon || colon == text || !colon[1] || strpbrk(text, " \t\""))
        return portolan_error_set(k->c->err, PORTOLAN_EINVAL,
                                  "--%s '%s': write NAME:TYPE, as in smoother:my.Smoother", option,
                                  text);
    *name = portolan_arena_strndup(&k->c->arena, text, (size_t)(colon - text));
    *type = colon + 1;
    return *name ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* Adds an attribute KIND="…" of what LIST has. */
static void add_attribute(struct component *k, const char *kind, const struct portolan_words *list)
{
    for (size_t i = 0; i < list->n; i++)
        portolan_text_add(&k->attributes, "%s%s",
                          i                      ? " "
                          : k->attributes.length ? CHANGE_PRINT(k->c, ",\n          %s=\"", kind)
                                                 : CHANGE_PRINT(k->c, "%s=\"", kind),
                          list->word[i]);
    if (list->n)
        portolan_text_add(&k->attributes, "\"");
}

static enum portolan_status add_provides(struct component *k, const char *text)
{
    const char *name, *type;
    bool is_in_c = false;
    enum portolan_status status = split(k, text, "provides", &name, &type);

    if (status == PORTOLAN_OK)
        status = sidl_find_port(k->c, type, &is_in_c);
    if (status == PORTOLAN_OK && is_in_c)
        return portolan_error_set(k->c->err, PORTOLAN_EINVAL,
                                  "%s is a struct in a C header: --from-header FILE:STRUCT makes a "
                                  "component that provides one",
                                  type);
    if (status != PORTOLAN_OK)
        return status;
    k->is_driver |= !strcmp(type, "gov.cca.ports.GoPort");
    portolan_text_add(&k->implements, "%s, ", type);
    return sidl_require(k->c, k->package, type);
}

/* The line that a port of TYPE in SIDL needs in the Impl file; NULL: none. */
static const char *include_of(struct component *k, const char *type)
{
    const bool is_builtin = !strncmp(type, "gov.", 4) || !strncmp(type, "portolan.", 9);
    const char *end = k->language->includes_all ? strrchr(type, '.') : strchr(type, '.');
    char *package = portolan_arena_strndup(&k->c->arena, type, (size_t)(end - type));

    for (char *dot = package; dot && (dot = strchr(dot, '.'));)
        *dot = '_';
    return package && (k->language->includes_all || !is_builtin)
               ? change_fill(k->c, k->language->include, package)
               : NULL;
}

/* TYPE with other separators: my_Smoother, ::my::Smoother. */
static const char *spelled(struct component *k, const char *type)
{
    struct portolan_text t = {.arena = &k->c->arena};

    for (; *type; type++)
        portolan_text_add(&t, *type == '.' ? "%s" : "%.1s",
                          *type == '.' ? k->language->separator : type);
    return t.bytes;
}

/* A uses port: also the lines of go that get and release it. */
static enum portolan_status add_uses(struct component *k, const char *text)
{
    const struct language *l = k->language;
    const char *name, *type;
    const struct port_texts *lines = &l->in_sidl;
    struct header_port h;
    bool is_in_c = false;
    enum portolan_status status = split(k, text, "uses", &name, &type);

    if (status == PORTOLAN_OK)
        status = sidl_find_port(k->c, type, &is_in_c);
    if (status != PORTOLAN_OK)
        return status;
    if (is_in_c && header_known(k->c, type, &h)) {
        lines = &l->in_c;
        if (!lines->variable)
            return portolan_error_set(k->c->err, PORTOLAN_EINVAL,
                                      "%s is a struct in a C header, which components in %s cannot "
                                      "use; write this one in C or C++",
                                      type, l->name);
        include(k, CHANGE_PRINT(k->c, "#include \"%s\"\n", h.file));
        portolan_text_add(&k->variables, lines->variable, header_is_tag(k->c, &h) ? "struct " : "",
                          h.name, name, name);
    } else {
        include(k, include_of(k, type));
        include(k, l->include_port);
        portolan_text_add(&k->variables, lines->variable, "", spelled(k, type), name, name);
        if (!strcmp(type, "portolan.ports.SwapPoint"))
            k->swap = name;
    }
    portolan_text_add(&k->get, "%s", change_fill(k->c, CHANGE_PRINT(k->c, lines->get, type), name));
    portolan_text_add(&k->release, "%s", change_fill(k->c, lines->release, name));
    return is_in_c ? PORTOLAN_OK : sidl_require(k->c, k->package, type);
}

static void add_block(struct component *k, const char *name, const char *text)
{
    const struct language *l = k->language;
    const char *class_name = k->of->class_name;

    portolan_text_add(&k->blocks,
                      "%s DO-NOT-DELETE splicer.begin(%s.%s)%s\n%s%s%s DO-NOT-DELETE "
                      "splicer.end(%s.%s)%s\n",
                      l->comment, class_name, name, l->comment_end, text,
                      *name == '_' ? "" : l->indent, l->comment, class_name, name, l->comment_end);
}

static void add_go(struct component *k)
{
    const struct language *l = k->language;
    struct portolan_text t = {.arena = &k->c->arena};

    portolan_text_add(&t, "%s", change_fill(k->c, l->go, k->c_name));
    if (k->swap && l->step)
        portolan_text_add(&t, "%s", l->step);
    portolan_text_add(&t, "%s%s%s", k->variables.bytes, change_fill(k->c, l->begin, k->c_name),
                      k->get.bytes);
    portolan_text_add(&t, "%s%s%s%s", k->swap ? change_fill(k->c, l->steps, k->swap) : l->no_steps,
                      l->leave, k->release.bytes, l->end);
    add_block(k, "go", t.bytes ? t.bytes : "");
}

/* The component hands out an object of C. */
static enum portolan_status add_foreign(struct component *k, const struct header_port *h,
                                        const char *object)
{
    const char *name = h->name;
    struct portolan_text t = {.arena = &k->c->arena};

    for (size_t i = 0; i < k->of->provides.n; i++)
        name = portolan_arena_strndup(&k->c->arena, k->of->provides.word[i],
                                      strcspn(k->of->provides.word[i], ":"));
    include(k, CHANGE_PRINT(k->c, "#include \"%s\"\n", h->file));
    portolan_text_add(&t,
                      "        gov_cca_Port object = portolan_foreign_create((void *)%s, \"%s\", "
                      "_ex);\n\n"
                      "        SIDL_CHECK(*_ex);\n"
                      "        gov_cca_Services_addProvidesPort(services, object, \"%s\", "
                      "\"%s\", NULL, _ex);\n",
                      object, h->type, name, h->type);
    if (k->of->uses.n || k->of->parameters.n)
        portolan_text_add(&t, "        %s__get_data(self)->services = services;\n", k->c_name);
    portolan_text_add(&t,
                      "        SIDL_CHECK(*_ex);\n"
                      "        %s__register(self, services, _ex); /* what else SIDL states */\n"
                      "    EXIT:\n"
                      "        gov_cca_Port_deleteRef(object, NULL);\n",
                      k->c_name);
    add_block(k, "setServices", t.bytes ? t.bytes : "");
    portolan_text_add(&k->attributes, "provides=\"%s:%s\"", name, h->type);
    if (h->is_new)
        change_add_line(k->c, "PORTS", NULL,
                        CHANGE_PRINT(k->c, "%s=%s:%s", h->type, h->file, h->name));
    return PORTOLAN_OK;
}

static enum portolan_status add_header(struct component *k)
{
    const char *object = k->of->object, *type = NULL, *name;
    struct header_port h = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (k->of->provides.n > 1)
        return portolan_error_set(
            k->c->err, PORTOLAN_EINVAL,
            "with --from-header a component has one --provides, the object's");
    if (k->of->provides.n)
        status = split(k, k->of->provides.word[0], "provides", &name, &type);
    if (status == PORTOLAN_OK)
        status = header_find(k->c, k->of->header, type, k->package, &h);
    if (status == PORTOLAN_OK && !object)
        status = header_find_object(k->c, &h, &object);
    return status == PORTOLAN_OK ? add_foreign(k, &h, object) : status;
}

static enum portolan_status add_ports(struct component *k)
{
    const struct portolan_new_component *of = k->of;
    const char *name, *type;
    enum portolan_status status = of->header ? add_header(k) : PORTOLAN_OK;

    for (size_t i = 0; !of->header && i < of->provides.n && status == PORTOLAN_OK; i++)
        status = add_provides(k, of->provides.word[i]);
    for (size_t i = 0; i < of->uses.n && status == PORTOLAN_OK; i++)
        status = add_uses(k, of->uses.word[i]);
    for (size_t i = 0; i < of->parameters.n && status == PORTOLAN_OK; i++)
        status = split(k, of->parameters.word[i], "parameter", &name, &type);
    if (!of->header)
        add_attribute(k, "provides", &of->provides);
    add_attribute(k, "uses", &of->uses);
    add_attribute(k, "parameters", &of->parameters);
    return status;
}

/* Lines of the build file; a C file of its own beside the header is taken for the object's. */
static enum portolan_status add_lines(struct component *k)
{
    const struct portolan_new_component *of = k->of;
    struct portolan_text sources = {.arena = &k->c->arena};

    change_add_line(k->c, "COMPONENTS", NULL, of->class_name);
    for (size_t i = 0; i < of->sources.n; i++) {
        if (!change_read(k->c, of->sources.word[i]))
            return portolan_error_set(k->c->err, PORTOLAN_ENOTFOUND,
                                      "there is no file '%s' for --source", of->sources.word[i]);
        portolan_text_add(&sources, "%s%s", i ? " " : "", of->sources.word[i]);
    }
    if (sources.bytes)
        change_add_line(k->c, "SOURCES", of->class_name, sources.bytes);
    if (of->libs)
        change_add_line(k->c, "LIBS", of->class_name, of->libs);
    return PORTOLAN_OK;
}

static enum portolan_status make(struct component *k)
{
    const char *class_name = k->of->class_name;
    struct portolan_sidl_model *model = NULL;
    const char *declaration;
    enum portolan_status status = add_ports(k);

    if (status != PORTOLAN_OK)
        return status;
    if (k->includes.length)
        add_block(k, "_includes",
                  k->language->name
                      ? k->includes.bytes
                      : CHANGE_PRINT(k->c, "#include <portolan/%s.h>\n#include <stdlib.h>\n%s",
                                     "framework", k->includes.bytes)); /* for tests/arrows.sh */
    if (k->is_driver && k->of->uses.n && k->language->go)
        add_go(k);
    if (k->language->name)
        portolan_text_add(&k->attributes, ", language=\"%s\"", k->language->name);
    declaration = CHANGE_PRINT(k->c,
                               "  /** %s: say here what it does. */\n  %%attrib{%s}\n"
                               "  class %s implements-all %sgov.cca.Component {}\n",
                               class_name, k->attributes.bytes, strchr(class_name, '.') + 1,
                               k->implements.bytes ? k->implements.bytes : "");
    status = declaration ? sidl_declare(k->c, class_name, declaration, &model) : PORTOLAN_ENOMEM;
    if (status == PORTOLAN_OK)
        status = k->of->language == PORTOLAN_SIDL_PYTHON
                     ? python_implement(k->c, model, k->of)
                     : sidl_implement(k->c, model, class_name, k->blocks.bytes);
    portolan_sidl_destroy(model);
    return status == PORTOLAN_OK ? add_lines(k) : status;
}

enum portolan_status portolan_project_add_component(struct portolan_project *p,
                                                    const struct portolan_new_component *of,
                                                    struct portolan_error *err)
{
    struct change c;
    struct component k = {.c = &c, .of = of, .language = language_get(of->language)};
    enum portolan_status status = change_begin(&c, p, err);
    struct portolan_text *const texts[] = {&k.attributes, &k.implements, &k.includes, &k.blocks,
                                           &k.get,        &k.release,    &k.variables};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i]->arena = &c.arena;
    if (status == PORTOLAN_OK)
        status = sidl_check_name(&c, of->class_name, "a class");
    if (status == PORTOLAN_OK && !of->provides.n && !of->header)
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "a component needs a port that it provides: --provides "
                                    "NAME:TYPE, or --from-header FILE:STRUCT");
    if (status == PORTOLAN_OK && of->header && k.language->name)
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "a component of a header only hands out its object, in C; the "
                                    "object's own code may be in C++ or Fortran: --source FILE.cc");
    if (status == PORTOLAN_OK) {
        k.package = portolan_arena_strndup(&c.arena, of->class_name, strcspn(of->class_name, "."));
        k.c_name = CHANGE_PRINT(&c, "%s_%s", k.package, strchr(of->class_name, '.') + 1);
        status = make(&k);
    }
    if (status == PORTOLAN_OK && !of->header)
        change_say(&c, "next: write your code %s %s_Impl.%s, then: %s",
                   of->language == PORTOLAN_SIDL_PYTHON ? "in" : "between the splicer comments of",
                   k.c_name, k.language->endings[0],
                   c.builds[PORTOLAN_BUILD_MAKE].text ? "make" : "meson compile -C build");
    if (status == PORTOLAN_OK && !k.is_driver)
        change_say(&c, "to an assembly that is there it is added by: portolan new assembly NAME "
                       "--driver CLASS");
    return change_end(&c, status);
}
