/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call of a SIDL method costs beyond an indirect call with the same arguments, the exception
 * among them. All variants run in turn within each round; a figure is the best of all rounds, of
 * thread processor time per call. Beside it, what making and dropping an object costs.
 */
#include "bench_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "benchcall_First.h"
#include "benchcall_Plus.h"
#include "benchcall_Second.h"
#include "benchcall_Worker.h"
#include "sidl_call.h"

enum { ROUNDS = 41, CALLS = 200000, OBJECTS = 2000 };
enum { TABLE, CLASS, FIRST, SECOND, FROM_CXX, TO_CXX, BY_NAME, TO_HANDLER, CREATE, N_VARIANTS };

static const char *const names[N_VARIANTS] = {
    [TABLE] = "function table, written by hand",    [CLASS] = "through a class reference",
    [FIRST] = "through the first interface",        [SECOND] = "through another interface",
    [FROM_CXX] = "the first interface, from C++",   [TO_CXX] = "the first interface, to C++",
    [BY_NAME] = "by name, the method found before", [TO_HANDLER] = "to a handler",
    [CREATE] = "making and dropping an object",
};

struct subjects {
    struct bench_worker *table;
    benchcall_Worker object;
    benchcall_First first;
    benchcall_Second second;
    benchcall_First handlers;
    benchcall_First plus; /* in C++; without a compiler for it, the one in C */
    struct sidl_callee work;
};

#ifdef HAVE_CXX
void bench_call_from_cxx(benchcall_First ior, int calls);
#else
static void bench_call_from_cxx(benchcall_First ior, int calls)
{
    (void)ior, (void)calls;
}
#endif

static double cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* As a caller who minds exceptions writes it. */
#define REPEAT(TYPE, CALL)                                                                         \
    for (int i = 0; i < CALLS; i++) {                                                              \
        TYPE ex = NULL;                                                                            \
                                                                                                   \
        CALL;                                                                                      \
        if (ex)                                                                                    \
            abort();                                                                               \
    }

static double run_table(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(void *, s->table->ops->work(s->table, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_class(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_Worker_work(s->object, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_first(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_First_work(s->first, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_second(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_Second_workAgain(s->second, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_from_cxx(const struct subjects *s)
{
    const double start = cpu_ns();

    bench_call_from_cxx(s->first, CALLS);
    return (cpu_ns() - start) / CALLS;
}

static double run_to_cxx(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_First_work(s->plus, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_by_name(const struct subjects *s)
{
    const double start = cpu_ns();
    union sidl_value v[2];

    REPEAT(sidl_BaseInterface, (v[1].l = i, sidl_callee_call(&s->work, s->first, v, &ex)))
    return (cpu_ns() - start) / CALLS;
}

static double run_to_handler(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_First_work(s->handlers, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static void serve(const struct sidl_handled *method, void *self, union sidl_value *values,
                  sidl_BaseInterface *_ex)
{
    int64_t n = values[1].l;

    (void)method, (void)self, (void)_ex;
    __asm__ volatile("" : "+r"(n));
    values->l = n;
}

static sidl_bool choose(void *user, struct sidl_handled *method)
{
    (void)user;
    method->handler = serve;
    return TRUE;
}

/* An object of a class of handlers. */
static benchcall_First make_handlers(sidl_BaseInterface *_ex)
{
    static const struct sidl_type *const types[] = {&benchcall_First__type};
    const struct sidl_recipe recipe = {
        .name = "benchcall.Handlers", .types = types, .n_types = 1, .choose = choose};
    const struct sidl_class *cls = sidl_class_make(&recipe, _ex);

    return cls ? sidl_object_facet(sidl_object_create(cls, _ex), "benchcall.First") : NULL;
}

static benchcall_First make_plus(benchcall_First otherwise, sidl_BaseInterface *_ex)
{
#ifdef HAVE_CXX
    benchcall_Plus made = benchcall_Plus__create(_ex);
    benchcall_First first = benchcall_First__cast(made, _ex);

    (void)otherwise;
    sidl_reference_delete(made, NULL);
    return first;
#else
    benchcall_First_addRef(otherwise, _ex);
    return otherwise;
#endif
}

static double run_create(const struct subjects *s)
{
    const double start = cpu_ns();

    (void)s;
    for (int i = 0; i < OBJECTS; i++) {
        sidl_BaseInterface ex;

        benchcall_Worker_deleteRef(benchcall_Worker__create(&ex), &ex);
    }
    return (cpu_ns() - start) / OBJECTS;
}

int main(void)
{
    static double (*const run[N_VARIANTS])(const struct subjects *s) = {
        run_table,  run_class,   run_first,      run_second, run_from_cxx,
        run_to_cxx, run_by_name, run_to_handler, run_create};
    double best[N_VARIANTS], from_c;
    sidl_BaseInterface ex;
    struct subjects s = {.table = bench_worker(), .object = benchcall_Worker__create(&ex)};

    if (ex)
        return 1;
    s.first = benchcall_First__cast(s.object, &ex);
    s.second = benchcall_Second__cast(s.object, &ex);
    s.handlers = make_handlers(&ex);
    s.plus = make_plus(s.first, &ex);
    if (!s.handlers || !sidl_type_find(&benchcall_First__type, "work", &s.work, &ex))
        return 1;
    for (int round = -2; round < ROUNDS; round++)
        for (int v = 0; v < N_VARIANTS; v++) {
            const double t = run[v](&s);

            if (round < 0 || t < best[v])
                best[v] = t;
        }
    printf("calls of a SIDL method, best of %d rounds of %d calls, processor time\n", ROUNDS,
           CALLS);
    for (int v = 0; v < N_VARIANTS; v++)
        printf("  %-34s %7.2f ns\n", names[v], best[v]);
    for (int v = CLASS; v <= SECOND; v++)
        printf("ratio %-50s / function table (goal 1.1) %.3f\n", names[v], best[v] / best[TABLE]);
    /* The three calls from C are the same but for where they lie in memory. */
    from_c = best[CLASS];
    for (int v = FIRST; v <= SECOND; v++)
        from_c = best[v] < from_c ? best[v] : from_c;
    for (int v = FROM_CXX; v <= TO_HANDLER; v++)
        printf("ratio %-50s / C to C, the fastest (C++: goal 1.02) %.3f\n", names[v],
               best[v] / from_c);
    benchcall_First_deleteRef(s.plus, &ex);
    benchcall_First_deleteRef(s.handlers, &ex);
    benchcall_First_deleteRef(s.first, &ex);
    benchcall_Second_deleteRef(s.second, &ex);
    benchcall_Worker_deleteRef(s.object, &ex);
    return 0;
}
