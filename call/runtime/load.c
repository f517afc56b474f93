/* SPDX-License-Identifier: BSD-3-Clause */
/* The library for the experiment store, which lies beside this one. */
#include "report.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *path_beside(const char *name)
{
    static const char here; /* in this library */
    Dl_info own;
    const char *slash;

    if (!dladdr(&here, &own) || !own.dli_fname || !(slash = strrchr(own.dli_fname, '/')))
        return portolan_strdup(name);
    return portolan_asprintf("%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, name);
}

/* Never unloaded. */
static cll_store_put_fn *load(struct portolan_error *err)
{
    char *path = path_beside(CLL_STORE_LIBRARY);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    cll_store_put_fn *put = NULL;

    if (!path)
        portolan_no_memory(err);
    else if (!library || !(*(void **)&put = dlsym(library, "portolan_cll_store_put")))
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                           "the library for the experiment store cannot be loaded: %s", dlerror());
    free(path);
    return put;
}

enum portolan_status cll_store_put(const struct cll_run *run, const char *path,
                                   struct portolan_error *err)
{
    static cll_store_put_fn *put; /* under the lock of reports */

    if (!put && !(put = load(err)))
        return err->status;
    return put(run, path, err);
}
