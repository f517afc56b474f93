/* SPDX-License-Identifier: BSD-3-Clause */
/* The target languages. Another one is a file of its own and a line here. */
#include "emit.h"

#include <strings.h>

static const struct backend *const backends[] = {&backend_c};

const struct backend *backend_find(const char *language)
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcasecmp(backends[i]->language, language) == 0)
            return backends[i];
    return NULL;
}

const char *portolan_sidl_language(size_t index)
{
    return index < sizeof backends / sizeof *backends ? backends[index]->language : NULL;
}
