/* SPDX-License-Identifier: BSD-3-Clause */
/* sidl.DFinder: finds libraries by .scl files in SIDL_DLL_PATH. */
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "scl.h"
#include "sidl_DFinder.h"

struct finder {
    struct sidl_object object;
    char *path; /* NULL: as SIDL_DLL_PATH says */
};

/* Called with the lock held. */
static const char *path_of(const struct finder *finder)
{
    const char *path = finder->path ? finder->path : getenv("SIDL_DLL_PATH");

    return path ? path : "";
}

/* Says which file named the library that PROBLEM, which is dropped, is about. */
static void throw_unloadable(const char *class_name, const struct scl_library *library,
                             sidl_BaseInterface problem, sidl_BaseInterface *_ex)
{
    sidl_BaseException base = sidl_BaseException__cast(problem, NULL);
    sidl_BaseInterface ignored = NULL;
    char *note = sidl_BaseException_getNote(base, &ignored);

    sidl_exception_throw_text(_ex, "class %s, which is in %s according to %s: %s", class_name,
                              library->uri, library->file, note ? note : "");
    SIDL_CLEAR(ignored);
    sidl_String_free(note);
    sidl_BaseException_deleteRef(base, NULL);
    SIDL_CLEAR(problem);
}

static sidl_DLL load(const char *class_name, const struct scl_library *library,
                     enum sidl_Scope__enum scope, enum sidl_Resolve__enum resolve,
                     sidl_BaseInterface *_ex)
{
    const bool is_global =
        scope == sidl_Scope_SCLSCOPE ? library->is_global : scope == sidl_Scope_GLOBAL;
    const bool is_lazy =
        resolve == sidl_Resolve_SCLRESOLVE ? !library->is_now : resolve == sidl_Resolve_LAZY;
    sidl_BaseInterface problem = NULL;
    sidl_DLL dll = loader_load_library(library->uri, is_global, is_lazy, &problem);

    if (SIDL_CATCH(problem, "sidl.MemAllocException"))
        *_ex = problem;
    else if (problem)
        throw_unloadable(class_name, library, problem, _ex);
    return dll;
}

static sidl_DLL finder_findLibrary(void *self, const char *sidl_name, const char *target,
                                   enum sidl_Scope__enum scope, enum sidl_Resolve__enum resolve,
                                   sidl_BaseInterface *_ex)
{
    struct scl_library library;
    enum portolan_status status;
    sidl_DLL dll = NULL;

    class_lock();
    status = scl_search(path_of(self), sidl_name, target, &library, NULL);
    if (status == PORTOLAN_OK)
        dll = load(sidl_name, &library, scope, resolve, _ex);
    else if (status == PORTOLAN_ENOMEM)
        sidl_exception_throw_no_memory(_ex);
    scl_library_clear(&library);
    class_unlock();
    return dll;
}

/* PATH becomes the search path; NULL: memory was out. */
static void replace_path(struct finder *finder, char *path, sidl_BaseInterface *_ex)
{
    if (path) {
        free(finder->path);
        finder->path = path;
    } else {
        sidl_exception_throw_no_memory(_ex);
    }
}

static void finder_setSearchPath(void *self, const char *path_name, sidl_BaseInterface *_ex)
{
    class_lock();
    replace_path(self, portolan_strdup(path_name ? path_name : ""), _ex);
    class_unlock();
}

static char *finder_getSearchPath(void *self, sidl_BaseInterface *_ex)
{
    char *path;

    class_lock();
    path = sidl_String_strdup_ex(path_of(self), _ex);
    class_unlock();
    return path;
}

static void finder_addSearchPath(void *self, const char *path_fragment, sidl_BaseInterface *_ex)
{
    class_lock();
    if (path_fragment)
        replace_path(self, sidl_String_concat3(path_fragment, ";", path_of(self)), _ex);
    class_unlock();
}

static void finder_destroy(void *self)
{
    free(((struct finder *)self)->path);
}

static const struct sidl_DFinder__epv finder_epv = {
    .f_findLibrary = finder_findLibrary,
    .f_setSearchPath = finder_setSearchPath,
    .f_getSearchPath = finder_getSearchPath,
    .f_addSearchPath = finder_addSearchPath,
};
static const struct sidl_implements implements[] = {{&sidl_DFinder__type, &finder_epv}};
static struct sidl_class_state state;
static const struct sidl_class finder_class = {
    .name = "sidl.DFinder",
    .version = SIDL_RUNTIME_VERSION,
    .size = sizeof(struct finder),
    .implements = implements,
    .n_implements = 1,
    .destroy = finder_destroy,
    .state = &state,
};

const struct sidl_class *sidl_DFinder__externals(void)
{
    return &finder_class;
}
