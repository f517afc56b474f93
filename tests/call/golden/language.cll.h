/* Made by portolan call of language.c: the data of its experiments. */
#include <portolan/cll.h>

static const char *const cll_sum_identifiers[] = {"to", "from", "mesh->cells"};
static const unsigned cll_sum_begins[] = {32};
static const unsigned cll_sum_ends[] = {41};
static struct portolan_cll_experiment cll_sum = {
    .name = "sum",
    .file = "language.c",
    .formula = "sum[0] + sum[1] * (to - from) + sum[2] * mesh->cells",
    .n_constants = 3,
    .n_identifiers = 3,
    .identifiers = cll_sum_identifiers,
    .n_regions = 1,
    .begin_lines = cll_sum_begins,
    .end_lines = cll_sum_ends,
};

static const char *const cll_half_observables[] = {"CLOCK", "USER"};
static const unsigned cll_half_begins[] = {38};
static const unsigned cll_half_ends[] = {40};
static struct portolan_cll_experiment cll_half = {
    .name = "half",
    .file = "language.c",
    .formula = "half[0]",
    .n_constants = 1,
    .n_observables = 2,
    .observables = cll_half_observables,
    .n_regions = 1,
    .begin_lines = cll_half_begins,
    .end_lines = cll_half_ends,
};

static const char *const cll_look_identifiers[] = {"n"};
static const unsigned cll_look_begins[] = {50};
static const unsigned cll_look_ends[] = {62};
static struct portolan_cll_experiment cll_look = {
    .name = "look",
    .file = "language.c",
    .formula = "look[0]*n",
    .n_constants = 1,
    .n_identifiers = 1,
    .identifiers = cll_look_identifiers,
    .n_regions = 1,
    .begin_lines = cll_look_begins,
    .end_lines = cll_look_ends,
};

static const unsigned cll_one_begins[] = {72, 80};
static const unsigned cll_one_ends[] = {74, 82};
static struct portolan_cll_experiment cll_one = {
    .name = "one",
    .file = "language.c",
    .formula = "one[0]",
    .n_constants = 1,
    .n_regions = 2,
    .begin_lines = cll_one_begins,
    .end_lines = cll_one_ends,
};

static const char *const cll_two_identifiers[] = {"n"};
static const unsigned cll_two_begins[] = {76, 86};
static const unsigned cll_two_ends[] = {78, 88};
static struct portolan_cll_experiment cll_two = {
    .name = "two",
    .file = "language.c",
    .formula = "two[0] + two[1]*n*log(n)",
    .n_constants = 2,
    .n_identifiers = 1,
    .identifiers = cll_two_identifiers,
    .n_regions = 2,
    .begin_lines = cll_two_begins,
    .end_lines = cll_two_ends,
};

static const char *const cll_three_observables[] = {"PAPI_TOT_INS"};
static const unsigned cll_three_begins[] = {91};
static const unsigned cll_three_ends[] = {91};
static struct portolan_cll_experiment cll_three = {
    .name = "three",
    .file = "language.c",
    .formula = "three[0]",
    .n_constants = 1,
    .n_observables = 1,
    .observables = cll_three_observables,
    .n_regions = 1,
    .begin_lines = cll_three_begins,
    .end_lines = cll_three_ends,
};

static struct portolan_cll_experiment *const cll_experiments[] = {
    &cll_sum,
    &cll_half,
    &cll_look,
    &cll_one,
    &cll_two,
    &cll_three,
};

__attribute__((constructor)) static void cll_register(void)
{
    portolan_cll_register(cll_experiments, 6);
}
