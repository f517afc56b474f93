/* SPDX-License-Identifier: BSD-3-Clause */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every mode carries something that depends on the arguments. */
#define SCALAR(METHOD, TYPE, OUT, INOUT, RESULT)                                                   \
    static TYPE METHOD(void *self, TYPE a, TYPE *b, TYPE *c, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        TYPE before = *c;                                                                          \
                                                                                                   \
        (void)self, (void)_ex;                                                                     \
        *b = OUT;                                                                                  \
        *c = INOUT;                                                                                \
        return RESULT;                                                                             \
    }

SCALAR(booleans, sidl_bool, !a, before != a, before &&a)
SCALAR(chars, char, (char)(a + 1), (char)(before + a), before)
SCALAR(doubles, double, a / 3, before *a, before - a)
SCALAR(floats, float, a / 3, before *a, before - a)
SCALAR(ints, int32_t, a + 1, before ^ a, ~before)
SCALAR(longs, int64_t, a + 1, before ^ a, ~before)
SCALAR(opaques, void *, (char *)a + 1, a, before)
SCALAR(colors, enum test_Color__enum, a == test_Color_red ? test_Color_blue : test_Color_red, a,
       before)
SCALAR(dcomplexes, struct sidl_dcomplex, ((struct sidl_dcomplex){a.imaginary, a.real}),
       ((struct sidl_dcomplex){before.real + a.real, before.imaginary}), before)
SCALAR(fcomplexes, struct sidl_fcomplex, ((struct sidl_fcomplex){a.imaginary, a.real}),
       ((struct sidl_fcomplex){before.real + a.real, before.imaginary}), before)

static char *joined(const char *a, const char *b)
{
    char *text = sidl_String_alloc(strlen(a) + strlen(b) + 1);

    assert_non_null(text);
    sprintf(text, "%s%s", a, b);
    return text;
}

static char *strings(void *self, const char *a, char **b, char **c, sidl_BaseInterface *_ex)
{
    char *before = *c, *result = joined(a, before);

    (void)self, (void)_ex;
    *b = joined(a, "!");
    *c = joined(before, a);
    sidl_String_free(before);
    return result;
}

static test_Plain objects(void *self, test_Plain a, test_Plain *b, test_Plain *c,
                          sidl_BaseInterface *_ex)
{
    test_Plain before = *c;

    (void)self;
    test_Plain_addRef(a, _ex);
    test_Plain_addRef(a, _ex);
    *b = a;
    *c = a;
    return before; /* the caller's reference goes back to it */
}

static struct sidl_double__array *arrays(void *self, struct sidl_double__array *a,
                                         struct sidl_double__array **b,
                                         struct sidl_double__array **c, sidl_BaseInterface *_ex)
{
    struct sidl_double__array *before = *c;

    (void)self, (void)_ex;
    *b = sidl_double__array_smartCopy(a);
    *c = sidl_double__array_create1d(1);
    sidl_double__array_set1(*c, 0, sidl_double__array_get1(a, 0) + 1);
    return before;
}

static struct sidl__array *generics(void *self, struct sidl__array *a, struct sidl__array **b,
                                    struct sidl__array **c, sidl_BaseInterface *_ex)
{
    struct sidl__array *before = *c;

    (void)self, (void)_ex;
    *b = sidl__array_smartCopy(a);
    *c = sidl__array_smartCopy(a);
    return before;
}

static double rarrays(void *self, struct sidl_double__array *a, struct sidl_double__array *b,
                      sidl_BaseInterface *_ex)
{
    double sum = 0;

    (void)self, (void)_ex;
    for (int32_t i = 0; i < sidlLength(a, 0); i++)
        for (int32_t k = 0; k < sidlLength(b, 1); k++) {
            double product = sidl_double__array_get1(a, i) * sidl_double__array_get2(b, i, k);

            sidl_double__array_set2(b, i, k, product);
            sum += product;
        }
    return sum;
}

static int32_t names(void *self, int32_t call, int32_t context, int32_t proxy, int32_t to,
                     int32_t *result_, int32_t binding, sidl_BaseInterface *_ex)
{
    struct kinds *k = self;

    (void)_ex;
    if (k->meanwhile)
        k->meanwhile(k->arg);
    *result_ = call + context * proxy;
    return to - binding + k->number;
}

/* 10 ns, the calls it makes, 5 ns. */
static double callback(void *self, test_Kinds back, int32_t depth, sidl_BaseInterface *_ex)
{
    double below = 0;

    (void)self;
    portolan_probe_clock_advance(10);
    if (depth > 0)
        below = test_Kinds_callback(back, back, depth - 1, _ex);
    portolan_probe_clock_advance(5);
    return below + 1;
}

static void do_fail(void *self, sidl_bool really, sidl_BaseInterface *_ex)
{
    (void)self;
    portolan_probe_clock_advance(7);
    if (really)
        portolan_throw(_ex, PORTOLAN_EINFEASIBLE, "it had to fail");
}

static double residual(void *self, double tolerance, sidl_bool fails, sidl_BaseInterface *_ex)
{
    (void)self;
    if (fails)
        portolan_throw(_ex, PORTOLAN_EINFEASIBLE, "no convergence");
    return tolerance / 2;
}

static void refine(void *self, double *reached, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    *reached = 0.125;
}

static int32_t sum_two(void *self, int32_t a, int32_t b, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return a + b;
}

static int32_t get_number(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct kinds *)self)->number;
}

static void destroy(void *self)
{
    struct kinds *k = self;

    if (k->gone)
        *k->gone = true;
}

static const struct test_Kinds__epv kinds_epv = {
    .f_booleans = booleans,
    .f_chars = chars,
    .f_dcomplexes = dcomplexes,
    .f_doubles = doubles,
    .f_fcomplexes = fcomplexes,
    .f_floats = floats,
    .f_ints = ints,
    .f_longs = longs,
    .f_opaques = opaques,
    .f_strings = strings,
    .f_colors = colors,
    .f_objects = objects,
    .f_arrays = arrays,
    .f_generics = generics,
    .f_rarrays = rarrays,
    .f_names = names,
    .f_callback = callback,
    .f_fail = do_fail,
    .f_residual = residual,
    .f_refine = refine,
    .f_sumTwo = sum_two,
};
static const struct test_Plain__epv plain_epv = {.f_getNumber = get_number};
static const struct sidl_implements implements[] = {{&test_Kinds__type, &kinds_epv},
                                                    {&test_Plain__type, &plain_epv}};
static const struct sidl_class kinds_class = {.name = "test.KindsImpl",
                                              .version = "1.0",
                                              .size = sizeof(struct kinds),
                                              .implements = implements,
                                              .n_implements = 2,
                                              .destroy = destroy};

struct kinds *kinds_create(int number, bool *gone)
{
    sidl_BaseInterface _ex = NULL;
    struct kinds *k = sidl_object_create(&kinds_class, &_ex);

    assert_no_exception(&_ex);
    k->number = number;
    k->gone = gone;
    return k;
}

test_Kinds kinds_port(struct kinds *k)
{
    return sidl_object_facet(k, "test.Kinds");
}

void kinds_release(struct kinds *k)
{
    sidl_object_release(k);
}
