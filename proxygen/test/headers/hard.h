/* SPDX-License-Identifier: BSD-3-Clause */
/* What C lets one write in a table of operations, name clashes with generated code included. */
#ifndef HARD_H
#define HARD_H

#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMESPACE(x)   hard_##x
#define MEMBER(n, ...) int (*NAMESPACE(n))(struct hard * self, __VA_ARGS__)
typedef struct hard *hard_handle;
typedef void method_type(struct hard *self, int flags);
typedef method_type *method_pointer;
typedef double row[4];
typedef double (*row_pointer)[4];
typedef int (*callback)(int, void *);
union pair {
    float f[2];
    int64_t i;
};
struct state {
    int a : 3, : 2, b : 7;
    struct {
        int inner;
    };
};

/* Names that generated code would like to have. */
struct proxy {
    int of;
};
static inline int fill(int x)
{
    return x;
}
extern int create(int call), show(void), description, table, methods, slots;

struct hard_ops {
    int version, : 4, bits : 3;
    method_pointer by_typedef;
    method_type *by_function_typedef;
    void (*copy)(struct hard *to, const struct hard *from);
    int (*differ)(hard_handle, hard_handle);
    double complex (*of_complex)(hard_handle h, double complex z, long double x);
    union pair (*of_union)(hard_handle h, union pair p, struct state s, bool yes);
    void (*arrays)(hard_handle h, int n, int m, double a[n][m], const double b[static 2],
                   double c[const], row d, row *e, double (*f)[3], char *const words[]);
    int (*functions)(hard_handle h, int f(int, double), callback c, void (*on)(void (*)(int)),
                     callback table[2]);
    callback (*returns_typedef)(hard_handle h);
    int (*(*returns_function)(hard_handle h, int))(int, void *);
    double (*(*returns_array_pointer)(hard_handle h))[3];
    const char *const (*returns_const)(const struct hard *h);
    const int (*returns_const_int)(const struct hard *h);
    int (*formatted)(hard_handle h, const char *format, va_list args);
    volatile int *(*qualified)(hard_handle h, const volatile int *restrict p, int *restrict q,
                               int **const r);
    int (*late)(int first, hard_handle second, hard_handle third);
    int (*locals)(hard_handle proxy, int to, int call, int context, int result, int self);
    int (*unnamed)(struct hard *, int, double, callback);
    MEMBER(by_macro, int a, double b);
    unsigned char (*small)(hard_handle h, unsigned char c, signed char d, short s, uint64_t big);
    void *(*opaque)(hard_handle h, void *, void **);
    void (*hooks[3])(hard_handle h);
    int (*old_style)(hard_handle h, int compare(), double (*(*table)[2])());
    int (*(*returns_old_style)(hard_handle h))();
    row_pointer (*hides)(hard_handle h, int row_pointer, struct proxy proxy);
    union pair (*hides_too)(hard_handle h, union pair pair);
    void (*end)(hard_handle h) __attribute__((noreturn));
};
struct hard {
    int before;
    struct hard_ops *ops;
    double data[3];
    struct hard *next;
};

#define result     17
#define argument_1 one
#endif
