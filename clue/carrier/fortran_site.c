/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where a Fortran program calls MPI. Its bindings are a library in between, so MPI's caller
 * is not the program's call. The unwinder finds the program's frame once; afterwards it is at the
 * same distance from the binding's frame. */
#include "fortran_site.h"

#include <portolan/clue_task.h>
#include <portolan/list.h>

#include <string.h>
#include <unwind.h>

struct way {
    uint64_t key;
    uint64_t n_words; /* from the frame of MPI's function to the program's return address */
};
static struct way *ways;
static size_t n_ways;

bool clue_has_bindings;

struct walk {
    const void *site, *caller;
    const void *const *end; /* the end of the last binding's frame */
    bool is_there;
};

bool caller_names_bindings(const char *name)
{
    return strncmp(name, "libmpichfort", 12) == 0;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *arg)
{
    struct walk *w = arg;
    const void *at = (const void *)_Unwind_GetIP(frame);
    uint64_t key;

    w->is_there |= at == w->site;
    if (!w->is_there || caller_is_binding(at, &key))
        return _URC_NO_REASON;
    w->caller = at;
    w->end = (const void *const *)_Unwind_GetCFA(frame);
    return _URC_NORMAL_STOP;
}

static const void *unwind(const void *site, const void *const *frame, uint64_t key)
{
    struct walk w = {.site = site};
    struct way way = {.key = key};

    _Unwind_Backtrace(step, &w);
    if (!w.caller)
        return site;
    for (const void *const *word = frame; word < w.end; word++)
        if (*word == w.caller)
            way.n_words = (uint64_t)(word - frame);
    if (way.n_words)
        portolan_append(&ways, &n_ways, &way, sizeof way);
    return w.caller;
}

const void *clue_caller(const void *site, const void *frame)
{
    const void *const *words = frame;
    uint64_t key, other;

    if (!caller_is_binding(site, &key))
        return site;
    for (size_t i = 0; i < n_ways; i++)
        if (ways[i].key == key && !caller_is_binding(words[ways[i].n_words], &other))
            return words[ways[i].n_words];
    return unwind(site, words, key);
}
