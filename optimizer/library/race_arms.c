/* SPDX-License-Identifier: BSD-3-Clause */
/* The arms of a race: the selections that have been tried, each one change of the incumbent. */
#include "race_internal.h"

#include <portolan/list.h>
#include <string.h>

bool race_is_same(const struct portolan_race *r, const int32_t *a, const int32_t *b)
{
    return memcmp(a, b, r->o.n_instances * sizeof *a) == 0;
}

void race_copy(const struct portolan_race *r, int32_t *to, const int32_t *from)
{
    memcpy(to, from, r->o.n_instances * sizeof *to);
}

/* The group that WHOLE changes, or the first of several; SIZE_MAX: it is the incumbent. */
static size_t group_of(const struct portolan_race *r, const int32_t *whole)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        if (whole[i] != r->incumbent[i])
            return r->group[i];
    return SIZE_MAX;
}

/* Returns whether WHOLE is the arm with the incumbent's alternatives in the other groups. */
static bool is_arm(const struct portolan_race *r, const struct arm *a, const int32_t *whole)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        if (whole[i] != (r->group[i] == a->group ? a->selection[i] : r->incumbent[i]))
            return false;
    return true;
}

struct arm *race_arm_of(const struct portolan_race *r, const int32_t *whole)
{
    size_t group = group_of(r, whole);

    for (size_t i = 0; i < r->n_arms; i++)
        if (r->arms[i]->group == group && is_arm(r, r->arms[i], whole))
            return r->arms[i];
    return NULL;
}

void race_put_move(const struct portolan_race *r, const struct move *m, int32_t *whole)
{
    race_copy(r, whole, r->incumbent);
    for (size_t i = 0; i < m->n; i++)
        whole[m->instance[i]] = m->alternative[i];
}

struct arm *race_find_arm(const struct portolan_race *r, const struct move *move)
{
    race_put_move(r, move, r->scratch);
    return race_arm_of(r, r->scratch);
}

struct arm *race_make_arm(struct portolan_race *r, const int32_t *whole)
{
    struct arm *a = race_arm_of(r, whole);

    if (a || !(a = portolan_arena_alloc(&r->pool, 1, sizeof *a)))
        return a;
    a->selection = portolan_arena_alloc(&r->pool, r->o.n_instances, sizeof *a->selection);
    a->called = portolan_arena_alloc(&r->pool, r->o.n_instances, sizeof *a->called);
    if (!a->selection || !a->called)
        return NULL;
    race_copy(r, a->selection, whole);
    a->group = group_of(r, whole);
    a->block = FIRST_BLOCK;
    return portolan_arena_append(&r->pool, &r->arms, &r->n_arms, &a, sizeof a) ? a : NULL;
}
