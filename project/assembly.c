/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `portolan new assembly`: instances for what a driver uses, and the connections between them; or
 * lines for what is new in an assembly that is there, in which all else stays as it is.
 */
#include "project.h"

#include <portolan/assembly.h>
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
    const char *swap;              /* the uses port of the driver for a SwapPoint; NULL: none */
    struct portolan_assembly *old; /* what is there already; NULL: nothing */
    const char *text;              /* its file, with lines that are inserted */
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
    for (size_t i = 0; class && i < class->n_provides; i++)
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

/* Whether OTHER can stand for CLASS where a port of TYPE is used; tells people. */
static bool is_alternative(struct assembly *a, const struct portolan_class_description *other,
                           const struct portolan_class_description *class, const char *type)
{
    const struct portolan_port_description *port = port_of(class, type);

    if (other == class || is_of_framework(type) || !port ||
        !portolan_class_provides(other, port->name))
        return false;
    change_say(a->c, "found    %s, an alternative to %s", other->class_name, class->class_name);
    return true;
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
        if (is_alternative(a, other, class, uses->type))
            portolan_text_add(&alternatives, "    <alternative class=\"%s\"/>\n",
                              other->class_name);
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

/* Whether an assembly that is there connects that port, or its author may leave it alone. */
static bool is_settled(const struct assembly *a, const struct instance *user,
                       const struct portolan_port_description *uses)
{
    for (size_t i = 0; a->old && i < a->old->n_connections; i++)
        if (!strcmp(a->old->connections[i].user, user->name) &&
            !strcmp(a->old->connections[i].uses, uses->name))
            return true;
    return a->old && (uses->optional || is_of_framework(user->class->class_name));
}

/* Connects all uses ports of instance number I; instances that this adds have their turn later. */
static enum portolan_status connect_all(struct assembly *a, size_t i)
{
    const struct instance user = a->instances[i];
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; user.class && k < user.class->n_uses && status == PORTOLAN_OK; k++) {
        const struct portolan_port_description *uses = &user.class->uses[k];
        const struct instance *provider = find_provider(a, uses->type);
        const bool is_swap = !strcmp(uses->type, "portolan.ports.SwapPoint");

        if (is_settled(a, &user, uses))
            continue;
        if (a->old && is_swap && !provider) {
            change_say(a->c, "note: %s.%s needs a portolan.SwapPoint, as a new assembly has it",
                       user.name, uses->name);
            continue;
        }
        if (!a->old && is_swap) {
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
        "<!-- The components that run, and their alternatives: portolan-assembly(5). -->\n"
        "<assembly name=\"%s\">\n"
        "  <path dir=\"build\"/> <!-- where `make` puts components, descriptions and proxies -->\n"
        "%s\n"
        "  <!-- Stores what is measured%s. -->\n"
        "  <instance name=\"mastermind\" class=\"portolan.Mastermind\">\n"
        "    <parameter name=\"store\" type=\"string\" value=\"%s.db\"/>\n"
        "  </instance>\n%s\n%s%s\n"
        "  <!-- The measured ports. -->\n"
        "  <monitor instance=\"driver\" port=\"%s\"/>\n%s\n%s"
        "  <go instance=\"driver\" port=\"%s\"/>\n</assembly>\n",
        name, a->elements.bytes, a->swap ? ", and swaps implementations between two steps" : "",
        name, a->swap ? optimizer : "", a->connections.bytes ? a->connections.bytes : "",
        a->swap ? steps : "", go, a->monitors.bytes ? a->monitors.bytes : "",
        sweep_of(a, a->instances[0].class), go);
}

/* ------------------------------------------------------------------ an assembly that is there */

/* The next tag from AT on, comments passed over; NULL: none. */
static const char *next_tag(const char *at)
{
    while ((at = strchr(at, '<')) && !strncmp(at, "<!--", 4))
        if (!(at = strstr(at, "-->")))
            return NULL;
    return at;
}

/* The '>' of the tag at AT. */
static const char *end_of_tag(const char *at)
{
    for (char quote = 0; *at && (quote || *at != '>'); at++)
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
    return at;
}

/* The tag <ELEMENT …> whose text has WORDS; NULL: none. */
static const char *find_tag(struct assembly *a, const char *element, const char *words)
{
    const size_t length = strlen(element);

    for (const char *at = a->text; (at = next_tag(at)); at++) {
        const char *found = strstr(at, words);

        if (!strncmp(at + 1, element, length) && found && found < end_of_tag(at))
            return at;
    }
    return NULL;
}

static void set_text(struct assembly *a, const char *text)
{
    if (text) /* else the arena remembers that memory is out */
        a->text = text;
}

/* Puts LINES where the line of AT begins, or before AT if other things stand in front of it. */
static void insert_lines(struct assembly *a, const char *at, const char *lines)
{
    const char *line = at;

    while (line > a->text && (line[-1] == ' ' || line[-1] == '\t'))
        line--;
    if (line > a->text && line[-1] != '\n')
        line = at;
    set_text(a, CHANGE_PRINT(a->c, "%.*s%s%s", (int)(line - a->text), a->text, lines, line));
}

/* Adds alternatives, lines of text, to the element of an instance. */
static void insert_alternatives(struct assembly *a, const char *name, const char *lines)
{
    const char *words = CHANGE_PRINT(a->c, " name=\"%s\"", name);
    const char *tag = words ? find_tag(a, "instance", words) : NULL, *close = tag;
    const char *end = tag ? end_of_tag(tag) : NULL;

    if (end && end[-1] == '/') {
        set_text(a, CHANGE_PRINT(a->c, "%.*s>\n%s  </instance>%s", (int)(end - 1 - a->text),
                                 a->text, lines, end + 1));
        return;
    }
    while (close && strncmp(close, "</instance", 10) != 0)
        close = next_tag(close + 1);
    if (close)
        insert_lines(a, close, lines);
    else
        change_say(a->c, "note: add this to instance %s by hand:\n%s", name, lines);
}

static bool has_alternative(const struct portolan_assembly_instance *instance, const char *class)
{
    for (size_t i = 0; i < instance->n_alternatives; i++)
        if (!strcmp(instance->alternatives[i].class_name, class))
            return true;
    return false;
}

/* The first connection to that instance; NULL: none. */
static const struct portolan_assembly_connection *find_user(const struct assembly *a,
                                                            const char *provider)
{
    for (size_t i = 0; i < a->old->n_connections; i++)
        if (!strcmp(a->old->connections[i].provider, provider))
            return &a->old->connections[i];
    return NULL;
}

/* Adds the classes of the palette that could stand for an instance and are not among its own. */
static void extend_instance(struct assembly *a, const struct portolan_assembly_instance *instance,
                            const struct portolan_class_description *class)
{
    const struct portolan_assembly_connection *user = find_user(a, instance->name);
    const struct portolan_class_description *other = NULL;
    struct portolan_text lines = {.arena = &a->c->arena};
    const char *type = NULL;

    for (size_t i = 0; user && class && i < class->n_provides; i++)
        if (!strcmp(class->provides[i].name, user->provides))
            type = class->provides[i].type;
    while (type && (other = portolan_palette_next_provider(a->palette, type, other)))
        if (!has_alternative(instance, other->class_name) && is_alternative(a, other, class, type))
            portolan_text_add(&lines, "    <alternative class=\"%s\"/>\n", other->class_name);
    if (lines.bytes)
        insert_alternatives(a, instance->name, lines.bytes);
}

/* Fills the list of instances with those that are there; false: none is of class DRIVER. */
static bool take_instances(struct assembly *a, const char *driver)
{
    const size_t n = a->old->n_instances;
    bool has_driver = false;

    a->instances = portolan_arena_alloc(&a->c->arena, n, sizeof *a->instances);
    for (size_t i = 0; a->instances && i < n; i++) {
        const struct portolan_assembly_instance *instance = &a->old->instances[i];

        a->instances[a->n_instances++] = (struct instance){
            instance->name,
            portolan_palette_find(a->palette, instance->alternatives[0].class_name)};
        has_driver |= has_alternative(instance, driver);
    }
    return has_driver;
}

/* All that is new; the file's own text stays. */
static enum portolan_status extend(struct assembly *a, const char *file, const char *driver)
{
    const char *before = a->text, *end;
    enum portolan_status status = PORTOLAN_OK;

    if (!take_instances(a, driver))
        return portolan_error_set(a->c->err, PORTOLAN_EEXISTS,
                                  "%s is there already, and has no instance of %s; take another "
                                  "name: portolan new assembly NAME --driver %s",
                                  file, driver, driver);
    for (size_t i = 0; i < a->old->n_instances; i++)
        extend_instance(a, &a->old->instances[i], a->instances[i].class);
    for (size_t i = 0; i < a->n_instances && status == PORTOLAN_OK; i++)
        status = connect_all(a, i);
    end = find_tag(a, "/assembly", "");
    if (a->connections.length && end)
        insert_lines(a, end,
                     CHANGE_PRINT(a->c, "%s%s%s", a->elements.bytes ? a->elements.bytes : "",
                                  a->connections.bytes,
                                  a->monitors.bytes ? a->monitors.bytes : ""));
    if (a->text != before)
        change_extend(a->c, file, a->text);
    change_say(a->c, a->text == before ? "nothing is new: %s has all that fits" : "extended %s",
               file);
    return status;
}

/* ------------------------------------------------------------------ a new one */

/* Extends FILE if it is there, else makes it. */
static enum portolan_status make(struct assembly *a, const struct portolan_new_assembly *of,
                                 const char *name)
{
    const char *file = CHANGE_PRINT(a->c, "%s.xml", name);
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
    a->text = change_read(a->c, file);
    if (a->text) {
        status = portolan_assembly_read_text(a->text, strlen(a->text), file, a->c->project->d,
                                             &a->old, a->c->err);
        return status == PORTOLAN_OK ? extend(a, file, of->driver) : status;
    }
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
    return change_make(a->c, file, join(a, name, go->name), "");
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
    portolan_assembly_destroy(a.old);
    portolan_palette_destroy(a.palette);
    return change_end(&c, status);
}
