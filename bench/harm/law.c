/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls cost: words of NAME=VALUE[:FACTOR], each of which multiplies the time `us` in its
 * calls. Where HARM_RATE states how many turns of a loop make a microsecond, time is spent; else
 * the clock is moved by hand.
 */
#include "law.h"

#include <portolan/probe.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
    double value, factor;
};

struct law {
    bool read;
    double us;    /* of a call of size 1000 */
    double drift; /* what the last step takes more than the first, as a share */
    double noise; /* standard deviation of the logarithm */
    struct pair first, back,
        size;          /* the first call; that after another candidate's; of another size */
    struct pair warm;  /* calls before this one */
    struct pair every; /* each call whose number can be divided by this */
    struct pair from;  /* from this step on */
    char fault[16];    /* what happens in call `at`, or at this place */
    long at;
};

/* What is known of a call before it is made. */
struct call {
    long own, all; /* calls of this candidate before it, and of all of them */
    bool is_back, is_other_size;
    int n;
};

static struct law laws[HARM_CANDIDATES];
static long calls[HARM_CANDIDATES], all_calls, changes;
static int last = -1, last_size;
static double spent_us;

static double number(const char *name, double otherwise)
{
    const char *text = getenv(name);

    return text ? atof(text) : otherwise;
}

static void read_word(struct law *law, char *word)
{
    const struct {
        const char *name;
        double *value, *factor;
    } names[] = {{"us", &law->us, NULL},
                 {"drift", &law->drift, NULL},
                 {"noise", &law->noise, NULL},
                 {"first", &law->first.factor, NULL},
                 {"back", &law->back.factor, NULL},
                 {"size", &law->size.factor, NULL},
                 {"warm", &law->warm.value, &law->warm.factor},
                 {"every", &law->every.value, &law->every.factor},
                 {"from", &law->from.value, &law->from.factor}};
    char *value = strchr(word, '=');

    if (!value)
        return;
    *value++ = '\0';
    if (!strcmp(word, "fault"))
        sscanf(value, "%15[a-z]@%ld", law->fault, &law->at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(word, names[i].name)) {
            *names[i].value = strtod(value, &value);
            if (*value == ':')
                *names[i].factor = atof(value + 1);
        }
}

static struct law *law_of(int who)
{
    static const char *const names[] = {"HARM_A", "HARM_B", "HARM_C"};
    struct law *law = &laws[who];
    char text[200], *rest = text, *word;

    if (law->read)
        return law;
    *law = (struct law){
        .read = true, .us = 1000, .first.factor = 1, .back.factor = 1, .size.factor = 1};
    snprintf(text, sizeof text, "%s", getenv(names[who]) ? getenv(names[who]) : "");
    while ((word = strtok_r(rest, " ", &rest)))
        read_word(law, word);
    law->us *= number("HARM_SCALE", 1);
    return law;
}

/* The same numbers in each run of a seed, evenly between 0 and 1. */
static double chance(uint64_t x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double disturbance(int who, const struct call *c)
{
    uint64_t where =
        (uint64_t)number("HARM_SEED", 0) << 40 | (uint64_t)who << 32 | (uint64_t)c->own << 1;

    return sqrt(-2 * log(chance(where))) * cos(6.283185307179586 * chance(where + 1));
}

static double cost_us(int who, const struct call *c)
{
    const struct law *l = law_of(who);
    double us = l->us * c->n / 1000;

    if (c->own == 0)
        us *= l->first.factor;
    if (c->is_back)
        us *= l->back.factor;
    if (c->is_other_size)
        us *= l->size.factor;
    if (c->own < l->warm.value)
        us *= l->warm.factor;
    if (l->every.value > 0 && (c->own + 1) % (long)l->every.value == 0)
        us *= l->every.factor;
    if (l->from.value > 0 && c->all >= l->from.value)
        us *= l->from.factor;
    us *= 1 + l->drift * (double)c->all / harm_steps(4000);
    return l->noise > 0 ? us * exp(l->noise * disturbance(who, c)) : us;
}

static void spend(double us)
{
    static double rate = -1;

    if (rate < 0)
        rate = number("HARM_RATE", 0);
    spent_us += us;
    if (rate == 0)
        portolan_probe_clock_advance((uint64_t)llround(us * 1e3));
    for (volatile long turn = lround(us * rate); turn > 0; turn--)
        ;
}

/* 16 MiB more in each call, until the kernel ends the process. */
static void leak(void)
{
    static void *volatile leaked[20];
    static int n;

    leaked[n] = malloc(16 << 20);
    memset(leaked[n], 1, 16 << 20);
    if (++n == 20)
        raise(SIGKILL);
}

/* On one of several ranks, the second. */
static bool is_faulty_rank(void)
{
    const char *rank = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");

    return !rank || !size || atoi(size) < 2 || atoi(rank) == 1;
}

static void fail(const char *how)
{
    if (!strcmp(how, "segv"))
        raise(SIGSEGV);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "leak"))
        leak();
    while (!strcmp(how, "hang"))
        pause();
}

void harm_pass(int who, const char *where)
{
    if (!strcmp(law_of(who)->fault, where) && is_faulty_rank())
        raise(SIGSEGV);
}

double harm_call(int who, int n)
{
    const struct law *law = law_of(who);
    struct call c = {.own = calls[who]++, .all = all_calls++, .n = n};
    bool fails =
        (strcmp(law->fault, "leak") ? law->at == c.own + 1 : c.own >= law->at) && is_faulty_rank();

    c.is_back = last >= 0 && last != who;
    c.is_other_size = last_size && last_size != n;
    changes += c.is_back;
    last = who;
    last_size = n;
    spend(cost_us(who, &c));
    if (fails)
        fail(law->fault);
    return fails && !strcmp(law->fault, "nan") ? (double)NAN : 1e-9;
}

int harm_steps(int steps)
{
    return (int)number("HARM_STEPS", steps);
}

int harm_size(int step)
{
    const char *text = getenv("HARM_SIZES");
    int first = 1000, second = 1000, phase = 1;

    if (text)
        sscanf(text, "%d,%d:%d", &first, &second, &phase);
    return step / phase % 2 ? second : first;
}

static double alone_us(int who, int steps)
{
    struct call c = {0};
    double us = 0;

    for (int i = 0; i < steps; i++) {
        c = (struct call){
            .own = i, .all = i, .n = harm_size(i), .is_other_size = i && harm_size(i) != c.n};
        us += cost_us(who, &c);
    }
    return us;
}

void harm_report(int steps, int good)
{
    const char *name = getenv("HARM_OUT");
    FILE *f = name ? fopen(name, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "{\"us\": %.3f, \"changes\": %ld, \"last\": %d, \"good\": %d, \"calls\": [",
            spent_us, changes, last, good);
    for (int i = 0; i < HARM_CANDIDATES; i++)
        fprintf(f, "%s%ld", i ? ", " : "", calls[i]);
    fprintf(f, "], \"alone\": [");
    for (int i = 0; i < HARM_CANDIDATES; i++)
        fprintf(f, "%s%.3f", i ? ", " : "", alone_us(i, steps));
    fprintf(f, "], \"first\": [");
    for (int i = 0; i < HARM_CANDIDATES; i++)
        fprintf(f, "%s%.3f", i ? ", " : "",
                cost_us(i, &(struct call){.n = harm_size(0), .is_back = true}));
    fprintf(f, "]}\n");
    fclose(f);
}
