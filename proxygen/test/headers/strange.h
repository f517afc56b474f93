/* SPDX-License-Identifier: BSD-3-Clause */
/* What headers of others have that compilers complain of, or that generated code stumbles over. */
#ifndef STRANGE_H
#define STRANGE_H

#include <stddef.h>

struct strange;
struct hidden;
typedef float four __attribute__((vector_size(32))); /* AVX: warned of where it is not enabled */
typedef int old __attribute__((deprecated("of old")));

struct strange_ops {
    int (*deprecated)(struct strange *self, int n) __attribute__((deprecated("as this is")));
    int (*deprecated_type)(struct strange *self, old n);
    int *const (*qualified)(struct strange *self, const volatile char *volatile p);
    four (*vector)(struct strange *self, four x);
    __int128 (*wide)(struct strange *self, unsigned __int128 n);
    _Complex int (*complex_integer)(struct strange *self, _Complex int z);
    struct hidden *(*pointed)(struct strange *self, struct hidden *h);
    struct hidden (*returned)(struct strange *self); /* nobody can call it */
    void (*unbound)(struct strange *self, int n, double x[*][*], double (*y)[*]);
    void (*computed)(struct strange *self, int n, double x[n][(n + 1) * 2], int *q[n]);
    int (*listed)(struct strange *self, int callback(int n, double x[n][n], double (*y)[n]));
    int (*getc)(struct strange *self);
    int (*open)(struct strange *self, const char *path, int flags);
    int (*renamed)(struct strange *self);
    struct {
        int (*inner)(struct strange *self);
    } nested;
    int (*clash)(struct strange *self, int portolan_probe_leave, int mode);
};

struct strange {
    const struct strange_ops *methods;
};

/* As C libraries have them, behind the declarations. */
#define open(path, ...) open64(path, __VA_ARGS__)
#define getc(x)         _IO_getc(x)
#define renamed         renamed_in_version_2
#define inner           (*inner_of_this_thread())
#define nested          (*nested_of_this_thread())
#define mode            0777
#endif
