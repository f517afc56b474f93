/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that show an assembly: `check` and `draw`. */
#include "cli.h"

#include <portolan/command.h>
#ifdef PORTOLAN_HERCULE
#include <portolan/hercule_assembly.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct check_options {
    struct assembly_options assembly;
    const char **folders;
    size_t n_folders;
};

static const struct cli_option check_table[] = {
    {"knowledge", 'k', "DIR", "also read paradigms from the files *.clp in DIR; may be repeated",
     INTO_LIST(struct check_options, folders, n_folders)},
    TABLE_OF(assembly_table, struct check_options, assembly),
    {0},
};

#ifdef PORTOLAN_HERCULE
/* Checks that its <paradigm> has the components of the parts, and the factors that alternatives
 * remedy. */
static enum portolan_status check_paradigm(const struct portolan_assembly *a,
                                           const struct check_options *o,
                                           struct portolan_diagnostics *d,
                                           struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_knowledge *knowledge;
    struct portolan_part *parts;
    size_t n;
    enum portolan_status status =
        portolan_knowledge_read(o->folders, o->n_folders, d, &knowledge, err);

    if (!status)
        status = portolan_paradigm_declare(knowledge, a, &arena, &parts, &n, d, err);
    portolan_knowledge_destroy(knowledge);
    portolan_arena_clear(&arena);
    return status;
}
#else
/* Checks nothing: Portolan was built without knowledge of paradigms. */
static enum portolan_status check_paradigm(const struct portolan_assembly *a,
                                           const struct check_options *o,
                                           struct portolan_diagnostics *d,
                                           struct portolan_error *err)
{
    (void)a;
    (void)o;
    (void)d;
    (void)err;
    return PORTOLAN_OK;
}
#endif

/* -- Whether a run could load all classes. -- */

/* The classes that were loaded, and what failed. */
struct loading {
    const struct workbench *w;
    struct portolan_diagnostics *d;
    struct portolan_arena arena;
    struct portolan_words done;
};

/* In a child, which constructors of plug-ins may end; RESULT is shared with it. */
static void load_apart(const struct portolan_class_description *class,
                       struct portolan_error *result)
{
    enum { is_back = 73 }; /* not what a constructor would exit with */
    int status = 0;
    pid_t child;

    fflush(stdout);
    if ((child = fork()) == 0) {
        portolan_class_load(class, result);
        _exit(is_back);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != is_back)
        portolan_error_set(result, PORTOLAN_EFOREIGN,
                           "class '%s': to load %s ends the process by %s; rebuild it",
                           class->class_name, class->library,
                           WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
}

/* Reports at LINE of the assembly if the class cannot be loaded. */
static void check_loads(struct loading *l, const struct portolan_class_description *class, int line)
{
    struct portolan_error *result;

    if (!class || portolan_words_have(&l->done, class->class_name))
        return;
    portolan_words_add(&l->arena, &l->done, class->class_name);
    result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return;
    load_apart(class, result);
    if (result->status)
        portolan_diagnose(l->d, l->w->assembly->file, line, 0, "%s", result->text);
    munmap(result, sizeof *result);
}

/* The proxy of a connection, for the port that one of the user's classes has. */
static void check_proxy(struct loading *l, const struct portolan_assembly_connection *x)
{
    const struct portolan_assembly *a = l->w->assembly;
    const struct portolan_assembly_instance *user = portolan_assembly_peek_instance(a, x->user),
                                            *provider =
                                                portolan_assembly_peek_instance(a, x->provider);

    if (!x->monitored && (!provider || provider->n_alternatives < 2))
        return;
    if (x == &a->go)
        check_loads(l, portolan_palette_next_proxy(l->w->palette, "gov.cca.ports.GoPort", NULL),
                    x->line);
    for (size_t k = 0; user && k < user->n_alternatives; k++) {
        const struct portolan_class_description *class =
            portolan_palette_find(l->w->palette, user->alternatives[k].class_name);
        const struct portolan_port_description *port =
            class ? portolan_class_uses(class, x->uses) : NULL;

        if (port)
            check_loads(l, portolan_palette_next_proxy(l->w->palette, port->type, NULL), x->line);
    }
}

static enum portolan_status check_all_load(const struct workbench *w,
                                           struct portolan_diagnostics *d)
{
    const struct portolan_assembly *a = w->assembly;
    struct loading l = {.w = w, .d = d};
    int before = d->count;

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *x = &a->instances[i].alternatives[k];

            if (portolan_assembly_may_run(&a->instances[i], k))
                check_loads(&l, portolan_palette_find(w->palette, x->class_name),
                            x->line ? x->line : a->instances[i].line);
        }
    for (size_t i = 0; i < a->n_connections; i++)
        check_proxy(&l, &a->connections[i]);
    if (a->go.provider && a->go.monitored)
        check_proxy(&l, &a->go);
    portolan_arena_clear(&l.arena);
    return d->count == before ? PORTOLAN_OK : PORTOLAN_EFOREIGN;
}

/* -- Whether an Optimizer has something to do. -- */

static const struct portolan_assembly_connection *
find_connection(const struct portolan_assembly *a, const char *provider, const char *provides)
{
    for (size_t i = 0; i < a->n_connections; i++)
        if (!strcmp(a->connections[i].provider, provider) &&
            (!provides || !strcmp(a->connections[i].provides, provides)))
            return &a->connections[i];
    return NULL;
}

/* Why the Optimizer called NAME would never swap; NULL: it may. */
static const char *why_idle(const struct portolan_assembly *a, const char *name)
{
    const struct portolan_assembly_connection *steps = find_connection(a, name, "steps");
    bool has_choice = false;

    for (size_t i = 0; i < a->n_instances; i++)
        has_choice = has_choice || a->instances[i].n_alternatives > 1;
    if (!has_choice)
        return "no instance has an <alternative>";
    if (!steps)
        return "nothing calls its port 'steps'; connect the port 'optimizer' of a "
               "portolan.SwapPoint to it";
    return find_connection(a, steps->user, NULL)
               ? NULL
               : "no component uses the swap point that calls it between steps; connect one to it";
}

static void notice_idle(const struct workbench *w)
{
    const struct portolan_assembly *a = w->assembly;

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_class_description *class =
            portolan_palette_find(w->palette, a->instances[i].alternatives[0].class_name);
        const struct portolan_port_description *port =
            class ? portolan_class_provides(class, "optimizer") : NULL;
        const char *why = port && portolan_port_is(port, "portolan.ports.Optimizer")
                              ? why_idle(a, a->instances[i].name)
                              : NULL;

        if (why)
            printf("%s:%d: notice: '%s' would never swap anything: %s\n", a->file,
                   a->instances[i].line, a->instances[i].name, why);
    }
}

int command_check(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc =
            "Check an assembly against the available components, and load these. Prints one line "
            "per problem; the exit status is 1 if there is any.",
        .options = check_table,
    };
    struct check_options o = {0};
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_error err = {0};
    struct workbench w;
    enum portolan_status status;

    parse_line(&line, argc, argv, 0, &o);
    if (workbench_open(&w, &o.assembly, print_diagnostic, &err) != PORTOLAN_OK)
        return print_error(&err);
    status = w.assembly->paradigm ? check_paradigm(w.assembly, &o, &d, &err) : PORTOLAN_OK;
    if (!status)
        status = check_all_load(&w, &d);
    notice_idle(&w);
    if (!status)
        printf("%s: good: %zu instances, %zu connections\n", o.assembly.file,
               w.assembly->n_instances, w.assembly->n_connections);
    else if (!d.count)
        print_error(&err);
    workbench_close(&w);
    free(o.folders);
    return status != PORTOLAN_OK;
}

struct draw_options {
    struct assembly_options assembly;
    const char *output;
    bool text;
};

static const struct cli_option draw_table[] = {
    {"output", 'o', "FILE", "write to FILE instead of standard output",
     INTO(struct draw_options, output)},
    {"text", 't', NULL, "list instances, alternatives and connections as text",
     INTO(struct draw_options, text)},
    TABLE_OF(assembly_table, struct draw_options, assembly),
    {0},
};

/* "[proxy]" marks connections with a proxy: monitored, or ready for a swap. */
static void list_connection(const struct portolan_assembly *a,
                            const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_instance *provider =
        portolan_assembly_peek_instance(a, c->provider);
    bool swappable = provider && provider->n_alternatives > 1;

    printf("  %s.%s --%s--> %s.%s\n", c->user, c->uses,
           c->monitored ? "[timing proxy]"
           : swappable  ? "[proxy]"
                        : "",
           c->provider, c->provides);
}

static void list_assembly(const struct portolan_assembly *a)
{
    printf("assembly '%s' (%s)\n", a->name, a->file);
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];

        printf("  %-12s %s", instance->name, instance->alternatives[instance->selected].class_name);
        for (size_t k = 0; k < instance->n_alternatives; k++)
            if (k != instance->selected)
                printf(" | %s", instance->alternatives[k].class_name);
        printf("\n");
    }
    printf("connections\n");
    for (size_t i = 0; i < a->n_connections; i++)
        list_connection(a, &a->connections[i]);
}

int command_draw(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Draw an assembly as a Graphviz graph: portolan draw a.xml | dot -Tsvg > a.svg",
        .options = draw_table,
    };
    struct draw_options o = {0};
    struct portolan_error err = {0};
    struct workbench w;
    char *dot;
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (workbench_open(&w, &o.assembly, print_diagnostic, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (o.text) {
        list_assembly(w.assembly);
    } else if (portolan_assembly_draw(w.assembly, w.palette, &dot, &err) == PORTOLAN_OK) {
        result = write_text(o.output, dot);
        free(dot);
    } else {
        result = print_error(&err);
    }
    workbench_close(&w);
    return result;
}
