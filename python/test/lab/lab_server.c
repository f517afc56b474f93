/* SPDX-License-Identifier: BSD-3-Clause */
/* Class lab.Desk, for Python to call, and one method of lab.Failure. */
#include "lab.h"

#include <pthread.h>
#include <string.h>

static int32_t n_made;

#define PASS(NAME, CTYPE)                                                                          \
    static CTYPE pass##NAME(void *self, CTYPE a, CTYPE *b, CTYPE *c, sidl_BaseInterface *_ex)      \
    {                                                                                              \
        CTYPE was = *c;                                                                            \
        (void)self, (void)_ex;                                                                     \
        *b = *c = a;                                                                               \
        return was;                                                                                \
    }

PASS(Bool, sidl_bool)
PASS(Char, char)
PASS(Int, int32_t)
PASS(Long, int64_t)
PASS(Float, float)
PASS(Double, double)
PASS(Fcomplex, struct sidl_fcomplex)
PASS(Dcomplex, struct sidl_dcomplex)
typedef void *pointer;
PASS(Opaque, pointer)
PASS(Color, enum lab_Color__enum)

static char *passString(void *self, const char *a, char **b, char **c, sidl_BaseInterface *_ex)
{
    char *was = *c;

    (void)self, (void)_ex;
    *b = a ? sidl_String_strdup(a) : NULL;
    *c = a ? sidl_String_strdup(a) : NULL;
    return was;
}

static lab_Named passObject(void *self, lab_Named a, lab_Named *b, lab_Named *c,
                            sidl_BaseInterface *_ex)
{
    lab_Named was = *c;

    (void)self;
    sidl_reference_add(a, _ex);
    sidl_reference_add(a, _ex);
    *b = *c = a;
    return was;
}

static struct lab_Nest__data copy(const struct lab_Nest__data *a)
{
    struct lab_Nest__data b = *a;

    b.pair.left = a->pair.left ? sidl_String_strdup(a->pair.left) : NULL;
    b.numbers = a->numbers ? sidl_double__array_smartCopy(a->numbers) : NULL;
    sidl_reference_add(a->desk, NULL);
    return b;
}

static struct lab_Nest__data passNest(void *self, const struct lab_Nest__data *a,
                                      struct lab_Nest__data *b, struct lab_Nest__data *c,
                                      sidl_BaseInterface *_ex)
{
    struct lab_Nest__data was = *c;

    (void)self, (void)_ex;
    *b = copy(a);
    *c = copy(a);
    return was;
}

#define PASS_ARRAY(NAME, TYPE)                                                                     \
    static struct TYPE##__array *pass##NAME(void *self, struct TYPE##__array *a,                   \
                                            struct TYPE##__array **b, struct TYPE##__array **c,    \
                                            sidl_BaseInterface *_ex)                               \
    {                                                                                              \
        struct TYPE##__array *was = *c;                                                            \
                                                                                                   \
        (void)self, (void)_ex;                                                                     \
        *b = TYPE##__array_smartCopy(a);                                                           \
        *c = TYPE##__array_smartCopy(a);                                                           \
        return was;                                                                                \
    }

PASS_ARRAY(Array, sidl_double)
PASS_ARRAY(Strings, sidl_string)

static int32_t add(void *self, int32_t a, int32_t b, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return a + b;
}

static double first(void *self, struct sidl_double__array *x, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidlArrayElem1(x, 0);
}

static double sum(void *self, struct sidl_double__array *x, sidl_BaseInterface *_ex)
{
    double sum = 0;

    (void)self, (void)_ex;
    for (int32_t i = 0; i < sidlLength(x, 0); i++)
        sum += sidlArrayElem1(x, i);
    return sum;
}

static void scale(void *self, struct sidl_double__array *a, double factor, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    for (int32_t j = 0; j < sidlLength(a, 1); j++)
        for (int32_t i = 0; i < sidlLength(a, 0); i++)
            sidlArrayElem2(a, i, j) *= factor;
}

/* The first row counts ten times. */
static double sumOrdered(void *self, struct sidl_double__array *a, sidl_BaseInterface *_ex)
{
    double sum = 0;

    (void)self, (void)_ex;
    for (int32_t i = 0; i < sidlLength(a, 0) * sidlLength(a, 1); i++)
        sum += a->d_firstElement[i] * (i < sidlLength(a, 1) ? 10 : 1); /* row after row */
    return sum;
}

static struct sidl_long__array *fibonacci(void *self, int32_t n, sidl_BaseInterface *_ex)
{
    struct sidl_long__array *a = sidl_long__array_create1d(n);

    (void)self, (void)_ex;
    for (int32_t i = 0; i < n; i++)
        sidlArrayElem1(a, i) = i < 2 ? i : sidlArrayElem1(a, i - 1) + sidlArrayElem1(a, i - 2);
    return a;
}

static struct lab_Named__array *both(void *self, struct lab_Named__array *a,
                                     sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return lab_Named__array_smartCopy(a);
}

static void fail(void *self, int32_t depth, const char *note, sidl_BaseInterface *_ex)
{
    if (depth > 0) {
        fail(self, depth - 1, note, _ex);
        SIDL_CHECK(*_ex);
    } else if (depth < 0) {
        SIDL_THROW(*_ex, lab_WorseFailure, note);
    } else {
        SIDL_THROW(*_ex, lab_Failure, note);
    }
EXIT:
    return;
}

static char *name(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("a desk");
}

static int32_t count(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 3;
}

static int32_t countNamed(void *self, lab_Named what, sidl_BaseInterface *_ex)
{
    char *text = lab_Named_name(what, _ex);
    int32_t n = *_ex ? -1 : (int32_t)strlen(text);

    (void)self;
    sidl_String_free(text);
    return n;
}

struct adding {
    pthread_t thread;
    lab_Adder port;
    int32_t calls, right;
};

static void *add_often(void *arg)
{
    struct adding *a = arg;
    sidl_BaseInterface ex = NULL;

    for (int32_t i = 0; i < a->calls && !ex; i++)
        a->right += lab_Adder_add(a->port, i, 1, &ex) == i + 1;
    sidl_reference_delete(ex, NULL);
    return NULL;
}

static int32_t together(void *self, lab_Adder port, int32_t threads, int32_t calls,
                        sidl_BaseInterface *_ex)
{
    struct adding all[16];
    int32_t right = 0, n = 0;

    (void)self, (void)_ex;
    for (; n < threads && n < 16; n++) {
        all[n] = (struct adding){.port = port, .calls = calls};
        if (pthread_create(&all[n].thread, NULL, add_often, &all[n]) != 0)
            break;
    }
    while (n-- > 0) {
        pthread_join(all[n].thread, NULL);
        right += all[n].right;
    }
    return right;
}

static int32_t made(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return n_made;
}

static struct lab_Pair__data swap(struct lab_Pair__data *pair, double right,
                                  sidl_BaseInterface *_ex)
{
    struct lab_Pair__data was = *pair;

    (void)_ex;
    *pair = (struct lab_Pair__data){sidl_String_strdup("swapped"), right};
    return was;
}

static void begin(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    n_made++;
}

static const struct lab_Desk__epv epv = {
    .f_name = name,
    .f_count = count,
    .f_passBool = passBool,
    .f_passChar = passChar,
    .f_passInt = passInt,
    .f_passLong = passLong,
    .f_passFloat = passFloat,
    .f_passDouble = passDouble,
    .f_passFcomplex = passFcomplex,
    .f_passDcomplex = passDcomplex,
    .f_passOpaque = passOpaque,
    .f_passString = passString,
    .f_passColor = passColor,
    .f_passObject = passObject,
    .f_passNest = passNest,
    .f_passArray = passArray,
    .f_passStrings = passStrings,
    .f_add = add,
    .f_first = first,
    .f_sum = sum,
    .f_scale = scale,
    .f_sumOrdered = sumOrdered,
    .f_fibonacci = fibonacci,
    .f_both = both,
    .f_fail = fail,
    .f_countNamed = countNamed,
    .f_together = together,
};
static const struct lab_Desk__sepv sepv = {.f_made = made, .f_swap = swap};
static const struct sidl_implements implements[] = {{&lab_Desk__type, &epv}};
static struct sidl_class_state state;
static const struct sidl_class desk = {
    .name = "lab.Desk",
    .version = "1.0",
    .size = sizeof(struct sidl_object),
    .implements = implements,
    .n_implements = 1,
    .type = &lab_Desk__type,
    .ctor = begin,
    .statics = &sepv,
    .n_statics = 2,
    .state = &state,
};

const struct sidl_class *lab_Desk__externals(void);
const struct sidl_class *lab_Desk__externals(void)
{
    return &desk;
}
