/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for the places of calls that are the same in all ranks and runs. */
#include "apart.h"

/* Returns the number of a place outside the rank's memory: in a library that all ranks share,
 * wherever that is loaded. */
static uint64_t shared_site(const void *call)
{
    static struct {
        const void *call;
        uint64_t key;
    } known[1024];
    size_t i = (uintptr_t)call * UINT64_C(0x9E3779B97F4A7C15) >> 54;
    Dl_info info;
    uint64_t key = 1;

    if (known[i].call == call)
        return known[i].key;
    if (dladdr(call, &info) && info.dli_fname)
        key = link_library_key(info.dli_fname,
                               (uint64_t)((const char *)call - (const char *)info.dli_fbase));
    known[i].call = call;
    known[i].key = key;
    return key;
}

/* Returns the number of a place in a library that is a rank's own, wherever it lies. */
static uint64_t own_site(const struct image_set *set, uint64_t at)
{
    size_t i = set->n - 1;

    while (i && at < set->images[i].offset)
        i--;
    return link_library_key(set->images[i].file, at - set->images[i].offset);
}

static uint64_t folded_site(const struct rank *rank, const void *call)
{
    uint64_t at = (uint64_t)((const uint8_t *)call - rank->base);

    return at < rank->program->set.images[0].span ? at
           : at < rank->program->stride - rank->program->images_at
               ? own_site(&rank->program->set, at)
               : shared_site(call);
}

uint64_t clue_site_key(const struct rank *rank, const void *call)
{
    return !call ? 1 : rank->apart ? apart_place_of(rank, call)->key : folded_site(rank, call);
}
