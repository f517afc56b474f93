/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file a shared object's name means. */
#include "functions_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum portolan_status portolan_functions_library_find(const char *name, char **file,
                                                     struct portolan_error *err)
{
    struct shared_search s;
    const char *found = name;

    *file = NULL;
    if (!name || !*name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a shared object needs a name");
    shared_search_begin(&s);
    if (!strchr(name, '/')) {
        found = shared_search_find(&s, name, NULL, NULL, NULL);
    } else if (access(name, F_OK) != 0) {
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s: %s", name, strerror(errno));
        found = NULL;
    }
    if (found && *found != '/') {
        char folder[PATH_MAX];

        *file = portolan_asprintf("%s/%s", getcwd(folder, sizeof folder) ? folder : ".", found);
    } else if (found) {
        *file = portolan_strdup(found);
    }
    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "%s: no shared object of that name where the dynamic linker looks; give "
                           "its path",
                           name);
    else if (!*file)
        portolan_no_memory(err);
    shared_search_end(&s);
    return *file ? PORTOLAN_OK : found ? PORTOLAN_ENOMEM : PORTOLAN_ENOTFOUND;
}
