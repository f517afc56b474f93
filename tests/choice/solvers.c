/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solvers that differ in nothing but what their parameter `like` says, words such as "us=2
 * fails=big": us, exponent     a call costs us · n^exponent microseconds (1, 1) first milliseconds
 * more at an instance's first call every, factor    each `every`-th call of an instance costs
 * `factor` times as much slow, slower     where it costs `slower` times as much spread costs from 1
 * / spread to spread times as much, by the file's name fails, dies      where it throws, where its
 * process ends by `by` (_exit, or exit, abort, segv, hang, grow) wrong            where its
 * residual is 1, elsewhere `accuracy` (1e-12) Where is "always", "unsymmetric", or a word in the
 * file's name.
 */
#include <portolan/framework.h>

#include "choice.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct law {
    double us, exponent, plus, first, every, factor, slower, spread, accuracy;
    const char *slow, *fails, *dies, *by, *wrong, *suits; /* into the text; NULL: nowhere */
    char *text;
};

struct solver {
    struct sidl_object object;
    const char *name;
    gov_cca_Services services;
    portolan_ports_Work work; /* fetched at the first call, when ports are connected */
    struct law law;
    int64_t calls;
};

struct call {
    const char *file;
    int32_t n;
    bool symmetric;
};

#define FIELD(NAME)                                                                                \
    {                                                                                              \
#NAME, offsetof(struct law, NAME)                                                          \
    }
static const struct field {
    const char *name;
    size_t offset;
} numbers[] = {FIELD(us),     FIELD(exponent), FIELD(plus),   FIELD(first),   FIELD(every),
               FIELD(factor), FIELD(slower),   FIELD(spread), FIELD(accuracy)},
  places[] = {FIELD(slow), FIELD(fails), FIELD(dies), FIELD(by), FIELD(wrong), FIELD(suits)};

/* Sets the field that WORD names; false when there is none. */
static bool read_word(struct law *law, char *word)
{
    char *value = strchr(word, '=');

    if (!value)
        return false;
    *value++ = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(word, numbers[i].name))
            return portolan_read_double(value, (double *)((char *)law + numbers[i].offset));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(word, places[i].name)) {
            memcpy((char *)law + places[i].offset, &value, sizeof value);
            return true;
        }
    return false;
}

static void read_law(struct solver *s, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap map = portolan_component_properties(s->services, _ex);
    sidl_BaseInterface ignored;
    char *like = NULL, *rest, *word;

    SIDL_CHECK(*_ex);
    like = gov_cca_TypeMap_getString(map, "like", "", _ex);
    SIDL_CHECK(*_ex);
    s->law = (struct law){.us = 1,
                          .exponent = 1,
                          .factor = 1,
                          .slower = 1,
                          .spread = 1,
                          .accuracy = 1e-12,
                          .text = portolan_strdup(like)};
    for (rest = s->law.text; rest && !*_ex && (word = strtok_r(rest, " ", &rest));)
        if (!read_word(&s->law, word))
            portolan_throw(_ex, PORTOLAN_EINVAL, "%s: parameter 'like': what is '%s'?", s->name,
                           word);
EXIT:
    sidl_String_free(like);
    if (map)
        gov_cca_TypeMap_deleteRef(map, &ignored);
}

static bool is_at(const char *place, const struct call *c)
{
    int64_t n;

    if (!place)
        return false;
    if (place[0] == 'n' && place[1] && portolan_read_int64(place + 2, &n))
        return place[1] == '>' ? c->n > n : c->n == n;
    return !strcmp(place, "always") || (!strcmp(place, "unsymmetric") && !c->symmetric) ||
           strstr(c->file, place);
}

/* From -1 to 1, the same for the same solver, file and n. */
static double pick(const char *name, const struct call *c)
{
    uint32_t hash = 2166136261u;

    for (const char *text[] = {name, c->file, NULL}, **at = text; *at; at++)
        for (const char *letter = *at; *letter; letter++)
            hash = (hash ^ (unsigned char)*letter) * 16777619u;
    hash = (hash ^ (uint32_t)c->n) * 2654435769u;
    return ((hash ^ hash >> 15) & 0xffff) / 32767.5 - 1;
}

static double cost_s(struct solver *s, const struct call *c)
{
    const struct law *law = &s->law;
    double us =
        (law->us * pow(c->n, law->exponent) + law->plus) * pow(law->spread, pick(s->name, c));

    s->calls++;
    if (is_at(law->slow, c))
        us *= law->slower;
    if (law->every > 0 && s->calls % (int64_t)law->every == 0)
        us *= law->factor;
    return 1e-6 * us + (s->calls == 1 ? 1e-3 * law->first : 0);
}

static void fetch_work(struct solver *s, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(s->services, "work", _ex);

    SIDL_CHECK(*_ex);
    s->work = portolan_ports_Work__cast(port, _ex);
    gov_cca_Port_deleteRef(port, _ex);
EXIT:;
}

/* Ends the process; or hangs, and tells the FIFO of this name, if there is one. */
static void die(const char *by)
{
    if (!by || !strcmp(by, "_exit"))
        _exit(3);
    if (!strcmp(by, "exit"))
        exit(0);
    if (!strcmp(by, "segv"))
        raise(SIGSEGV);
    if (!strcmp(by, "hang")) {
        int fifo = open("hanging", O_WRONLY);

        if (fifo < 0 || write(fifo, "\n", 1) == 1)
            for (;;)
                pause();
    }
    if (!strcmp(by, "grow"))
        while (malloc((size_t)1 << 26))
            ;
    abort();
}

/* A call that throws has cost a microsecond: less than any that works. */
static double solver_solve(void *self, const char *file, int32_t n, int32_t symmetric,
                           sidl_BaseInterface *_ex)
{
    struct solver *s = self;
    struct call c = {file, n, symmetric != 0};
    bool fails = is_at(s->law.fails, &c);

    *_ex = NULL;
    if (!s->work)
        fetch_work(s, _ex);
    SIDL_CHECK(*_ex);
    if (is_at(s->law.dies, &c))
        die(s->law.by);
    portolan_ports_Work_consume(s->work, fails ? 1e-6 : cost_s(s, &c), _ex);
    SIDL_CHECK(*_ex);
    if (fails)
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "%s cannot solve '%s'", s->name, file);
EXIT:
    return is_at(s->law.wrong, &c) ? 1 : s->law.accuracy;
}

static void solver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct solver *s = self;

    s->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    read_law(s, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "solver",
                                     "choice.Solver", NULL, _ex);
EXIT:;
}

static void solver_release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct solver *s = self;
    sidl_BaseInterface ignored;

    *_ex = NULL;
    if (s->work) {
        portolan_ports_Work_deleteRef(s->work, &ignored);
        s->work = NULL;
        gov_cca_Services_releasePort(services, "work", _ex);
    }
    gov_cca_Services_deleteRef(s->services, &ignored);
    s->services = NULL;
}

static void solver_destroy(void *self)
{
    struct solver *s = self;

    free(s->law.text);
}

static const struct choice_Solver__epv solver_epv = {.f_solve = solver_solve};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = solver_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     solver_release_services};
static const struct sidl_implements implements[] = {
    {&choice_Solver__type, &solver_epv},
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
};

static gov_cca_Component solver_create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    struct solver *s = sidl_object_create(cls, _ex);

    if (!s)
        return NULL;
    s->name = cls->name;
    return sidl_object_facet(s, "gov.cca.Component");
}

/* Slow says itself that it is for symmetric matrices, where its parameter `like` says so. */
static enum portolan_answer slow_applies(portolan_condition_lookup_fn lookup, void *arg)
{
    struct portolan_condition_value like;
    double symmetric;

    if (!lookup(arg, "like", &like) || !like.text || !strstr(like.text, "suits=symmetric"))
        return PORTOLAN_YES;
    if (!portolan_condition_number(lookup, arg, "symmetric", 0, 1, &symmetric))
        return PORTOLAN_UNKNOWN;
    return symmetric > 0 ? PORTOLAN_YES : PORTOLAN_NO;
}

#define SOLVER(NAME, APPLIES)                                                                      \
    static gov_cca_Component create_##NAME(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        static const struct sidl_class cls = {.name = "choice." #NAME,                             \
                                              .version = "1.0",                                    \
                                              .size = sizeof(struct solver),                       \
                                              .implements = implements,                            \
                                              .n_implements = 3,                                   \
                                              .destroy = solver_destroy};                          \
                                                                                                   \
        return solver_create(&cls, _ex);                                                           \
    }                                                                                              \
    PORTOLAN_COMPONENT_ASKED(choice_##NAME, "choice." #NAME, create_##NAME, APPLIES)

SOLVER(Fast, NULL);
SOLVER(Good, NULL);
SOLVER(Safe, NULL);
SOLVER(Slow, slow_applies);
