/* SPDX-License-Identifier: BSD-3-Clause */
/* Why no call was seen. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Loaded because of the measuring only. */
static bool is_ours(const struct wrap_run *run, const char *file)
{
    if (same_file(file, run->front.file))
        return true;
    for (size_t i = 0; i < run->n_libraries; i++)
        if (*run->libraries[i].file && same_file(file, run->libraries[i].file))
            return true;
    return false;
}

const char *wrap_provider(struct wrap_run *run, const struct wrap_process *p)
{
    struct wrap_object o;

    for (size_t i = 0; i < p->objects.n; i++)
        if (!is_ours(run, p->objects.pairs[i].value) &&
            wrap_object_read(p->objects.pairs[i].value, run->front.functions,
                             run->front.n_functions, &o, NULL) == PORTOLAN_OK &&
            o.defines)
            return p->objects.pairs[i].value;
    return NULL;
}

/* What was found in an object, said of FILE; false: nothing. */
static bool tell(struct portolan_text *t, const char *file, const struct wrap_object *o,
                 bool is_program)
{
    if (is_program && (o->holds || o->defines) && !o->imports)
        portolan_text_add(t, "%s contains %s itself: it is linked statically with it", file,
                          o->example);
    else if (is_program && o->defines)
        portolan_text_add(t, "%s defines %s itself, which comes before all libraries", file,
                          o->example);
    else if (o->imports && !o->defines)
        portolan_text_add(t,
                          "%s imports %s, but did not call it; or it was opened with "
                          "RTLD_DEEPBIND, which binds it to its own library",
                          file, o->example);
    else if (o->defines && o->is_symbolic)
        portolan_text_add(t,
                          "%s calls its own %s (-Bsymbolic); others got it by dlsym() from a "
                          "handle, or not at all",
                          file, o->example);
    else
        return false;
    return true;
}

static const char *describe(struct wrap_run *run, struct wrap_process *p)
{
    struct portolan_text t = {.arena = &run->arena};
    const char *provider = NULL;
    struct wrap_object o;
    bool found = false;

    if (wrap_object_read(run->program.image, run->front.functions, run->front.n_functions, &o,
                         NULL) == PORTOLAN_OK)
        found = tell(&t, run->program.image, &o, true);
    for (size_t i = 0; i < p->objects.n && !found; i++) {
        const char *file = p->objects.pairs[i].value;

        if (is_ours(run, file) || wrap_object_read(file, run->front.functions,
                                                   run->front.n_functions, &o, NULL) != PORTOLAN_OK)
            continue;
        found = tell(&t, file, &o, false);
        if (!found && o.defines && !provider)
            provider = file;
    }
    if (!found && provider)
        portolan_text_add(&t,
                          "%s was loaded, but nothing that was loaded imports the functions: who "
                          "calls them takes them by dlsym() from a handle",
                          provider);
    else if (!found)
        portolan_text_add(&t,
                          "neither the program nor one of the %zu shared objects it loaded imports "
                          "one of them%s",
                          p->objects.n,
                          run->options->children ? ""
                                                 : "; if it starts the one that does, --children "
                                                   "measures that, too");
    return t.failed ? "" : t.bytes;
}

const char *wrap_why(struct wrap_run *run)
{
    struct wrap_process *p = run->processes[0];

    if (run->shared->orders.n_without_room)
        return "the program has too little address space (ulimit -v) for what is shared with it";
    if (!p)
        return "the program did not load what was to be preloaded: the dynamic linker refused it, "
               "or the program was another one by then";
    return describe(run, p);
}
