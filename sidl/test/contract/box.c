/* SPDX-License-Identifier: BSD-3-Clause */
#include "box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct_BigBox_Impl.h"
#include "ct_Box_Impl.h"
#include "ct_Full_Impl.h"
#include "sidl_SIDLException.h"

struct calls calls;
struct mischief mischief;

struct numbers {
    int32_t list[5];
    int n;
};

static void numbers_put(struct numbers *b, int32_t a, sidl_BaseInterface *_ex)
{
    calls.put++;
    if (b->n == 5)
        SIDL_THROW(*_ex, ct_Full, "five are enough");
    b->list[b->n++] = a < 0 && !mischief.keep_negatives ? -a : a;
EXIT:;
}

static int32_t numbers_total(const struct numbers *b)
{
    int32_t total = 0;

    calls.total++;
    for (int i = 0; i < b->n; i++)
        total += b->list[i];
    return total + mischief.add;
}

static sidl_bool numbers_all_positive(const struct numbers *b, sidl_BaseInterface *_ex)
{
    calls.all_positive++;
    if (mischief.throw_in_clause)
        SIDL_THROW(*_ex, sidl_SIDLException, "cannot look into the box");
    for (int i = 0; i < b->n; i++)
        if (b->list[i] < 0)
            return FALSE;
EXIT:
    return TRUE;
}

static sidl_bool numbers_holds(const struct numbers *b, int32_t a)
{
    for (int i = 0; i < b->n; i++)
        if (b->list[i] == a || b->list[i] == -a)
            return TRUE;
    return FALSE;
}

/* ct.Full */

void impl_ct_Full__load(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
}

void impl_ct_Full__ctor(ct_Full self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

void impl_ct_Full__ctor2(ct_Full self, void *private_data, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)private_data;
    *_ex = NULL;
}

void impl_ct_Full__dtor(ct_Full self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

/* ct.Box */

static struct numbers *box(ct_Box self)
{
    return (struct numbers *)ct_Box__get_data(self);
}

void impl_ct_Box__load(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
}

void impl_ct_Box__ctor(ct_Box self, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    ct_Box__set_data(self, calloc(1, sizeof(struct numbers)));
    if (mischief.put_in_constructor)
        ct_Box_put(self, 3, _ex);
}

void impl_ct_Box__ctor2(ct_Box self, void *private_data, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)private_data;
    *_ex = NULL;
}

void impl_ct_Box__dtor(ct_Box self, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    free(ct_Box__get_data(self));
}

void impl_ct_Box_put(ct_Box self, int32_t a, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    numbers_put(box(self), a, _ex);
}

int32_t impl_ct_Box_total(ct_Box self, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return numbers_total(box(self));
}

sidl_bool impl_ct_Box_allPositive(ct_Box self, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    /* Through the stub: its invariant would call this function again, and so on for ever. */
    if (ct_Box_count(self, _ex) < 0)
        return FALSE;
    return numbers_all_positive(box(self), _ex);
}

sidl_bool impl_ct_Box_holds(ct_Box self, int32_t a, ct_Store other, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return other && numbers_holds(box(self), a);
}

int32_t impl_ct_Box_count(ct_Box self, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return box(self)->n;
}

ct_Store impl_ct_Box_self(ct_Box self, sidl_BaseInterface *_ex)
{
    return ct_Store__cast(self, _ex);
}

char *impl_ct_Box_name(ct_Box self, const char *prefix, sidl_BaseInterface *_ex)
{
    char name[100];

    (void)self;
    *_ex = NULL;
    calls.name++;
    snprintf(name, sizeof name, "%s%s", prefix, mischief.add ? "" : " box");
    return sidl_String_strdup(name);
}

char *impl_ct_Box_title(ct_Box self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return sidl_String_strdup("box");
}

int32_t impl_ct_Box_twice(int32_t n, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    calls.twice++;
    return 2 * n + mischief.add;
}

sidl_bool impl_ct_Box_even(int32_t n, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    calls.even++;
    return n % 2 == 0;
}

void impl_ct_Box_scale(ct_Box self, int32_t *x, int32_t n, char **text,
                       struct sidl_int__array **again, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    calls.scale++;
    for (int32_t i = 0; i < n; i++)
        x[i] = 2;
    *text = sidl_String_strdup("scaled");
    *again = sidl_int__array_create1d(n + mischief.add);
}

int32_t impl_ct_Box_doubled(ct_Box self, int32_t n, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return 2 * n;
}

sidl_bool impl_ct_Box_knows(ct_Box self, ct_Named who, sidl_BaseInterface *_ex)
{
    char *title;

    *_ex = NULL;
    if (!who || ct_Named_isSame(who, (sidl_BaseInterface)self, _ex))
        return FALSE;
    title = ct_Named_title(who, _ex);
    sidl_String_free(title);
    return title != NULL;
}

struct sidl_int__array *impl_ct_Box_list(ct_Box self, int32_t n, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return sidl_int__array_create1d(n);
}

void impl_ct_Box_meet(ct_Box self, ct_Box other, float angle, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)other;
    (void)angle;
    *_ex = NULL;
}

int32_t impl_ct_Box_depth(ct_Box self, int32_t n, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    calls.depth++;
    return n <= 0 ? n : 1 + ct_Box_depth(self, n - 1, _ex);
}

/* ct.BigBox */

void impl_ct_BigBox__load(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
}

void impl_ct_BigBox__ctor(ct_BigBox self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

void impl_ct_BigBox__ctor2(ct_BigBox self, void *private_data, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)private_data;
    *_ex = NULL;
}

void impl_ct_BigBox__dtor(ct_BigBox self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

static struct ct_Box__epv *super;

void ct_BigBox__superEPV(struct ct_Box__epv *parentEPV)
{
    super = parentEPV;
}

void impl_ct_BigBox_put(ct_BigBox self, int32_t a, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    super->f_put(self, a, _ex);
}

int32_t impl_ct_BigBox_more(ct_BigBox self, int32_t n, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    calls.more++;
    if (mischief.keep_negatives)
        box((ct_Box)self)->list[0] = -1;
    return n;
}

/* By hand */

struct handmade {
    struct sidl_object object;
    struct numbers numbers;
};

static struct numbers *handmade(void *self)
{
    return &((struct handmade *)self)->numbers;
}

static void handmade_put(void *self, int32_t a, sidl_BaseInterface *_ex)
{
    numbers_put(handmade(self), a, _ex);
}

static int32_t handmade_total(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return numbers_total(handmade(self));
}

static sidl_bool handmade_all_positive(void *self, sidl_BaseInterface *_ex)
{
    return numbers_all_positive(handmade(self), _ex);
}

static sidl_bool handmade_holds(void *self, int32_t a, ct_Store other, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return other && numbers_holds(handmade(self), a);
}

static int32_t handmade_count(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return handmade(self)->n;
}

static ct_Store handmade_self(void *self, sidl_BaseInterface *_ex)
{
    return ct_Store__cast(self, _ex);
}

static const struct ct_Counted__epv handmade_epv = {
    .f_put = handmade_put,
    .f_total = handmade_total,
    .f_allPositive = handmade_all_positive,
    .f_holds = handmade_holds,
    .f_count = handmade_count,
    .f_self = handmade_self,
};

static const struct sidl_implements implements[] = {{&ct_Counted__type, &handmade_epv}};

static const struct sidl_class handmade_class = {.name = "test.Handmade",
                                                 .version = "1.0",
                                                 .size = sizeof(struct handmade),
                                                 .implements = implements,
                                                 .n_implements = 1};

ct_Counted handmade_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&handmade_class, _ex), "ct.Counted");
}
