/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan new assembly`: instances for what a driver uses, and the connections between them. */
#include "project.h"

#include <portolan/palette.h>

#include <string.h>

struct instance {
    const char *name;
    const struct portolan_class_description *class;
};

/* An assembly being written; the parts of its file are joined at the end. */
struct assembly {
    struct change *c;
    struct portolan_palette *palette;
    struct instance *instances;
    size_t n_instances;
    const char *swap; /* the uses port of the driver for a SwapPoint; NULL: none */
    struct portolan_text elements, connections, monitors;
};

/* Describes the classes of the project's packages in the scratch folder, as `make` does in build/.
 */
static enum portolan_status describe_classes(struct change *c, const char *folder)
{
    struct portolan_words packages = {0};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < c->components.n && status == PORTOLAN_OK; i++) {
        const char *package = portolan_arena_strndup(&c->arena, c->components.word[i],
                                                     strcspn(c->components.word[i], "."));
        const char *file = change_path(c, CHANGE_PRINT(c, "%s.sidl", package));
        const struct portolan_sidl_options options = {
            .files = &file, .n_files = 1, .output_dir = folder, .server = true};

        if (!package || portolan_words_have(&packages, package))
            continue;
        portolan_words_add(&c->arena, &packages, package);
        status = portolan_sidl_compile(&options, c->project->d, c->err);
    }
    return status;
}

static enum portolan_status open_palette(struct assembly *a)
{
    struct change *c = a->c;
    const char *scratch = change_scratch(c), *folder = CHANGE_PRINT(c, "%s/build", scratch);
    enum portolan_status status = scratch ? describe_classes(c, folder) : c->err->status;

    if (status == PORTOLAN_OK)
        status = portolan_palette_create(&a->palette, c->err);
    if (status == PORTOLAN_OK && c->components.n)
        status = portolan_palette_add_path(a->palette, folder, c->project->d, c->err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_path(a->palette, c->project->folder, c->project->d, c->err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_defaults(a->palette, c->project->d, c->err);
    return status;
}

static const struct portolan_port_description *
port_of(const struct portolan_class_description *class, const char *type)
{
    for (size_t i = 0; i < class->n_provides; i++)
        if (portolan_port_is(&class->provides[i], type))
            return &class->provides[i];
    return NULL;
}

static const struct instance *find_provider(const struct assembly *a, const char *type)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (port_of(a->instances[i].class, type))
            return &a->instances[i];
    return NULL;
}

static bool is_taken(const struct assembly *a, const char *name)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (!strcmp(a->instances[i].name, name))
            return true;
    return !strcmp(name, "mastermind") || !strcmp(name, "optimizer") || !strcmp(name, "swap");
}

/* Adds an instance named after NAME; ALTERNATIVES has the elements of other classes. */
static const struct instance *add_instance(struct assembly *a, const char *name,
                                           const struct portolan_class_description *class,
                                           const char *alternatives)
{
    const char *free_name = name;
    struct instance *grown;

    for (int k = 2; is_taken(a, free_name); k++)
        free_name = CHANGE_PRINT(a->c, "%s%d", name, k);
    grown = portolan_arena_grow(&a->c->arena, a->instances, a->n_instances, sizeof *grown);
    if (!grown || !free_name)
        return NULL;
    a->instances = grown;
    grown += a->n_instances++;
    *grown = (struct instance){free_name, class};
    portolan_text_add(&a->elements, "  <instance name=\"%s\" class=\"%s\"", free_name,
                      class->class_name);
    if (*alternatives)
        portolan_text_add(&a->elements, ">\n%s  </instance>\n", alternatives);
    else
        portolan_text_add(&a->elements, "/>\n");
    return grown;
}

/* Whether the framework itself may provide what no class of the palette does. */
static bool is_of_framework(const char *type)
{
    return !strncmp(type, "gov.cca.", 8) || !strncmp(type, "portolan.", 9);
}

/* An instance for what USES needs: the first class that provides it; *NEW is NULL when none can. */
static enum portolan_status choose_provider(struct assembly *a,
                                            const struct portolan_port_description *uses,
                                            const struct instance **new)
{
    const struct portolan_class_description *class =
        portolan_palette_next_provider(a->palette, uses->type, NULL);
    const struct portolan_class_description *other = class;
    struct portolan_text alternatives = {.arena = &a->c->arena};

    *new = NULL;
    if (!class && (uses->optional || is_of_framework(uses->type)))
        return PORTOLAN_OK;
    if (!class)
        return portolan_error_set(
            a->c->err, PORTOLAN_ENOTFOUND,
            "no component provides %s, which is used here; make one: portolan new component CLASS "
            "--provides %s:%s",
            uses->type, uses->name, uses->type);
    while ((other = portolan_palette_next_provider(a->palette, uses->type, other)))
        if (!is_of_framework(uses->type) &&
            portolan_class_provides(other, port_of(class, uses->type)->name)) {
            portolan_text_add(&alternatives, "    <alternative class=\"%s\"/>\n",
                              other->class_name);
            change_say(a->c, "found    %s, an alternative to %s", other->class_name,
                       class->class_name);
        }
    *new = add_instance(a, uses->name, class, alternatives.bytes ? alternatives.bytes : "");
    return *new ? PORTOLAN_OK : portolan_no_memory(a->c->err);
}

static void connect(struct assembly *a, const char *user,
                    const struct portolan_port_description *uses, const struct instance *provider)
{
    portolan_text_add(&a->connections,
                      "  <connect user=\"%s\" uses=\"%s\" provider=\"%s\" provides=\"%s\"/>\n",
                      user, uses->name, provider->name, port_of(provider->class, uses->type)->name);
    if (!is_of_framework(uses->type))
        portolan_text_add(&a->monitors, "  <monitor user=\"%s\" uses=\"%s\"/>\n", user, uses->name);
}

/* Connects all uses ports of instance number I; instances that this adds have their turn later. */
static enum portolan_status connect_all(struct assembly *a, size_t i)
{
    const struct instance user = a->instances[i];
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; k < user.class->n_uses && status == PORTOLAN_OK; k++) {
        const struct portolan_port_description *uses = &user.class->uses[k];
        const struct instance *provider = find_provider(a, uses->type);

        if (!strcmp(uses->type, "portolan.ports.SwapPoint")) {
            portolan_text_add(&a->connections,
                              "  <connect user=\"%s\" uses=\"%s\" provider=\"swap\" "
                              "provides=\"swappoint\"/>\n",
                              user.name, uses->name);
            a->swap = uses->name;
            continue;
        }
        if (!provider)
            status = choose_provider(a, uses, &provider);
        if (status == PORTOLAN_OK && provider)
            connect(a, user.name, uses, provider);
    }
    return status;
}

/* Comments that tell what can be set, and varied in measurements. */
static const char *sweep_of(struct assembly *a, const struct portolan_class_description *driver)
{
    struct portolan_text t = {.arena = &a->c->arena};

    portolan_text_add(&t,
                      "  <!-- What `portolan measure` varies: give values to parameters on which "
                      "times depend.\n  <sweep>\n");
    for (size_t i = 0; i < driver->n_parameters; i++)
        portolan_text_add(&t, "    <vary instance=\"driver\" parameter=\"%s\" values=\"%s …\"/>\n",
                          driver->parameters[i].name,
                          driver->parameters[i].default_text ? driver->parameters[i].default_text
                                                             : "");
    portolan_text_add(&t, "  </sweep> -->\n");
    return driver->n_parameters ? t.bytes : "";
}

static const char *join(struct assembly *a, const char *name, const char *go)
{
    static const char optimizer[] =
        "  <instance name=\"optimizer\" class=\"portolan.Optimizer\"/>\n"
        "  <instance name=\"swap\" class=\"portolan.SwapPoint\"/>\n";
    static const char steps[] =
        "  <connect user=\"swap\" uses=\"mastermind\" provider=\"mastermind\" "
        "provides=\"steps\"/>\n"
        "  <connect user=\"swap\" uses=\"optimizer\" provider=\"optimizer\" provides=\"steps\"/>\n"
        "  <connect user=\"optimizer\" uses=\"records\" provider=\"mastermind\" "
        "provides=\"records\"/>\n";

    return CHANGE_PRINT(
        a->c,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- What runs, and what may run instead: portolan-assembly(5). -->\n"
        "<assembly name=\"%s\">\n"
        "  <path dir=\"build\"/> <!-- where `make` puts components, descriptions and proxies -->\n"
        "%s\n"
        "  <!-- Stores what is measured%s. -->\n"
        "  <instance name=\"mastermind\" class=\"portolan.Mastermind\">\n"
        "    <parameter name=\"store\" type=\"string\" value=\"%s.db\"/>\n"
        "  </instance>\n%s\n%s%s\n"
        "  <!-- What is measured. -->\n"
        "  <monitor instance=\"driver\" port=\"%s\"/>\n%s\n%s"
        "  <go instance=\"driver\" port=\"%s\"/>\n</assembly>\n",
        name, a->elements.bytes, a->swap ? ", and swaps implementations between two steps" : "",
        name, a->swap ? optimizer : "", a->connections.bytes ? a->connections.bytes : "",
        a->swap ? steps : "", go, a->monitors.bytes ? a->monitors.bytes : "",
        sweep_of(a, a->instances[0].class), go);
}

static enum portolan_status make(struct assembly *a, const struct portolan_new_assembly *of,
                                 const char *name)
{
    const struct portolan_class_description *driver = portolan_palette_find(a->palette, of->driver);
    const struct portolan_port_description *go =
        driver ? port_of(driver, "gov.cca.ports.GoPort") : NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!driver)
        return portolan_error_set(
            a->c->err, PORTOLAN_ENOTFOUND, "there is no class '%s'%s", of->driver,
            portolan_did_you_mean(portolan_palette_nearest(a->palette, of->driver)).text);
    if (!go)
        return portolan_error_set(a->c->err, PORTOLAN_EINVAL,
                                  "%s cannot start an assembly, it provides no "
                                  "gov.cca.ports.GoPort",
                                  of->driver);
    if (!add_instance(a, "driver", driver, ""))
        return portolan_no_memory(a->c->err);
    for (size_t i = 0; i < a->n_instances && status == PORTOLAN_OK; i++)
        status = connect_all(a, i);
    if (status != PORTOLAN_OK)
        return status;
    if (!a->swap)
        change_say(a->c,
                   "note: %s uses no portolan.ports.SwapPoint, so that nothing is swapped "
                   "while it runs",
                   of->driver);
    return change_make(a->c, CHANGE_PRINT(a->c, "%s.xml", name), join(a, name, go->name),
                       "add what is new to it by hand, or take another name: portolan new "
                       "assembly NAME --driver CLASS");
}

enum portolan_status portolan_project_add_assembly(struct portolan_project *p,
                                                   const struct portolan_new_assembly *of,
                                                   struct portolan_error *err)
{
    struct change c;
    enum portolan_status status = change_begin(&c, p, err);
    struct assembly a = {.c = &c,
                         .elements.arena = &c.arena,
                         .connections.arena = &c.arena,
                         .monitors.arena = &c.arena};
    const char *name = of->name
                           ? of->name
                           : portolan_arena_strndup(&c.arena, of->driver, strcspn(of->driver, "."));

    if (status == PORTOLAN_OK && (!*name || strpbrk(name, "/<>&\"' ")))
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "'%s' cannot name an assembly, whose file is NAME.xml", name);
    if (status == PORTOLAN_OK)
        status = open_palette(&a);
    if (status == PORTOLAN_OK)
        status = make(&a, of, name);
    if (status == PORTOLAN_OK)
        change_say(&c,
                   c.builds[PORTOLAN_BUILD_MAKE].text
                       ? "next: make run ASSEMBLY=%s.xml"
                       : "next: write assembly = '%s.xml' in meson.build, then: meson compile -C "
                         "build run",
                   name);
    portolan_palette_destroy(a.palette);
    return change_end(&c, status);
}
