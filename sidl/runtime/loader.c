/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes by name: sidl.DFinder finds libraries, sidl.Loader looks in the program and in them. */
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "scl.h"
#include "sidl_DFinder.h"
#include "sidl_Loader.h"

/* The variables below are guarded by class_lock(). */
struct library {
    struct library *next;
    sidl_DLL dll;
};

/* A class that was found before. It stays valid, since its library stays in memory. */
struct known_class {
    struct known_class *next;
    const struct sidl_class *cls;
    char name[];
};

static struct library *libraries; /* the one added last comes first */
static struct known_class *known_classes;
static sidl_Finder current_finder;

/* A new reference to a library that was loaded by that name, with the same scope and at least as
 * early binding; NULL: none. */
static sidl_DLL find_loaded(const char *uri, bool is_global, bool is_lazy)
{
    sidl_BaseInterface ex = NULL;

    for (const struct library *l = libraries; l; l = l->next) {
        char *name = sidl_DLL_getName(l->dll, &ex);
        const bool same = name && (strcmp(name, uri) == 0 ||
                                   (strncmp(name, "file:", 5) == 0 && strcmp(name + 5, uri) == 0));

        sidl_String_free(name);
        SIDL_CLEAR(ex);
        if (same && !sidl_DLL_isGlobal(l->dll, &ex) == !is_global &&
            (is_lazy || !sidl_DLL_isLazy(l->dll, &ex))) {
            sidl_DLL_addRef(l->dll, &ex);
            return l->dll;
        }
    }
    return NULL;
}

static void loader_addDLL(sidl_DLL dll, sidl_BaseInterface *_ex)
{
    struct library *library = dll ? portolan_calloc(1, sizeof *library) : NULL;

    if (!library) {
        if (dll)
            sidl_exception_throw_no_memory(_ex);
        return;
    }
    sidl_DLL_addRef(dll, NULL);
    library->dll = dll;
    class_lock();
    library->next = libraries;
    libraries = library;
    class_unlock();
}

static sidl_DLL load_library(const char *uri, sidl_bool is_global, sidl_bool is_lazy,
                             sidl_BaseInterface *_ex)
{
    sidl_DLL dll;

    class_lock();
    if (!(dll = find_loaded(uri, is_global, is_lazy)) && (dll = sidl_DLL__create(_ex))) {
        if (sidl_DLL_loadLibrary(dll, uri, is_global, is_lazy, _ex))
            loader_addDLL(dll, _ex);
        else if (!*_ex)
            sidl_exception_throw_text(_ex, "cannot load %s: %s", uri, dll_peek_error(dll));
        if (*_ex) {
            sidl_DLL_deleteRef(dll, NULL);
            dll = NULL;
        }
    }
    class_unlock();
    return dll;
}

/* sidl.DFinder: finds libraries by .scl files in SIDL_DLL_PATH */

struct finder {
    struct sidl_object object;
    char *path; /* NULL: SIDL_DLL_PATH */
};

/* Called with the lock held. */
static const char *path_of(const struct finder *finder)
{
    const char *path = finder->path ? finder->path : getenv("SIDL_DLL_PATH");

    return path ? path : "";
}

/* Throws PROBLEM again as a new exception that also names the file that named the library. */
static void throw_unloadable(const char *class_name, const struct scl_library *library,
                             sidl_BaseInterface problem, sidl_BaseInterface *_ex)
{
    sidl_BaseException base = sidl_BaseException__cast(problem, NULL);
    sidl_BaseInterface ignored = NULL;
    char *note = sidl_BaseException_getNote(base, &ignored);

    sidl_exception_throw_text(_ex, "cannot load class %s from %s, which %s names: %s", class_name,
                              library->uri, library->file, note ? note : "");
    SIDL_CLEAR(ignored);
    sidl_String_free(note);
    sidl_BaseException_deleteRef(base, NULL);
    SIDL_CLEAR(problem);
}

static sidl_DLL load_found(const char *class_name, const struct scl_library *library,
                           enum sidl_Scope__enum scope, enum sidl_Resolve__enum resolve,
                           sidl_BaseInterface *_ex)
{
    const bool is_global =
        scope == sidl_Scope_SCLSCOPE ? library->is_global : scope == sidl_Scope_GLOBAL;
    const bool is_lazy =
        resolve == sidl_Resolve_SCLRESOLVE ? !library->is_now : resolve == sidl_Resolve_LAZY;
    sidl_BaseInterface problem = NULL;
    sidl_DLL dll = load_library(library->uri, is_global, is_lazy, &problem);

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
        dll = load_found(sidl_name, &library, scope, resolve, _ex);
    else if (status == PORTOLAN_ENOMEM)
        sidl_exception_throw_no_memory(_ex);
    scl_library_clear(&library);
    class_unlock();
    return dll;
}

/* Makes PATH the search path; PATH is NULL if memory was out. */
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
RUNTIME_CLASS(sidl_DFinder, "sidl.DFinder", finder_epv, .size = sizeof(struct finder),
              .destroy = finder_destroy)

/* sidl.Loader */

/* Borrowed; NULL with *_ex set. */
static sidl_Finder peek_finder(sidl_BaseInterface *_ex)
{
    if (!current_finder) {
        void *made = sidl_object_create(&sidl_DFinder_class, _ex);

        current_finder = sidl_object_facet(made, "sidl.Finder");
    }
    return current_finder;
}

static void loader_unloadLibraries(sidl_BaseInterface *_ex)
{
    class_lock();
    while (libraries) {
        struct library *library = libraries;

        libraries = library->next;
        sidl_DLL_unloadLibrary(library->dll, _ex);
        sidl_DLL_deleteRef(library->dll, NULL);
        free(library);
    }
    class_unlock();
}

static sidl_DLL loader_findLibrary(const char *sidl_name, const char *target,
                                   enum sidl_Scope__enum scope, enum sidl_Resolve__enum resolve,
                                   sidl_BaseInterface *_ex)
{
    sidl_DLL dll = NULL;
    sidl_Finder finder;

    class_lock();
    if ((finder = peek_finder(_ex)))
        dll = sidl_Finder_findLibrary(finder, sidl_name, target, scope, resolve, _ex);
    class_unlock();
    return dll;
}

static void loader_setSearchPath(const char *path_name, sidl_BaseInterface *_ex)
{
    sidl_Finder finder;

    class_lock();
    if ((finder = peek_finder(_ex)))
        sidl_Finder_setSearchPath(finder, path_name, _ex);
    class_unlock();
}

static char *loader_getSearchPath(sidl_BaseInterface *_ex)
{
    char *path = NULL;
    sidl_Finder finder;

    class_lock();
    if ((finder = peek_finder(_ex)))
        path = sidl_Finder_getSearchPath(finder, _ex);
    class_unlock();
    return path;
}

static void loader_addSearchPath(const char *path_fragment, sidl_BaseInterface *_ex)
{
    sidl_Finder finder;

    class_lock();
    if ((finder = peek_finder(_ex)))
        sidl_Finder_addSearchPath(finder, path_fragment, _ex);
    class_unlock();
}

static void loader_setFinder(sidl_Finder f, sidl_BaseInterface *_ex)
{
    sidl_Finder old;

    (void)_ex;
    sidl_Finder_addRef(f, NULL);
    class_lock();
    old = current_finder;
    current_finder = f;
    class_unlock();
    sidl_Finder_deleteRef(old, NULL);
}

static sidl_Finder loader_getFinder(sidl_BaseInterface *_ex)
{
    sidl_Finder finder;

    class_lock();
    finder = peek_finder(_ex);
    sidl_Finder_addRef(finder, NULL);
    class_unlock();
    return finder;
}

const struct sidl_class *loader_peek_class(const char *class_name)
{
    for (const struct known_class *k = known_classes; k; k = k->next)
        if (strcmp(k->name, class_name) == 0)
            return k->cls;
    return NULL;
}

bool loader_remember_class(const char *class_name, const struct sidl_class *cls)
{
    struct known_class *known = portolan_calloc(1, sizeof *known + strlen(class_name) + 1);

    if (!known)
        return false;
    strcpy(known->name, class_name);
    known->cls = cls;
    known->next = known_classes;
    known_classes = known;
    return true;
}

void loader_forget_class(const struct sidl_class *cls)
{
    for (struct known_class **at = &known_classes; *at; at = &(*at)->next)
        if ((*at)->cls == cls) {
            struct known_class *known = *at;

            *at = known->next;
            free(known);
            return;
        }
}

static void throw_not_found(const char *class_name, sidl_BaseInterface *_ex)
{
    sidl_BaseInterface ex = NULL;
    char *path = loader_getSearchPath(&ex);
    struct portolan_text story = {0};
    struct scl_library library = {0};

    if (path)
        scl_search(path, class_name, "ior/impl", &library, &story);
    sidl_exception_throw_text(
        _ex,
        "class %s is not linked into the program, and no .scl file of SIDL_DLL_PATH names it; "
        "looked in %s",
        class_name, story.bytes ? story.bytes + 2 : "no folder (the path is empty)");
    scl_library_clear(&library);
    portolan_text_clear(&story);
    sidl_String_free(path);
    SIDL_CLEAR(ex);
}

static const struct sidl_class *find_in_libraries(const char *class_name, sidl_BaseInterface *_ex)
{
    const struct sidl_class *cls = NULL;
    sidl_BaseInterface ignored = NULL;
    sidl_DLL dll;
    char *name;

    for (const struct library *l = libraries; l && !cls; l = l->next)
        cls = dll_find_class(l->dll, class_name);
    if (cls)
        return cls;
    dll = loader_findLibrary(class_name, "ior/impl", sidl_Scope_SCLSCOPE, sidl_Resolve_SCLRESOLVE,
                             _ex);
    if (dll && !(cls = dll_find_class(dll, class_name))) {
        name = sidl_DLL_getName(dll, &ignored);
        sidl_exception_throw_text(_ex, "%s does not contain class %s, although a .scl file says so",
                                  name ? name : "a library", class_name);
        sidl_String_free(name);
        SIDL_CLEAR(ignored);
    } else if (!dll && !*_ex) {
        throw_not_found(class_name, _ex);
    }
    sidl_DLL_deleteRef(dll, NULL);
    return cls;
}

const struct sidl_class *loader_find_class(const char *class_name, sidl_BaseInterface *_ex)
{
    const struct sidl_class *cls;

    class_lock();
    if (!(cls = loader_peek_class(class_name))) {
        if (!(cls = dll_find_linked_class(class_name)))
            cls = find_in_libraries(class_name, _ex);
        if (cls)
            loader_remember_class(class_name, cls); /* or the next search finds it again */
    }
    class_unlock();
    return cls;
}

static const struct sidl_Loader__sepv statics = {
    .f_loadLibrary = load_library,
    .f_addDLL = loader_addDLL,
    .f_unloadLibraries = loader_unloadLibraries,
    .f_findLibrary = loader_findLibrary,
    .f_setSearchPath = loader_setSearchPath,
    .f_getSearchPath = loader_getSearchPath,
    .f_addSearchPath = loader_addSearchPath,
    .f_setFinder = loader_setFinder,
    .f_getFinder = loader_getFinder,
};
static const struct sidl_Loader__epv loader_epv;
RUNTIME_CLASS(sidl_Loader, "sidl.Loader", loader_epv, .statics = &statics)
