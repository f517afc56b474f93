/* SPDX-License-Identifier: BSD-3-Clause */
/* sidl.DLL: one library of shared objects. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader.h"

#pragma weak dll_open

struct dll {
    struct sidl_object object;
    void *handle;
    char *name;
    char *error;
    bool is_global, is_lazy;
};

/* Cuts VALUE out of a LINE "KEY='VALUE'"; NULL if LINE is not of this form. */
static char *la_value(char *line, const char *key)
{
    const size_t length = strlen(key);
    char *end;

    if (strncmp(line, key, length) != 0 || strncmp(line + length, "='", 2) != 0)
        return NULL;
    line += length + 2;
    end = strrchr(line, '\'');
    if (end)
        *end = '\0';
    return line;
}

/* A file of that name in a folder (of LENGTH bytes), NULL when there is none. */
static char *file_in(const char *folder, size_t length, const char *below, const char *name)
{
    char *file = portolan_asprintf("%.*s%s%s", (int)length, folder, below, name);

    if (file && access(file, F_OK) == 0)
        return file;
    free(file);
    return NULL;
}

/* The library of a libtool archive: in the archive's folder, its .libs, or the install folder. */
static char *library_of_archive(const char *archive)
{
    const char *slash = strrchr(archive, '/');
    const size_t folder = slash ? (size_t)(slash - archive) + 1 : 0;
    char line[4096], name[1024] = "", libdir[2048] = "", *value, *file;
    FILE *f = fopen(archive, "r");

    while (f && fgets(line, sizeof line, f)) {
        if ((value = la_value(line, "dlname")))
            snprintf(name, sizeof name, "%s", value);
        else if ((value = la_value(line, "libdir")))
            snprintf(libdir, sizeof libdir, "%s", value);
    }
    if (f)
        fclose(f);
    if (!*name)
        return portolan_strdup(archive);
    if ((file = file_in(archive, folder, "", name)) ||
        (file = file_in(archive, folder, ".libs/", name)) ||
        (file = file_in(libdir, strlen(libdir), "/", name)))
        return file;
    return portolan_strdup(name);
}

/* The file that dlopen() must open for URI, as a new string; NULL: memory is out. */
static char *file_of(const char *uri)
{
    const char *file = sidl_String_startsWith(uri, "file:") ? uri + 5 : uri;
    const size_t length = strlen(file);

    if (sidl_String_startsWith(uri, "lib:"))
        return portolan_asprintf("lib%s.so", uri + 4);
    if (length > 3 && strcmp(file + length - 3, ".la") == 0)
        return library_of_archive(file);
    return portolan_strdup(file);
}

static void close_library(struct dll *dll)
{
    if (dll->handle)
        dlclose(dll->handle);
    free(dll->name);
    dll->handle = NULL;
    dll->name = NULL;
    dll->is_global = dll->is_lazy = false;
}

static void note_error(struct dll *dll, const char *text)
{
    free(dll->error);
    dll->error = portolan_strdup(text);
}

static sidl_bool dll_loadLibrary(void *self, const char *uri, sidl_bool globally, sidl_bool lazy,
                                 sidl_BaseInterface *_ex)
{
    const bool is_main = strcmp(uri, "main:") == 0;
    const bool has_scheme =
        is_main || sidl_String_startsWith(uri, "lib:") || sidl_String_startsWith(uri, "file:");
    const int flags = (lazy ? RTLD_LAZY : RTLD_NOW) | (globally ? RTLD_GLOBAL : RTLD_LOCAL);
    struct dll *dll = self;
    char *file = is_main ? NULL : file_of(uri);
    char *name = portolan_asprintf("%s%s", has_scheme ? "" : "file:", uri);
    const char *problem = "this program is statically linked and cannot load shared objects";

    close_library(dll);
    if (!name || (!is_main && !file)) {
        sidl_exception_throw_no_memory(_ex);
    } else if (dll_open && (dll->handle = dll_open(file, flags, &problem))) {
        dll->name = name;
        dll->is_global = globally;
        dll->is_lazy = lazy;
        name = NULL;
    } else {
        note_error(dll, problem);
    }
    free(file);
    free(name);
    return dll->handle != NULL;
}

static char *dll_getName(void *self, sidl_BaseInterface *_ex)
{
    return sidl_String_strdup_ex(((struct dll *)self)->name, _ex);
}

static sidl_bool dll_isGlobal(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct dll *)self)->is_global;
}

static sidl_bool dll_isLazy(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct dll *)self)->is_lazy;
}

static void dll_unloadLibrary(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    close_library(self);
}

static void *dll_lookupSymbol(void *self, const char *linker_name, sidl_BaseInterface *_ex)
{
    const struct dll *dll = self;

    (void)_ex;
    return dll->handle ? dlsym(dll->handle, linker_name) : NULL;
}

/* Objects and class states point into the library, so it must stay loaded. */
static void keep_loaded(const void *symbol)
{
    const char *problem;
    Dl_info info;

    if (dll_open && dladdr(symbol, &info) && info.dli_fname)
        dll_open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE, &problem);
}

static const struct sidl_class *class_at(void *symbol)
{
    const struct sidl_class *(*externals)(void);

    if (!symbol)
        return NULL;
    keep_loaded(symbol);
    memcpy(&externals, &symbol, sizeof symbol);
    return externals();
}

/* The function A_B_C__externals() returns class A.B.C. */
static char *symbol_of(const char *class_name)
{
    char *symbol = portolan_asprintf("%s__externals", class_name);

    sidl_String_replace(symbol, '.', '_');
    return symbol;
}

const struct sidl_class *dll_find_class(sidl_DLL dll, const char *class_name)
{
    char *name = symbol_of(class_name);
    sidl_BaseInterface ex = NULL;
    void *symbol = name ? sidl_DLL_lookupSymbol(dll, name, &ex) : NULL;

    free(name);
    SIDL_CLEAR(ex);
    return class_at(symbol);
}

const struct sidl_class *dll_find_linked_class(const char *class_name)
{
    char *name = symbol_of(class_name);
    void *symbol = name ? dlsym(RTLD_DEFAULT, name) : NULL;

    free(name);
    return class_at(symbol);
}

const char *dll_peek_error(sidl_DLL dll)
{
    const struct dll *own = sidl_reference_peek(dll);

    return own->error ? own->error : "cannot be loaded";
}

static sidl_BaseClass dll_createClass(void *self, const char *sidl_name, sidl_BaseInterface *_ex)
{
    const struct sidl_class *cls = dll_find_class(self, sidl_name);
    void *object = cls ? sidl_object_create(cls, _ex) : NULL;

    return sidl_object_facet(object, "sidl.BaseClass");
}

static void dll_destroy(void *self)
{
    struct dll *dll = self;

    /* As in Babel, a library stays loaded until unloadLibrary() is called. */
    free(dll->name);
    free(dll->error);
}

static const struct sidl_DLL__epv dll_epv = {
    .f_loadLibrary = dll_loadLibrary,
    .f_getName = dll_getName,
    .f_isGlobal = dll_isGlobal,
    .f_isLazy = dll_isLazy,
    .f_unloadLibrary = dll_unloadLibrary,
    .f_lookupSymbol = dll_lookupSymbol,
    .f_createClass = dll_createClass,
};
RUNTIME_CLASS(sidl_DLL, "sidl.DLL", dll_epv, .size = sizeof(struct dll), .destroy = dll_destroy)
