/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for C++: exceptions that pass through the code of ranks, standard streams to be
 * copied. */
#include "internal.h"

/* Finds the frames of ranks' code, which the dynamic linker does not know, for the unwinder. */
PORTOLAN_API int _dl_find_object(void *address, struct dl_find_object *result)
{
    const struct rank *rank = clue_carrier.current;
    uint64_t at = rank ? (uint64_t)((uint8_t *)address - rank->base) : 0;

    for (size_t i = 0; rank && i < rank->program->set.n; i++) {
        const struct image *image = &rank->program->set.images[i];
        uint8_t *base = rank->base + image->offset;

        if (at - image->offset < image->span && image->frames) {
            *result = (struct dl_find_object){.dlfo_map_start = base,
                                              .dlfo_map_end = base + image->span,
                                              .dlfo_eh_frame = base + image->frames->p_vaddr};
            return 0;
        }
    }
    return REAL(_dl_find_object)(address, result);
}

/* Prepares std::cout and the other standard streams, since each program has a copy of them. Until
 * version 13 libstdc++ leaves this to the first program: std::ios_base::Init. */
void clue_cxx_begin(void)
{
    static char object;
    static bool is_done;
    void (*init)(void *);

    *(void **)&init = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev");
    if (init && !is_done) {
        init(&object);
        is_done = true;
    }
}
