/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/libclang.h>

#include <dlfcn.h>
#include <string.h>

/* The library that the build found, then names that distributions give it. */
static const char *const names[] = {
    LIBCLANG_NAME,       "libclang-14.so.1",  "libclang.so.1",
    "libclang-15.so.15", "libclang-16.so.16", "libclang-17.so.17",
};

static bool resolve_functions(struct portolan_libclang *clang, struct portolan_error *err)
{
    void *symbol;

#define LIBCLANG_RESOLVE(name)                                                                     \
    if (!(symbol = dlsym(clang->library, "clang_" #name))) {                                       \
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "this libclang has no clang_%s: %s", #name, \
                           dlerror());                                                             \
        return false;                                                                              \
    }                                                                                              \
    memcpy(&clang->name, &symbol, sizeof symbol);
    PORTOLAN_LIBCLANG_FUNCTIONS(LIBCLANG_RESOLVE)
#undef LIBCLANG_RESOLVE
    return true;
}

const struct portolan_libclang *portolan_libclang_load(struct portolan_error *err)
{
    static struct portolan_libclang clang;
    static bool ready;

    for (size_t i = 0; !clang.library && i < sizeof names / sizeof *names; i++)
        clang.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!clang.library) {
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                           "reading C needs libclang, which cannot be loaded (%s); on "
                           "Debian install libclang1-14",
                           dlerror());
        return NULL;
    }
    if (!ready && !resolve_functions(&clang, err))
        return NULL;
    ready = true;
    return &clang;
}

const char *portolan_libclang_print(struct portolan_arena *arena, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(arena, format, args);
    va_end(args);
    return text ? text : "";
}

const char *portolan_libclang_text(const struct portolan_libclang *clang,
                                   struct portolan_arena *arena, CXString s)
{
    const char *c = clang->getCString(s);
    const char *text = portolan_libclang_print(arena, "%s", c ? c : "");

    clang->disposeString(s);
    return text;
}
