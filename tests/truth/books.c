/* SPDX-License-Identifier: BSD-3-Clause */
#include "books.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static const char *const method_names[METHODS] = {"leaf", "nest", "recurse", "threads", "wait"};

static struct book {
    long calls;
    double inner_s, outer_s;      /* of outermost calls */
    double own_low_s, own_high_s; /* without the calls made from there */
    double mpi_low_s, mpi_high_s;
} books[2][METHODS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct body *running, last; /* the body that ended last */
static __thread int depth[2][METHODS];

double books_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void body_begin(struct body *b, int instance, enum method method)
{
    *b = (struct body){.around = running, .instance = instance, .method = method};
    running = b;
    depth[instance][method]++;
    b->begin_s = books_now_s();
}

void body_end(struct body *b)
{
    b->inner_s = books_now_s() - b->begin_s;
    depth[b->instance][b->method]--;
    running = b->around;
    last = *b;
}

void call_begin(struct call *c, int instance, enum method method)
{
    *c = (struct call){instance, method, depth[instance][method] == 0, 0};
    c->begin_s = books_now_s();
}

void call_end(struct call *c)
{
    double outer_s = books_now_s() - c->begin_s;
    struct book *book = &books[c->instance][c->method];

    pthread_mutex_lock(&lock);
    book->calls++;
    if (c->is_outermost) {
        book->inner_s += last.inner_s;
        book->outer_s += outer_s;
    }
    book->own_low_s += last.inner_s - last.children_outer_s;
    book->own_high_s += outer_s - last.children_inner_s;
    pthread_mutex_unlock(&lock);
    if (running) {
        running->children_inner_s += last.inner_s;
        running->children_outer_s += outer_s;
    }
}

void books_add_mpi(int instance, enum method method, double low_s, double high_s)
{
    pthread_mutex_lock(&lock);
    books[instance][method].mpi_low_s += low_s;
    books[instance][method].mpi_high_s += high_s;
    pthread_mutex_unlock(&lock);
}

bool books_write(const char *file)
{
    FILE *f = fopen(file, "w");

    if (!f)
        return false;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < METHODS; m++)
            fprintf(f, "%c %s %ld %.9f %.9f %.9f %.9f %.9f %.9f\n", "ab"[i], method_names[m],
                    books[i][m].calls, books[i][m].inner_s, books[i][m].outer_s,
                    books[i][m].own_low_s, books[i][m].own_high_s, books[i][m].mpi_low_s,
                    books[i][m].mpi_high_s);
    return fclose(f) == 0;
}
