/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A choice among objects of a program: each becomes a component of the program, in an assembly with
 * Mastermind and Optimizer that is written here.
 */
#include <portolan/candidates.h>
#include <portolan/embed.h>

#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A candidate as a component class. */
struct candidate_class {
    struct portolan_component component; /* first: the palette's class leads here */
    const char *type;
    void *object;
    char *name, *description;
};

struct portolan_choice {
    struct portolan_embedded *embedded;
    struct candidate_class *classes;
    size_t n_classes;
    char *proxy_description, *assembly;
    portolan_ports_SwapPoint swap;
    portolan_ports_Optimizer optimizer;
    int32_t step;
};

/* The instance's class says which object it provides. */
static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    const struct services *s = (const struct services *)services->d_object;
    const struct candidate_class *class = (const void *)s->class->builtin;
    gov_cca_Port port = portolan_foreign_create(class->object, class->type, _ex);

    (void)self;
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, port, "object", class->type, NULL, _ex);
EXIT:
    sidl_reference_delete(port, NULL);
}

static const struct gov_cca_Component__epv candidate_epv = {.f_setServices = set_services};
static const struct sidl_implements candidate_implements[] = {
    {&gov_cca_Component__type, &candidate_epv}};
static const struct sidl_class candidate_sidl_class = {.name = "portolan.Candidate",
                                                       .version = "0.1",
                                                       .size = sizeof(struct sidl_object),
                                                       .implements = candidate_implements,
                                                       .n_implements = 1};

static gov_cca_Component create_candidate(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&candidate_sidl_class, _ex), "gov.cca.Component");
}

static void describe_candidate(struct candidate_class *class, const char *type, const char *choice,
                               const struct portolan_candidate *candidate)
{
    class->type = type;
    class->object = (void *)candidate->object;
    class->name = portolan_asprintf("%s.%s", choice, candidate->name);
    class->description =
        portolan_asprintf("<component class=\"%s\" library=\"none\">\n"
                          "  <provides port=\"object\" type=\"%s\"/>\n</component>\n",
                          class->name ? class->name : "", type);
    class->component = (struct portolan_component){.size = sizeof class->component,
                                                   .abi = PORTOLAN_COMPONENT_ABI,
                                                   .class_name = class->name,
                                                   .create = create_candidate};
}

static char *describe_proxy(const char *type)
{
    return portolan_asprintf(
        "<component class=\"%sProxy\" library=\"none\" proxy-for=\"%s\">\n"
        "  <provides port=\"provide\" type=\"%s\"/>\n  <uses port=\"use\" type=\"%s\"/>\n"
        "  <uses port=\"monitor\" type=\"portolan.ports.Monitor\" optional=\"true\"/>\n"
        "</component>\n",
        type, type, type, type);
}

static char *write_assembly(const struct portolan_choice *c, const char *name)
{
    struct portolan_text t = {0};
    char *text = NULL;

    portolan_text_add(&t,
                      "<assembly name=\"%s\">\n"
                      "  <instance name=\"swap\" class=\"portolan.SwapPoint\"/>\n"
                      "  <instance name=\"%s\" class=\"%s\">\n",
                      name, name, c->classes[0].name);
    for (size_t i = 1; i < c->n_classes; i++)
        portolan_text_add(&t, "    <alternative class=\"%s\"/>\n", c->classes[i].name);
    portolan_text_add(
        &t,
        "  </instance>\n"
        "  <instance name=\"mastermind\" class=\"portolan.Mastermind\">\n"
        "    <parameter name=\"store\" type=\"string\" value=\"%s.db\"/>\n  </instance>\n"
        "  <instance name=\"optimizer\" class=\"portolan.Optimizer\"/>\n"
        "  <connect user=\"swap\" uses=\"mastermind\" provider=\"mastermind\" "
        "provides=\"steps\"/>\n"
        "  <connect user=\"swap\" uses=\"optimizer\" provider=\"optimizer\" provides=\"steps\"/>\n"
        "  <connect user=\"optimizer\" uses=\"records\" provider=\"mastermind\" "
        "provides=\"records\"/>\n</assembly>\n",
        name);
    portolan_text_take(&t, &text, NULL);
    return text;
}

/* All classes and the assembly, as texts. */
static struct portolan_choice *describe(const char *type, const char *name,
                                        const struct portolan_candidate *candidates, size_t n,
                                        struct portolan_error *err)
{
    struct portolan_choice *c = portolan_calloc(1, sizeof *c);
    bool good = c != NULL;

    if (c)
        c->classes = portolan_calloc(n, sizeof *c->classes);
    for (size_t i = 0; c && c->classes && i < n; i++) {
        describe_candidate(&c->classes[c->n_classes++], type, name, &candidates[i]);
        good = good && c->classes[i].name && c->classes[i].description;
    }
    if (good && c->classes) {
        c->proxy_description = describe_proxy(type);
        c->assembly = write_assembly(c, name);
    }
    if (c && c->assembly && c->proxy_description)
        return c;
    portolan_no_memory(err);
    portolan_choice_close(c);
    return NULL;
}

static enum portolan_status add_classes(void *arg, struct portolan_palette *p,
                                        struct portolan_error *err)
{
    const struct portolan_choice *c = arg;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < c->n_classes && status == PORTOLAN_OK; i++) {
        if (portolan_palette_find(p, c->classes[i].name))
            return portolan_error_set(err, PORTOLAN_EEXISTS, "two candidates are called '%s'",
                                      strrchr(c->classes[i].name, '.') + 1);
        status = portolan_palette_add_builtin(p, &c->classes[i].component,
                                              c->classes[i].description, err);
    }
    return status;
}

/* Commands that read the store have no file of this assembly. */
static bool store_assembly(struct portolan_choice *c, struct portolan_error *err)
{
    portolan_ports_Monitor monitor =
        portolan_embedded_use(c->embedded, "mastermind", "monitor", err);
    sidl_BaseInterface ex = NULL;

    if (!monitor)
        return false;
    portolan_ports_Monitor_setMetadata(monitor, PORTOLAN_ASSEMBLY_TEXT, c->assembly, &ex);
    return portolan_catch(&ex, err) == PORTOLAN_OK;
}

/* The object to call, with the first step begun; NULL with ERR set. */
static void *begin(struct portolan_choice *c, const char *name, struct portolan_error *err)
{
    portolan_ForeignPort port = portolan_embedded_use(c->embedded, name, "object", err);
    sidl_BaseInterface ex = NULL;
    void *object = NULL;

    c->swap = portolan_embedded_use(c->embedded, "swap", "swappoint", err);
    c->optimizer = portolan_embedded_use(c->embedded, "optimizer", "optimizer", err);
    if (!port || !c->swap || !c->optimizer || !store_assembly(c, err))
        return NULL;
    portolan_ports_SwapPoint_reached(c->swap, 0, &ex);
    if (portolan_catch(&ex, err) == PORTOLAN_OK)
        object = portolan_ForeignPort_getPointer(port, &ex);
    return portolan_catch(&ex, err) == PORTOLAN_OK ? object : NULL;
}

void *portolan_choice_open(const struct portolan_component *proxy, const char *type,
                           const char *name, const struct portolan_candidate *candidates, size_t n,
                           struct portolan_cohort *cohort, struct portolan_choice **choice,
                           struct portolan_error *err)
{
    struct embedded_source source = {.file = "program", .add_classes = add_classes, .proxy = proxy};
    struct portolan_choice *c;
    void *object = NULL;

    *choice = NULL;
    if (!n) {
        portolan_error_set(err, PORTOLAN_EINVAL, "choice '%s' has no candidates", name);
        return NULL;
    }
    if (!(c = describe(type, name, candidates, n, err)))
        return NULL;
    source.text = c->assembly;
    source.arg = c;
    source.proxy_description = c->proxy_description;
    if (embedded_open(&source, cohort, &c->embedded, err) == PORTOLAN_OK)
        object = begin(c, name, err);
    if (object)
        *choice = c;
    else
        portolan_choice_close(c);
    return object;
}

enum portolan_status portolan_choice_step(struct portolan_choice *c, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_SwapPoint_reached(c->swap, ++c->step, &ex);
    return portolan_catch(&ex, err);
}

enum portolan_status portolan_choice_announce(struct portolan_choice *c, const char *context,
                                              double value, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_SwapPoint_announce(c->swap, context, value, &ex);
    return portolan_catch(&ex, err);
}

char *portolan_choice_explain(struct portolan_choice *c, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    char *text = portolan_ports_Optimizer_explain(c->optimizer, &ex), *copy = portolan_strdup(text);

    sidl_String_free(text);
    if (portolan_catch(&ex, err) == PORTOLAN_OK && !copy)
        portolan_no_memory(err);
    return copy;
}

void portolan_choice_close(struct portolan_choice *c)
{
    if (!c)
        return;
    portolan_embedded_close(c->embedded);
    for (size_t i = 0; i < c->n_classes; i++) {
        free(c->classes[i].name);
        free(c->classes[i].description);
    }
    free(c->classes);
    free(c->proxy_description);
    free(c->assembly);
    free(c);
}
