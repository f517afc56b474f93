/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the matrices of the study into a folder, and matrices.csv beside it: which they are, and
 * what their calls' contexts will be. The same ones on every machine.
 */
#include "matrix.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct builder {
    int n;
    struct solvers_entry *entries;
    size_t count, room;
    bool failed; /* no memory */
    uint64_t random;
};

static void add(struct builder *b, int row, int column, double value)
{
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 1024;
        struct solvers_entry *e = portolan_reallocarray(b->entries, room, sizeof *e);

        b->failed = b->failed || !e;
        if (b->failed)
            return;
        b->entries = e;
        b->room = room;
    }
    b->entries[b->count++] = (struct solvers_entry){row, column, value};
}

static void add_pair(struct builder *b, int i, int j, double value)
{
    add(b, i, j, value);
    add(b, j, i, value);
}

/* A resistor between two nodes: keeps the matrix symmetric and semidefinite. */
static void add_edge(struct builder *b, int i, int j, double weight)
{
    add_pair(b, i, j, -weight);
    add(b, i, i, weight);
    add(b, j, j, weight);
}

/* Between 0 and 1, by splitmix64. */
static double uniform(struct builder *b)
{
    uint64_t z = b->random += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int below(struct builder *b, int n)
{
    return (int)(uniform(b) * n);
}

/* -- grids of SIZE points along each of two or three edges ------------------------------------- */

enum { NONE = -1 };

/* The neighbour of point P in direction 0 to 2 DIMENSIONS - 1; NONE beyond the edge. */
static int neighbour(int p, int size, int direction)
{
    int stride = direction / 2 == 0 ? 1 : direction / 2 == 1 ? size : size * size;
    int at = p / stride % size;

    if (direction % 2 == 0)
        return at > 0 ? p - stride : NONE;
    return at < size - 1 ? p + stride : NONE;
}

/* -Δu + c·∇u with given values on the edge; the differences of the second term UPWIND or central.
 */
static void flow(struct builder *b, int size, int dimensions, double c, bool upwind)
{
    b->n = dimensions == 2 ? size * size : size * size * size;
    for (int p = 0; p < b->n; p++) {
        add(b, p, p, 2 * dimensions + (upwind ? dimensions * c : 0));
        for (int d = 0; d < 2 * dimensions; d++) {
            int q = neighbour(p, size, d);
            double drift = upwind ? (d % 2 ? 0 : c) : (d % 2 ? -c / 2 : c / 2);

            if (q != NONE)
                add(b, p, q, -1 - drift);
        }
    }
}

static void poisson2(struct builder *b, int size)
{
    flow(b, size, 2, 0, true);
}

static void poisson3(struct builder *b, int size)
{
    flow(b, size, 3, 0, true);
}

static void convection2(struct builder *b, int size)
{
    flow(b, size, 2, 3, true);
}

static void convection3(struct builder *b, int size)
{
    flow(b, size, 3, 3, true);
}

/* Central differences where convection is too strong for them: nothing dominates. */
static void central2(struct builder *b, int size)
{
    flow(b, size, 2, 12, false);
}

/* The square of -Δ: positive definite, but nothing that one sees at a glance. */
static void plate(struct builder *b, int size)
{
    b->n = size * size;
    for (int p = 0; p < b->n; p++)
        for (int d = -1; d < 4; d++)
            for (int e = -1; e < 4; e++) {
                int q = d < 0 ? p : neighbour(p, size, d);
                int r = q == NONE || e < 0 ? q : neighbour(q, size, e);

                if (r != NONE)
                    add(b, p, r, (d < 0 ? 4.0 : -1.0) * (e < 0 ? 4.0 : -1.0));
            }
}

/* No flow over the edge, and next to no absorption: the smallest eigenvalue is 1e-9. */
static void nearly_singular(struct builder *b, int size)
{
    b->n = size * size;
    for (int p = 0; p < b->n; p++) {
        add(b, p, p, 1e-9);
        for (int d = 1; d < 4; d += 2)
            if (neighbour(p, size, d) != NONE)
                add_edge(b, p, neighbour(p, size, d), 1);
    }
}

/* Poisson's equation with points about which nothing is said: their rows are empty. */
static void singular(struct builder *b, int size)
{
    b->n = size * size;
    for (int p = 0; p < b->n; p++)
        for (int d = -1; d < 4; d++) {
            int q = d < 0 ? p : neighbour(p, size, d);

            if (q != NONE && p % 17 != 5 && q % 17 != 5)
                add(b, p, q, d < 0 ? 4 : -1);
        }
}

/* -- others, of SIZE rows ---------------------------------------------------------------------- */

static void tridiagonal(struct builder *b, int size)
{
    b->n = size;
    for (int i = 0; i < size; i++) {
        add(b, i, i, 2.01);
        if (i)
            add_pair(b, i, i - 1, -1);
    }
}

/* A third of the places in a band: what an incomplete factorization leaves out, matters. */
static void banded(struct builder *b, int size)
{
    b->n = size;
    for (int i = 0; i < size; i++)
        for (int j = i - 20 > 0 ? i - 20 : 0; j <= i + 20 && j < size; j++)
            if (i == j || below(b, 3) == 0)
                add(b, i, j, uniform(b) - 0.5);
}

/* A network of resistors between random nodes, each with one to the ground. */
static void random_definite(struct builder *b, int size)
{
    b->n = size;
    for (int i = 0; i < size; i++) {
        add(b, i, i, 0.1);
        for (int k = 0; k < 2; k++) {
            int j = below(b, size);

            if (j != i)
                add_edge(b, i, j, 0.1 + uniform(b));
        }
    }
}

static void random_general(struct builder *b, int size)
{
    b->n = size;
    for (int i = 0; i < size; i++) {
        add(b, i, (i + size / 3) % size, 1); /* so that it is regular, with an empty diagonal */
        for (int k = 0; k < 4; k++)
            add(b, i, below(b, size), uniform(b) - 0.5);
    }
}

/* Resistors between near nodes, amplifiers, a rail that a third of the nodes hang on, and voltage
 * sources, whose currents are unknowns without a diagonal. */
static void circuit(struct builder *b, int size)
{
    int nodes = size - size / 20;

    b->n = size;
    for (int i = 0; i < nodes; i++) {
        add(b, i, i, 1e-3);
        add_edge(b, i, (i + 1) % nodes, 1 + uniform(b));
        if (i % 3 == 0)
            add_edge(b, i, (i + 1 + below(b, 30)) % nodes, uniform(b));
        if (i % 3 == 1)
            add(b, 0, i, -1e-2);
        if (i % 3 == 1)
            add(b, i, 0, -1e-2 * uniform(b));
        if (i % 5 == 0)
            add(b, i, below(b, nodes), 3 * uniform(b));
    }
    for (int i = nodes; i < size; i++)
        add_pair(b, i, (i - nodes) * 19, 1);
}

/* Least squares under conditions: symmetric, of both signs, zero in a corner of the diagonal. */
static void saddle(struct builder *b, int size)
{
    int free = size - size / 4;

    b->n = size;
    for (int i = 0; i < free; i++) {
        add(b, i, i, 1 + uniform(b));
        if (i)
            add_pair(b, i, i - 1, -0.5);
    }
    for (int i = free; i < size; i++) {
        add_pair(b, i, i - free, 1);
        for (int k = 0; k < 2; k++)
            add_pair(b, i, below(b, free), uniform(b) - 0.5);
    }
}

/* -- the set ----------------------------------------------------------------------------------- */

static const struct family {
    const char *name;
    void (*make)(struct builder *b, int size);
    int sizes[5]; /* 0: no more; the first two of the first four are the quick set */
} families[] = {
    {"poisson2", poisson2, {12, 24, 45, 75, 110}},
    {"convection2", convection2, {12, 22, 40, 70, 100}},
    {"central2", central2, {14, 28, 50, 80}},
    {"singular", singular, {13, 25, 47, 78}},
    {"poisson3", poisson3, {5, 7, 10, 13, 16}},
    {"convection3", convection3, {5, 7, 9, 12, 15}},
    {"plate", plate, {12, 22, 35, 55}},
    {"nearly_singular", nearly_singular, {14, 26, 48, 80}},
    {"tridiagonal", tridiagonal, {300, 1500, 7000, 30000}},
    {"banded", banded, {150, 500, 1500, 4000}},
    {"random_definite", random_definite, {150, 300, 550, 900}},
    {"random_general", random_general, {120, 220, 380, 600}},
    {"circuit", circuit, {200, 700, 2000, 5000}},
    {"saddle", saddle, {160, 400, 1000, 2000}},
};

static enum portolan_status write_one(const struct family *f, int size, const char *folder,
                                      FILE *cases, struct portolan_error *err)
{
    struct builder b = {.random = (uint64_t)size};
    struct solvers_matrix a = {0};
    char *path = portolan_asprintf("%s/%s-%d.mtx", folder, f->name, size);
    enum portolan_status status;

    f->make(&b, size);
    if (b.failed || !path)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "no memory");
    else
        status = solvers_matrix_assemble(&a, b.n, b.entries, b.count, err);
    if (!status)
        status = solvers_matrix_write(&a, path, err);
    if (!status)
        fprintf(cases, "%s-%d.mtx,%d,%.17g,%d,%d\n", f->name, size, a.n, solvers_matrix_row(&a),
                a.bandwidth, a.kind);
    solvers_matrix_clear(&a);
    free(b.entries);
    free(path);
    return status;
}

static enum portolan_status write_all(const char *folder, bool quick, struct portolan_error *err)
{
    char *path = portolan_asprintf("%s/matrices.csv", folder);
    FILE *cases = path ? fopen(path, "w") : NULL;
    enum portolan_status status = PORTOLAN_OK;
    bool failed;

    free(path);
    if (!cases)
        return portolan_error_set(err, PORTOLAN_EIO, "%s/matrices.csv: %s", folder,
                                  strerror(errno));
    fprintf(cases, "driver.matrix,n,row,bandwidth,kind\n");
    for (size_t i = 0; i < (quick ? 4 : sizeof families / sizeof *families) && !status; i++)
        for (int k = 0; k < (quick ? 2 : 5) && families[i].sizes[k] && !status; k++)
            status = write_one(&families[i], families[i].sizes[k], folder, cases, err);
    failed = ferror(cases) != 0;
    if ((fclose(cases) || failed) && !status)
        status = portolan_error_set(err, PORTOLAN_EIO, "%s/matrices.csv: not written", folder);
    return status;
}

int main(int argc, char **argv)
{
    struct portolan_error err = {0};
    bool quick = argc == 3 && strcmp(argv[2], "--quick") == 0;

    if (argc != 2 && !quick) {
        fprintf(stderr, "usage: solvers_generate FOLDER [--quick]\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) && errno != EEXIST) {
        fprintf(stderr, "solvers_generate: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    if (write_all(argv[1], quick, &err)) {
        fprintf(stderr, "solvers_generate: %s\n", err.text);
        return 1;
    }
    return 0;
}
