/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fronts: code that a program calls instead of a function that has a law (--law).
 *
 * A front stops the clock of the burst, asks the law how long the call takes, and lets the function
 * run outside of the clock. It does not know the function's arguments. Therefore it does not call
 * the function but jumps into it, with all registers that pass arguments and the stack as the
 * caller left them. The return address on the stack is replaced by a second piece of code, which
 * starts the clock again and goes on at the caller. Both pieces depend on the processor: see
 * processor.h.
 */
#include "law.h"

#include <errno.h>

/* One entry for each function that has a law. BASE and VALUE say where it is, as in relocate.c. */
static struct front {
    struct burst_law *law;
    const struct image_set *set;
    uint32_t base;
    uint64_t value;
} fronts[MOST_FRONTS];
static size_t n_fronts;

static const void *real_function(const struct front *f, const struct rank *rank)
{
    uint64_t in = f->base == CLUE_ABSOLUTE || !rank
                      ? 0
                      : (uint64_t)(uintptr_t)rank->base + f->set->images[f->base].offset;

    return (const void *)(uintptr_t)(in + f->value);
}

/* Returns the address at which the call goes on, and in *BACK the one to which it returns. A
 * function with a law that is called by another one is part of that one's time. */
const void *clue_front_enter(const uint8_t *stub, const uint64_t *arguments, const void **back)
{
    const struct front *f = &fronts[(size_t)(stub - clue_front_stubs) / STUB_BYTES];
    struct rank *rank = clue_carrier.current;
    const void *real = real_function(f, rank);
    int error = errno;

    if (!rank || rank->depth)
        return real;
    rank->depth++;
    rank->fronts_ns += clue_burst_end(&clue_carrier, *back);
    rank->routine = &f->law->routine;
    rank->site = *back;
    rank->was_switched = false;
    rank->fronts_ns += clue_law_time(f->law, rank, arguments);
    if (clue_carrier.run->laws->skips) {
        real = clue_front_nothing;
        rank->depth--;
        clue_burst_begin(&clue_carrier);
    } else {
        rank->front_back = *back;
        *back = clue_front_back;
    }
    errno = error;
    return real;
}

const void *clue_front_leave(void)
{
    struct rank *rank = clue_carrier.current;
    const void *back = rank->front_back;

    clue_burst_begin(&clue_carrier);
    rank->depth--;
    if (rank->held)
        clue_give_held(rank);
    return back;
}

/* Returns whether the address is a replacement of carrier's (clocks, exit()): it does not
 * compute. */
static bool is_own(uint32_t base, uint64_t value)
{
    Dl_info own, where;

    return base == CLUE_ABSOLUTE && dladdr(clue_front_stubs, &own) &&
           dladdr((const void *)(uintptr_t)value, &where) && own.dli_fbase == where.dli_fbase;
}

void clue_front(const struct image_set *set, const char *name, uint32_t *base, uint64_t *value)
{
    struct burst_law *law = clue_law_of_function(name);
    struct front front = {law, set, *base, *value};
    size_t i = 0;

    if (!law || is_own(*base, *value))
        return;
    while (i < n_fronts && (fronts[i].law != law || fronts[i].set != set ||
                            fronts[i].base != *base || fronts[i].value != *value))
        i++;
    if (i == MOST_FRONTS)
        return;
    if (i == n_fronts)
        fronts[n_fronts++] = front;
    law->is_front = true;
    *base = CLUE_ABSOLUTE;
    *value = (uint64_t)(uintptr_t)clue_front_stubs + i * STUB_BYTES;
}
