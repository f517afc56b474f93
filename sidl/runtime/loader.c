/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes found by name: in the process, then in the libraries that .scl files name. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime_internal.h"

/* "A.B.C" with ending "__externals" becomes A_B_C__externals. */
static bool symbol_of(const char *class_name, const char *ending, char *symbol, size_t size)
{
    const int length = snprintf(symbol, size, "%s%s", class_name, ending);

    for (char *c = symbol; *c; c++)
        if (*c == '.')
            *c = '_';
    return length >= 0 && (size_t)length < size;
}

const struct sidl_class *sidl_loader_find(const char *class_name, sidl_BaseInterface *_ex)
{
    const struct sidl_class *(*externals)(void) = NULL;
    char symbol[1024];
    void *found;

    if (symbol_of(class_name, "__externals", symbol, sizeof symbol) &&
        (found = dlsym(RTLD_DEFAULT, symbol))) {
        memcpy(&externals, &found, sizeof found);
        return externals();
    }
    sidl_exception_throw_text(_ex, "class %s is not linked into the program", class_name);
    return NULL;
}
