/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of the C library that programs take for their own: getopt(3)'s, which they may also have
 * copies of, and that of random numbers. Reached through clue_override(), by images alone.
 */
#include "internal.h"

#include <portolan/list.h>

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- getopt */

static const struct {
    const char *name;
    size_t offset; /* in struct rank */
} variables[] = {
    {"optind", offsetof(struct rank, options.index)},
    {"opterr", offsetof(struct rank, options.error)},
    {"optopt", offsetof(struct rank, options.option)},
    {"optarg", offsetof(struct rank, options.argument)},
};
enum { INDEX, ERROR, OPTION, ARGUMENT, VARIABLES };

/* Where the rank's program has it: a copy of its own, or the rank's. */
static void *variable_of(struct rank *rank, int which)
{
    const struct image *program = &rank->program->set.images[0];

    for (size_t i = 0; i < program->n_copies; i++)
        if (strcmp(program->copies[i].name, variables[which].name) == 0)
            return rank->base + program->offset + program->copies[i].at;
    return (char *)rank + variables[which].offset;
}

typedef int parse_fn(int argc, char *const *argv, const char *letters, const struct option *names,
                     int *which);

/*
 * The C library keeps where it is in the arguments of the last caller, and ranks may call in turn.
 * So all that a rank's arguments have is found at its first call, and handed out one by one.
 */
static void find_options(struct rank *rank, int argc, char *const *argv, const char *letters,
                         const struct option *names, int begin, parse_fn *parse)
{
    struct option_state *o = &rank->options;
    int shift = begin > 1 && begin < argc ? begin - 1 : 0;
    struct found_option found;

    o->n_found = o->n_taken = 0;
    optind = 0;
    opterr = *(int *)variable_of(rank, ERROR);
    do {
        found.which = -1;
        found.result = parse(argc - shift, argv + shift, letters, names, &found.which);
        found.index = optind + shift;
        found.option = optopt;
        found.argument = optarg;
        if (!portolan_reserve(&o->found, &o->room, o->n_found + 1, sizeof found))
            clue_fail("out of memory");
        o->found[o->n_found++] = found;
    } while (found.result != -1);
}

static int get_option(int argc, char *const *argv, const char *letters, const struct option *names,
                      int *which, parse_fn *parse)
{
    struct rank *rank = clue_carrier.current;
    struct option_state *o = &rank->options;
    int *index = variable_of(rank, INDEX);
    const struct found_option *next;

    if (o->n_taken == o->n_found || o->argv != argv || o->letters != letters ||
        *index != o->handed_out)
        find_options(rank, argc, argv, letters, names, *index, parse);
    o->argv = argv;
    o->letters = letters;
    next = &o->found[o->n_taken++];
    *index = o->handed_out = next->index;
    *(int *)variable_of(rank, OPTION) = next->option;
    *(char **)variable_of(rank, ARGUMENT) = next->argument;
    if (which && next->which >= 0)
        *which = next->which;
    return next->result;
}

static int parse_letters(int argc, char *const *argv, const char *letters,
                         const struct option *names, int *which)
{
    (void)names, (void)which;
    return getopt(argc, argv, letters);
}

static int own_getopt(int argc, char *const *argv, const char *letters)
{
    return get_option(argc, argv, letters, NULL, NULL, parse_letters);
}

static int own_getopt_long(int argc, char *const *argv, const char *letters,
                           const struct option *names, int *which)
{
    return get_option(argc, argv, letters, names, which, getopt_long);
}

static int own_getopt_long_only(int argc, char *const *argv, const char *letters,
                                const struct option *names, int *which)
{
    return get_option(argc, argv, letters, names, which, getopt_long_only);
}

void clue_state_end(struct rank *rank)
{
    free(rank->options.found);
}

/* ------------------------------------------------- random numbers */

static struct random_data *random_of(struct rank *rank)
{
    if (!rank->random.state)
        initstate_r(1, rank->random_bytes, sizeof rank->random_bytes, &rank->random);
    return &rank->random;
}

static long own_random(void)
{
    int32_t value;

    random_r(random_of(clue_carrier.current), &value);
    return value;
}

static int own_rand(void)
{
    return (int)own_random();
}

static void own_srandom(unsigned seed)
{
    srandom_r(seed, random_of(clue_carrier.current));
}

static double own_drand48(void)
{
    double value;

    drand48_r(&clue_carrier.current->random48, &value);
    return value;
}

static long own_lrand48(void)
{
    long value;

    lrand48_r(&clue_carrier.current->random48, &value);
    return value;
}

static long own_mrand48(void)
{
    long value;

    mrand48_r(&clue_carrier.current->random48, &value);
    return value;
}

static void own_srand48(long seed)
{
    srand48_r(seed, &clue_carrier.current->random48);
}

static unsigned short *own_seed48(unsigned short seed[3])
{
    seed48_r(seed, &clue_carrier.current->random48);
    return clue_carrier.current->random48.__old_x;
}

static void own_lcong48(unsigned short parameters[7])
{
    lcong48_r(parameters, &clue_carrier.current->random48);
}

void clue_state_begin(struct rank *rank)
{
    int *index = variable_of(rank, INDEX), *error = variable_of(rank, ERROR);

    *index = *error = 1;
}

typedef void function(void);
static const struct {
    const char *name;
    function *own;
} functions[] = {
    {"portolan_clue_change", (function *)clue_change_machine},
    {"getopt", (function *)own_getopt},
    {"getopt_long", (function *)own_getopt_long},
    {"getopt_long_only", (function *)own_getopt_long_only},
    {"rand", (function *)own_rand},
    {"srand", (function *)own_srandom},
    {"random", (function *)own_random},
    {"srandom", (function *)own_srandom},
    {"drand48", (function *)own_drand48},
    {"lrand48", (function *)own_lrand48},
    {"mrand48", (function *)own_mrand48},
    {"srand48", (function *)own_srand48},
    {"seed48", (function *)own_seed48},
    {"lcong48", (function *)own_lcong48},
    {"__libc_start_main", (function *)clue_start_main},
    {"__tls_get_addr", (function *)clue_tls_address},
    {"__cxa_finalize", (function *)clue_finalize},
};

bool clue_override(const char *name, uint32_t *base, uint64_t *value)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0) {
            *base = CLUE_ABSOLUTE;
            *value = (uint64_t)(uintptr_t)functions[i].own;
            clue_carrier.may_change |= functions[i].own == (function *)clue_change_machine;
            return true;
        }
    for (size_t i = 0; i < VARIABLES; i++)
        if (strcmp(name, variables[i].name) == 0) {
            *base = CLUE_RANK_BLOCK;
            *value = variables[i].offset;
            return true;
        }
    return false;
}
