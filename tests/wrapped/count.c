/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts by hand, as a library to preload: what wrapped programs are compared with. The counts of
 * functions that were called go to the file named by COUNTS when the program ends.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cblas.h>
#include <sqlite3.h>
#include <zlib.h>

#define COUNTED(X)                                                                                 \
    X(void, cblas_dgemm,                                                                           \
      (CBLAS_LAYOUT o, CBLAS_TRANSPOSE s, CBLAS_TRANSPOSE t, blasint m, blasint n, blasint k,      \
       double f, const double *a, blasint i, const double *b, blasint j, double g, double *c,      \
       blasint l),                                                                                 \
      (o, s, t, m, n, k, f, a, i, b, j, g, c, l))                                                  \
    X(void, cblas_dgemv,                                                                           \
      (CBLAS_LAYOUT o, CBLAS_TRANSPOSE t, blasint m, blasint n, double f, const double *a,         \
       blasint i, const double *x, blasint j, double g, double *y, blasint l),                     \
      (o, t, m, n, f, a, i, x, j, g, y, l))                                                        \
    X(void, cblas_dsyrk,                                                                           \
      (CBLAS_LAYOUT o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, blasint n, blasint k, double f,            \
       const double *a, blasint i, double g, double *c, blasint l),                                \
      (o, u, t, n, k, f, a, i, g, c, l))                                                           \
    X(double, cblas_ddot, (blasint n, const double *x, blasint i, const double *y, blasint j),     \
      (n, x, i, y, j))                                                                             \
    X(uLong, crc32, (uLong c, const Bytef *b, uInt n), (c, b, n))                                  \
    X(uLong, adler32, (uLong c, const Bytef *b, uInt n), (c, b, n))                                \
    X(int, deflate, (z_streamp s, int f), (s, f))                                                  \
    X(int, deflateEnd, (z_streamp s), (s))                                                         \
    X(int, inflate, (z_streamp s, int f), (s, f))                                                  \
    X(int, inflateEnd, (z_streamp s), (s))                                                         \
    X(int, sqlite3_step, (sqlite3_stmt * s), (s))                                                  \
    X(int, sqlite3_finalize, (sqlite3_stmt * s), (s))                                              \
    X(int, sqlite3_column_count, (sqlite3_stmt * s), (s))                                          \
    X(const unsigned char *, sqlite3_column_text, (sqlite3_stmt * s, int i), (s, i))               \
    X(int, sqlite3_complete, (const char *t), (t))                                                 \
    X(int, sqlite3_prepare_v2,                                                                     \
      (sqlite3 * d, const char *t, int n, sqlite3_stmt **s, const char **r), (d, t, n, s, r))

#define DEFINE(type, name, parameters, arguments)                                                  \
    static long n_##name;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        n_##name++;                                                                                \
        return next arguments;                                                                     \
    }
COUNTED(DEFINE)

__attribute__((destructor)) static void write_counts(void)
{
    const char *file = getenv("COUNTS");
    FILE *out = file ? fopen(file, "w") : NULL;

    if (!out)
        return;
#define WRITE(type, name, parameters, arguments)                                                   \
    if (n_##name)                                                                                  \
        fprintf(out, "%s %ld\n", #name, n_##name);
    COUNTED(WRITE)
    fclose(out);
}
