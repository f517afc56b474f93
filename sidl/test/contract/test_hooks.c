/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: what they are given, when they are called, and what happens when they throw. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "hk.h"
#include "hk_Basics_Impl.h"
#include "hk_Child_Impl.h"
#include "sidl_SIDLException.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What was called, in order. */
static char history[1000];
static const char *thrower; /* the function that is to throw */

static void note(const char *what, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    strcat(history, what);
    strcat(history, " ");
    if (thrower && strncmp(what, thrower, strlen(thrower)) == 0)
        SIDL_THROW(*_ex, sidl_SIDLException, "thrown as told");
EXIT:;
}

#define EXPECT_HISTORY(TEXT)                                                                       \
    do {                                                                                           \
        assert_string_equal(history, TEXT);                                                        \
        history[0] = '\0';                                                                         \
    } while (0)

#define CLASS(NAME)                                                                                \
    void impl_hk_##NAME##__load(sidl_BaseInterface *_ex)                                           \
    {                                                                                              \
        *_ex = NULL;                                                                               \
    }                                                                                              \
    void impl_hk_##NAME##__ctor(hk_##NAME self, sidl_BaseInterface *_ex)                           \
    {                                                                                              \
        *_ex = NULL;                                                                               \
    }                                                                                              \
    void impl_hk_##NAME##__ctor2(hk_##NAME self, void *data, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        *_ex = NULL;                                                                               \
    }                                                                                              \
    void impl_hk_##NAME##__dtor(hk_##NAME self, sidl_BaseInterface *_ex)                           \
    {                                                                                              \
        *_ex = NULL;                                                                               \
    }

CLASS(Basics)
CLASS(Child)

static void note_numbers(const char *name, int n, const int *numbers, sidl_BaseInterface *_ex)
{
    char text[100];
    int length = snprintf(text, sizeof text, "%s(", name);

    for (int i = 0; i < n; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s%d", i ? "," : "", numbers[i]);
    snprintf(text + length, sizeof text - (size_t)length, ")");
    note(text, _ex);
}

#define NOTE(NAME, ...)                                                                            \
    note_numbers(NAME, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__}, _ex)

#define METHOD(NAME, SELF)                                                                         \
    void impl_hk_Basics_##NAME##_pre(SELF int32_t i, int32_t io, sidl_BaseInterface *_ex)          \
    {                                                                                              \
        NOTE(#NAME "_pre", i, io);                                                                 \
    }                                                                                              \
    int32_t impl_hk_Basics_##NAME(SELF int32_t i, int32_t *o, int32_t *io,                         \
                                  sidl_BaseInterface *_ex)                                         \
    {                                                                                              \
        NOTE(#NAME, i, *io);                                                                       \
        *o = 10;                                                                                   \
        *io = 20;                                                                                  \
        return i;                                                                                  \
    }                                                                                              \
    void impl_hk_Basics_##NAME##_post(SELF int32_t i, int32_t o, int32_t io, int32_t _retval,      \
                                      sidl_BaseInterface *_ex)                                     \
    {                                                                                              \
        NOTE(#NAME "_post", i, o, io, _retval);                                                    \
    }

#define NO_SELF
METHOD(count, NO_SELF)
#define BASICS hk_Basics self,
METHOD(call, BASICS)

void impl_hk_Basics_texts_pre(hk_Basics self, const char *s, const char *t, double *x, int32_t n,
                              const struct hk_Pair__data *p, sidl_BaseInterface *_ex)
{
    char text[100];

    snprintf(text, sizeof text, "texts_pre(%s,%s,%g,%d,%s)", s, t, x[1], (int)n, p->text);
    note(text, _ex);
}

struct hk_Pair__data impl_hk_Basics_texts(hk_Basics self, const char *s, char **t,
                                          struct sidl_string__array **u, double *x, int32_t n,
                                          const struct hk_Pair__data *p, sidl_BaseInterface *_ex)
{
    struct hk_Pair__data result = {2 * p->a, sidl_String_strdup("result")};

    note("texts", _ex);
    *u = sidl_string__array_create1d(2);
    sidl_string__array_set1(*u, 1, s);
    sidl_String_free(*t);
    *t = sidl_String_strdup("new");
    return result;
}

void impl_hk_Basics_texts_post(hk_Basics self, const char *s, const char *t,
                               struct sidl_string__array *u, double *x, int32_t n,
                               const struct hk_Pair__data *p, const struct hk_Pair__data *_retval,
                               sidl_BaseInterface *_ex)
{
    char text[100];

    snprintf(text, sizeof text, "texts_post(%s,%s,%s,%d,%s)", s, t, u->d_firstElement[1],
             (int)_retval->a, _retval->text);
    note(text, _ex);
}

#define PLAIN(CLASS, NAME)                                                                         \
    void impl_hk_##CLASS##_##NAME##_pre(hk_##CLASS self, sidl_BaseInterface *_ex)                  \
    {                                                                                              \
        note(#CLASS "." #NAME "_pre", _ex);                                                        \
    }                                                                                              \
    void impl_hk_##CLASS##_##NAME(hk_##CLASS self, sidl_BaseInterface *_ex)                        \
    {                                                                                              \
        note(#CLASS "." #NAME, _ex);                                                               \
    }                                                                                              \
    void impl_hk_##CLASS##_##NAME##_post(hk_##CLASS self, sidl_BaseInterface *_ex)                 \
    {                                                                                              \
        note(#CLASS "." #NAME "_post", _ex);                                                       \
    }

PLAIN(Basics, plain)
PLAIN(Child, plain)
PLAIN(Child, own)

void hk_Child__superEPV(struct hk_Basics__epv *parentEPV)
{
    (void)parentEPV;
}

static int begin(void **state)
{
    history[0] = '\0';
    thrower = NULL;
    PASSES(hk_Basics__set_hooks_static(FALSE, &ex));
    PASSES(hk_Child__set_hooks_static(FALSE, &ex));
    PASSES(sidl_EnfPolicy_setEnforceNone(TRUE, &ex));
    return 0;
}

static hk_Basics new_basics(void)
{
    hk_Basics object;

    PASSES(object = hk_Basics__create(&ex));
    return object;
}

/* In by value; out, inout and the result afterwards. */
static void hooks_get_what_goes_in_and_what_comes_out(void **state)
{
    hk_Basics object = new_basics();
    int32_t o = 0, io = 2, result;

    PASSES(result = hk_Basics_call(object, 1, &o, &io, &ex));
    EXPECT_HISTORY("call(1,2) ");
    PASSES(hk_Basics__set_hooks(object, TRUE, &ex));
    io = 2;
    PASSES(result = hk_Basics_call(object, 1, &o, &io, &ex));
    EXPECT_HISTORY("call_pre(1,2) call(1,2) call_post(1,10,20,1) ");
    assert_true(o == 10 && io == 20 && result == 1);
    PASSES(hk_Basics__set_hooks(object, FALSE, &ex));
    PASSES(hk_Basics_call(object, 1, &o, &io, &ex));
    EXPECT_HISTORY("call(1,20) ");
    hk_Basics_deleteRef(object, NULL);
}

static void static_methods_have_hooks(void **state)
{
    int32_t o, io = 3;

    PASSES(hk_Basics_count(1, &o, &io, &ex));
    EXPECT_HISTORY("count(1,3) ");
    PASSES(hk_Basics__set_hooks_static(TRUE, &ex));
    PASSES(hk_Basics_count(1, &o, &io, &ex));
    EXPECT_HISTORY("count_pre(1,20) count(1,20) count_post(1,10,20,1) ");
}

static void strings_arrays_raw_arrays_and_structs_reach_hooks(void **state)
{
    hk_Basics object = new_basics();
    const struct hk_Pair__data p = {4, (char *)"pair"};
    const double x[] = {1, 2.5};
    char *t = sidl_String_strdup("old");
    struct sidl_string__array *u;
    struct hk_Pair__data result;

    PASSES(hk_Basics__set_hooks(object, TRUE, &ex));
    PASSES(result = hk_Basics_texts(object, "s", &t, &u, x, 2, &p, &ex));
    EXPECT_HISTORY("texts_pre(s,old,2.5,2,pair) texts texts_post(s,new,s,8,result) ");
    sidl_String_free(result.text);
    sidl_string__array_deleteRef(u);
    /* results that the caller will not look at are given back */
    thrower = "texts_post";
    THROWS("sidl.SIDLException", "as told",
           result = hk_Basics_texts(object, "s", &t, &u, x, 2, &p, &ex));
    assert_null(result.text);
    assert_null(u);
    sidl_String_free(t);
    hk_Basics_deleteRef(object, NULL);
}

static void an_exception_before_the_call_prevents_it(void **state)
{
    hk_Basics object = new_basics();

    PASSES(hk_Basics__set_hooks(object, TRUE, &ex));
    thrower = "Basics.plain_pre";
    THROWS("sidl.SIDLException", "as told", hk_Basics_plain(object, &ex));
    EXPECT_HISTORY("Basics.plain_pre ");
    thrower = "call(";
    THROWS("sidl.SIDLException", "as told",
           hk_Basics_call(object, 1, &(int32_t){0}, &(int32_t){2}, &ex));
    EXPECT_HISTORY("call_pre(1,2) call(1,2) ");
    hk_Basics_deleteRef(object, NULL);
}

static void contracts_come_before_hooks(void **state)
{
    hk_Basics object = new_basics();
    int32_t o, io = 2;
    hk_Port port;

    PASSES(port = hk_Port__cast(object, &ex));
    PASSES(hk_Basics__set_hooks_static(TRUE, &ex));
    PASSES(sidl_EnfPolicy_setEnforceAll(sidl_ContractClass_ALLCLASSES, TRUE, &ex));
    VIOLATES(hk_Basics_call(object, 0, &o, &io, &ex));
    VIOLATES(hk_Port_call(port, 0, &o, &io, &ex));
    VIOLATES(hk_Basics_count(-1, &o, &io, &ex));
    EXPECT_HISTORY("");
    PASSES(hk_Port_call(port, 1, &o, &io, &ex));
    EXPECT_HISTORY("call_pre(1,2) call(1,2) call_post(1,10,20,1) ");
    PASSES(hk_Basics_count(1, &o, &io, &ex));
    EXPECT_HISTORY("count_pre(1,20) count(1,20) count_post(1,10,20,1) ");
    PASSES(hk_Basics__set_hooks(object, FALSE, &ex));
    PASSES(hk_Port_call(port, 1, &o, &io, &ex));
    PASSES(hk_Basics_count(1, &o, &io, &ex));
    EXPECT_HISTORY("call(1,20) count(1,20) ");
    VIOLATES(hk_Port_call(port, 0, &o, &io, &ex));
    PASSES(hk_Basics__set_contracts(object, FALSE, NULL, FALSE, &ex));
    PASSES(hk_Port_call(port, 0, &o, &io, &ex));
    EXPECT_HISTORY("call(0,20) ");
    PASSES(hk_Basics__set_contracts(object, TRUE, NULL, FALSE, &ex));
    hk_Port_deleteRef(port, NULL);
    hk_Basics_deleteRef(object, NULL);
}

static void inherited_methods_have_the_parent_s_hooks(void **state)
{
    hk_Child child;
    hk_Basics as_basics;

    PASSES(child = hk_Child__create(&ex));
    PASSES(as_basics = hk_Basics__cast(child, &ex));
    PASSES(hk_Child__set_hooks(child, TRUE, &ex));
    PASSES(hk_Basics_plain(as_basics, &ex));
    EXPECT_HISTORY("Child.plain_pre Child.plain Child.plain_post ");
    PASSES(hk_Child_own(child, &ex));
    EXPECT_HISTORY("Child.own_pre Child.own Child.own_post ");
    PASSES(hk_Child_call(child, 5, &(int32_t){0}, &(int32_t){6}, &ex));
    EXPECT_HISTORY("call_pre(5,6) call(5,6) call_post(5,10,20,5) ");
    hk_Basics_deleteRef(as_basics, NULL);
    hk_Child_deleteRef(child, NULL);
}

#define TEST(NAME) cmocka_unit_test_setup(NAME, begin)
UNIT_TESTS(TEST(hooks_get_what_goes_in_and_what_comes_out), TEST(static_methods_have_hooks),
           TEST(strings_arrays_raw_arrays_and_structs_reach_hooks),
           TEST(an_exception_before_the_call_prevents_it), TEST(contracts_come_before_hooks),
           TEST(inherited_methods_have_the_parent_s_hooks))
