/* SPDX-License-Identifier: BSD-3-Clause */
/* sidl.Loader: classes by name, from the program, then from libraries. */
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "scl.h"
#include "sidl_Loader.h"

/* All under class_lock. */
struct library {
    struct library *next;
    sidl_DLL dll;
};

/* A class that was found is found again at once: what it lies in stays in memory. */
struct known_class {
    struct known_class *next;
    const struct sidl_class *cls;
    char name[];
};

static struct library *libraries; /* the one added last comes first */
static struct known_class *known_classes;
static sidl_Finder current_finder;

/* Borrowed; NULL with *_ex set. */
static sidl_Finder peek_finder(sidl_BaseInterface *_ex)
{
    if (!current_finder) {
        /* Not by __create, whose weak reference would leave finder.o in a static archive. */
        void *made = sidl_object_create(sidl_DFinder__externals(), _ex);

        current_finder = sidl_object_facet(made, "sidl.Finder");
    }
    return current_finder;
}

/* A new reference to a library that was loaded by that name and at least as much as is wanted. */
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

sidl_DLL loader_load_library(const char *uri, bool is_global, bool is_lazy, sidl_BaseInterface *_ex)
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

static sidl_DLL loader_loadLibrary(const char *uri, sidl_bool globally, sidl_bool lazy,
                                   sidl_BaseInterface *_ex)
{
    return loader_load_library(uri, globally, lazy, _ex);
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

static const struct sidl_class *find_known(const char *class_name)
{
    for (const struct known_class *k = known_classes; k; k = k->next)
        if (strcmp(k->name, class_name) == 0)
            return k->cls;
    return NULL;
}

/* Without memory it will be searched for again. */
static void remember(const char *class_name, const struct sidl_class *cls)
{
    struct known_class *known = portolan_calloc(1, sizeof *known + strlen(class_name) + 1);

    if (!known)
        return;
    strcpy(known->name, class_name);
    known->cls = cls;
    known->next = known_classes;
    known_classes = known;
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
        class_name, story.bytes ? story.bytes + 2 : "no folder, because the path is empty");
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
        sidl_exception_throw_text(_ex, "%s was said to hold class %s, but does not",
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
    if (!(cls = find_known(class_name))) {
        if (!(cls = dll_find_linked_class(class_name)))
            cls = find_in_libraries(class_name, _ex);
        if (cls)
            remember(class_name, cls);
    }
    class_unlock();
    return cls;
}

static const struct sidl_Loader__sepv statics = {
    .f_loadLibrary = loader_loadLibrary,
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
static const struct sidl_implements implements[] = {{&sidl_Loader__type, &loader_epv}};
static struct sidl_class_state state;
static const struct sidl_class loader_class = {
    .name = "sidl.Loader",
    .version = SIDL_RUNTIME_VERSION,
    .implements = implements,
    .n_implements = 1,
    .statics = &statics,
    .state = &state,
};

const struct sidl_class *sidl_Loader__externals(void)
{
    return &loader_class;
}
