/* SPDX-License-Identifier: BSD-3-Clause */
/* What only a look at the whole shows of an assembly that is written well. */
#include <portolan/command.h>
#include <portolan/framework.h>
#include <portolan/workbench.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------- whether a run could load all classes */

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

enum portolan_status workbench_check_loads(const struct workbench *w,
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

/* ------------------------------------------------- whether an Optimizer has something to do */

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

const char *workbench_why_idle(const struct workbench *w,
                               const struct portolan_assembly_instance *instance)
{
    const struct portolan_class_description *class =
        portolan_palette_find(w->palette, instance->alternatives[0].class_name);
    const struct portolan_port_description *port =
        class ? portolan_class_provides(class, "optimizer") : NULL;

    return port && portolan_port_is(port, "portolan.ports.Optimizer")
               ? why_idle(w->assembly, instance->name)
               : NULL;
}
