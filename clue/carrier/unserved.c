/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds routines that the program names and that would end a run, before it begins. */
#include "output.h"

#include <portolan/command.h>
#include <portolan/shared_object.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns whether SYMBOL is the routine's name, also as Fortran compilers write it. */
static bool is_name_of(const char *symbol, const char *routine)
{
    static const char *const ends[] = {"_", "__", "_f08_", "_f08ts_", NULL};
    size_t length = strlen(routine);

    symbol += symbol[0] == 'P' || symbol[0] == 'p'; /* the profiling interface's name */
    if (strcmp(symbol, routine) == 0)
        return true;
    if (symbol[0] != 'm' || strncasecmp(symbol, routine, length) != 0)
        return false;
    for (const char *const *end = ends; *end; end++)
        if (strcmp(symbol + length, *end) == 0)
            return true;
    return false;
}

/* Returns the names that LIBRARY does not serve; there is a list for programs of its interface. */
static const char *const *unserved_by(const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY);

    return handle ? dlsym(handle, "clue_unserved") : NULL;
}

static size_t add_unserved(struct portolan_text *text, const struct shared_object *program,
                           const char *const *routines)
{
    enum { NAMED = 3 };
    size_t n = 0;

    for (; *routines; routines++)
        for (const char **symbol = program->undefined; *symbol; symbol++)
            if (is_name_of(*symbol, *routines)) {
                if (n++ < NAMED)
                    portolan_text_add(text, "%s%s", n > 1 ? ", " : "", *routines);
                break;
            }
    if (n > NAMED)
        portolan_text_add(text, " and %zu more", n - NAMED);
    return n;
}

void output_warn_of_unserved(const struct clue_run *run)
{
    struct portolan_arena arena = {0};
    struct portolan_text text = {0};
    const char *path = portolan_program_find(&arena, run->program[0]);
    struct shared_object program;

    if (path && !shared_object_read(&arena, path, &program, NULL))
        for (size_t i = 0; i < run->n_libraries; i++) {
            const char *const *routines = unserved_by(run->libraries[i]);

            if (routines && add_unserved(&text, &program, routines) && text.bytes)
                fprintf(stderr,
                        "portolan: warning: '%s' may call %s, not served in virtual time (BUGS of "
                        "portolan-clue(1)): the run would end there\n",
                        run->program[0], text.bytes);
        }
    free(text.bytes);
    portolan_arena_clear(&arena);
}
