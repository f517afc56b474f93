/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads numbers with units, laws and distributions, as machine files have them. */
#include "machine.h"

#include <portolan/list.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNIT_TIME = 1, UNIT_SIZE = 2, UNIT_BANDWIDTH = 4, NUMBER_BYTES = 40 };

/* The paper's units, which apply to numbers without one. */
#define PAPER_NS    1e5
#define PAPER_BYTES 1024.0
/* Times and sizes are kept as integers. */
#define MOST 1e18

static const struct unit {
    const char *name;
    double scale; /* factor to ns, bytes, bytes per ns */
    int kind;
} units[] = {
    {"ns", 1, UNIT_TIME},
    {"us", 1e3, UNIT_TIME},
    {"µs", 1e3, UNIT_TIME},
    {"ms", 1e6, UNIT_TIME},
    {"s", 1e9, UNIT_TIME},
    {"min", 6e10, UNIT_TIME},
    {"h", 3.6e12, UNIT_TIME},
    {"B", 1, UNIT_SIZE},
    {"KB", 1024, UNIT_SIZE},
    {"KiB", 1024, UNIT_SIZE},
    {"MB", 1048576, UNIT_SIZE},
    {"MiB", 1048576, UNIT_SIZE},
    {"GB", 1073741824, UNIT_SIZE},
    {"GiB", 1073741824, UNIT_SIZE},
    {"TB", 1099511627776, UNIT_SIZE},
    {"TiB", 1099511627776, UNIT_SIZE},
    {"B/s", 1e-9, UNIT_BANDWIDTH},
    {"KB/s", 1e-6, UNIT_BANDWIDTH},
    {"MB/s", 1e-3, UNIT_BANDWIDTH},
    {"GB/s", 1, UNIT_BANDWIDTH},
    {"MiB/s", 1.048576e-3, UNIT_BANDWIDTH},
    {"GiB/s", 1.073741824, UNIT_BANDWIDTH},
    {"kbit/s", 1.25e-7, UNIT_BANDWIDTH},
    {"Mbit/s", 1.25e-4, UNIT_BANDWIDTH},
    {"Gbit/s", 0.125, UNIT_BANDWIDTH},
};
enum { UNITS = sizeof units / sizeof *units };

static const struct unit *find_unit(const char *name, size_t length, int kind)
{
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].kind == kind && strlen(units[i].name) == length &&
            strncmp(units[i].name, name, length) == 0)
            return &units[i];
    return NULL;
}

/* Splits TEXT into the number that it begins with, and the rest. */
static bool split_number(const char *text, double *number, const char **rest)
{
    char digits[NUMBER_BYTES];
    size_t n = strspn(text, "0123456789.+-eE");

    if (n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    *rest = text + n + strspn(text + n, " ");
    return portolan_read_double(digits, number) && *number >= 0 && isfinite(*number);
}

/* Reads a quantity. *UNIT: where the unit begins, if that is wrong; else NULL. */
static bool read_quantity(const char *text, enum clue_quantity quantity, double *value,
                          const char **unit)
{
    static const double bare[] = {PAPER_NS, 1, 0, PAPER_NS / PAPER_BYTES, 1};
    static const int kinds[] = {UNIT_TIME, UNIT_SIZE, UNIT_BANDWIDTH, UNIT_TIME, 0};
    const struct unit *u, *per;
    const char *rest, *slash;
    double number, scale = bare[quantity];

    *unit = NULL;
    if (!split_number(text, &number, &rest))
        return false;
    if (*rest || scale == 0) {
        *unit = rest;
        slash = quantity == CLUE_A_TIME_PER_SIZE ? strchr(rest, '/') : NULL;
        if ((quantity == CLUE_A_TIME_PER_SIZE && !slash) ||
            !(u = find_unit(rest, slash ? (size_t)(slash - rest) : strlen(rest), kinds[quantity])))
            return false;
        scale = u->scale;
        if (slash && !(per = find_unit(slash + 1, strlen(slash + 1), UNIT_SIZE)))
            return *unit = slash + 1, false;
        if (slash)
            scale /= per->scale;
        *unit = NULL;
    }
    if (!(number * scale <= MOST))
        return false;
    *value = number * scale;
    return true;
}

bool clue_read_quantity(const char *text, enum clue_quantity quantity, double *value)
{
    const char *unit;

    return read_quantity(text, quantity, value, &unit);
}

const char *clue_format_size(double bytes, char *text, size_t room)
{
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB"};
    size_t i = 0;

    for (; bytes >= 1000 && i + 1 < sizeof names / sizeof *names; i++)
        bytes /= 1024;
    snprintf(text, room, bytes < 1000 ? "%.3g %s" : "%.0f %s", bytes, names[i]);
    return text;
}

bool clue_take_text(struct portolan_diagnostics *d, const struct xml_element *e,
                    const char *attribute, const char *text, enum clue_quantity quantity,
                    double *value)
{
    static const char *const wanted[] = {
        "a time: a number and ns, us, ms, s, min or h, or a bare number in units of 100 us",
        "a size: a number and B, KB (1,024 B), MB, GB or TB, or a bare number of bytes",
        "a bandwidth: a number and B/s, KB/s, MB/s, GB/s, kbit/s, Mbit/s or Gbit/s",
        "a time for each size: a number and a unit such as ns/B or us/KB, or a bare number in "
        "units of 100 us per KB",
        "a number that is not negative"};
    const char *unit, *near = NULL, *known[UNITS];
    size_t n = 0;

    if (read_quantity(text, quantity, value, &unit))
        return true;
    for (size_t i = 0; unit && i < UNITS; i++)
        if (quantity == CLUE_A_TIME_PER_SIZE || units[i].kind == 1 << quantity)
            known[n++] = units[i].name;
    if (unit && *unit)
        near = portolan_nearest_word(unit, known, n);
    xml_complain(d, e, attribute, "'%s' is '%.100s'; it must be %s%s", attribute, text,
                 wanted[quantity], portolan_did_you_mean(near).text);
    return false;
}

bool clue_take_quantity(struct portolan_diagnostics *d, const struct xml_element *e,
                        const char *attribute, enum clue_quantity quantity, double *value)
{
    const char *text = xml_value(e, attribute);

    return text && clue_take_text(d, e, attribute, text, quantity, value);
}

void machine_read_ns(struct machine_reader *r, const struct xml_element *e, const char *attribute,
                     int64_t *ns)
{
    double value;

    if (clue_take_quantity(r->d, e, attribute, CLUE_A_TIME, &value))
        *ns = (int64_t)llround(value);
}

void clue_take_count(struct portolan_diagnostics *d, const struct xml_element *e,
                     const char *attribute, int64_t least, int64_t most, int64_t *value)
{
    const char *text = xml_value(e, attribute);
    int64_t n;

    if (!text)
        return;
    if (portolan_read_int64(text, &n) && n >= least && n <= most)
        *value = n;
    else
        xml_complain(d, e, attribute,
                     "'%s' is '%.100s'; it must be a whole number from %lld to %lld", attribute,
                     text, (long long)least, (long long)most);
}

const char *const machine_yes_or_no[] = {"no", "yes", NULL};

void machine_read_word(struct machine_reader *r, const struct xml_element *e, const char *attribute,
                       const char *const *words, int *value)
{
    const char *text = xml_value(e, attribute);
    struct portolan_text all = {.arena = r->arena};
    size_t n = 0;

    for (; text && words[n]; n++) {
        portolan_text_add(&all, "%s%s", n ? words[n + 1] ? ", " : " or " : "", words[n]);
        if (strcmp(words[n], text) == 0) {
            *value = (int)n;
            return;
        }
    }
    if (text)
        xml_complain(r->d, e, attribute, "'%s' is '%.100s'; write %s%s", attribute, text,
                     all.bytes ? all.bytes : "",
                     portolan_did_you_mean(portolan_nearest_word(text, words, n)).text);
}

/* ------------------------------------------------- laws */

static void read_points(struct machine_reader *r, const struct xml_element *e, struct clue_law *law)
{
    size_t room = xml_count(e, "point"), n = 0;
    struct clue_law_point *points = portolan_arena_alloc(r->arena, room, sizeof *points);
    const struct xml_element *p = NULL;

    while (points && (p = xml_next(e, p, "point"))) {
        double bytes = 0, ns = 0;

        if (!clue_take_quantity(r->d, p, "bytes", CLUE_A_SIZE, &bytes) ||
            !clue_take_quantity(r->d, p, "time", CLUE_A_TIME, &ns))
            continue;
        points[n] = (struct clue_law_point){(uint64_t)llround(bytes), ns};
        if (n && points[n].bytes <= points[n - 1].bytes)
            xml_complain(r->d, p, "bytes",
                         "points out of order: %llu bytes come after %llu; write each point once, "
                         "from small to large",
                         (unsigned long long)points[n].bytes,
                         (unsigned long long)points[n - 1].bytes);
        n++;
    }
    if (room < 2)
        xml_complain(r->d, e, NULL, "<%s> has one <point>; write at least two", e->name);
    law->points = points;
    law->n_points = n;
}

void machine_read_law(struct machine_reader *r, const struct xml_element *e, struct clue_law *law)
{
    bool is_line = xml_attribute(e, "k") || xml_attribute(e, "d");
    bool has_points = xml_next(e, NULL, "point");

    *law = (struct clue_law){0};
    clue_take_quantity(r->d, e, "k", CLUE_A_TIME_PER_SIZE, &law->ns_per_byte);
    clue_take_quantity(r->d, e, "d", CLUE_A_TIME, &law->constant_ns);
    if (is_line == has_points)
        xml_complain(r->d, e, NULL,
                     "<%s> takes either 'k' and 'd' (the time is k times the size, plus d) or a "
                     "<point> for each size that was measured",
                     e->name);
    if (has_points)
        read_points(r, e, law);
}

/* ------------------------------------------------- distributions */

static const struct shape {
    const char *name;
    enum clue_distribution_kind kind;
    int arguments;
    bool has_unit; /* the second argument has a unit */
} shapes[] = {
    {"constant", CLUE_CONSTANT, 1, false},       {"uniform", CLUE_UNIFORM, 2, true},
    {"exponential", CLUE_EXPONENTIAL, 1, false}, {"normal", CLUE_NORMAL, 2, true},
    {"lognormal", CLUE_LOGNORMAL, 2, false},     {"gamma", CLUE_GAMMA, 2, false},
    {"weibull", CLUE_WEIBULL, 2, false},         {"pareto", CLUE_PARETO, 2, false},
    {"samples", CLUE_SAMPLES, 1, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST_SAMPLES_BYTES = 1 << 24 };

static void read_samples(struct machine_reader *r, const struct xml_element *e,
                         const char *attribute, const char *name, enum clue_quantity quantity,
                         struct clue_distribution *to)
{
    struct portolan_text text = {0};
    struct portolan_csv csv = {.arena = r->arena,
                               .d = r->d,
                               .file = portolan_file_beside(r->arena, r->path, name),
                               .separator = ' ',
                               .comment = '#'};
    double value;

    if (!csv.file || !portolan_text_add_file(&text, csv.file, MOST_SAMPLES_BYTES)) {
        xml_complain(r->d, e, attribute, "the samples '%.200s' cannot be read", name);
        portolan_text_clear(&text);
        return;
    }
    for (portolan_csv_begin(&csv, text.bytes ? text.bytes : "", text.length);
         portolan_csv_next(&csv);)
        for (size_t i = 0; i < csv.n_fields; i++) {
            const char *unit;

            if (!read_quantity(csv.fields[i], quantity, &value, &unit))
                portolan_diagnose(r->d, csv.file, csv.line, csv.columns[i],
                                  "'%.40s' is not a valid %s; write numbers with units",
                                  csv.fields[i], quantity == CLUE_A_TIME ? "time" : "size");
            else if (!portolan_arena_append(r->arena, &to->samples, &to->n_samples, &value,
                                            sizeof value))
                break;
        }
    if (!to->samples)
        xml_complain(r->d, e, attribute, "the samples '%.200s' are empty", name);
    portolan_text_clear(&text);
}

/* Splits "name(a, b)": NAME ends at the parenthesis, and ARGUMENTS follow. Returns their number;
 * -1: this is no such text. */
static int split_call(char *text, char *arguments[2])
{
    char *open = strchr(text, '('), *comma;
    size_t length = strlen(text);

    if (!open || text[length - 1] != ')')
        return -1;
    *open = text[length - 1] = '\0';
    arguments[0] = open + 1 + strspn(open + 1, " ");
    if (!(comma = strchr(arguments[0], ',')))
        return 1;
    *comma = '\0';
    arguments[1] = comma + 1 + strspn(comma + 1, " ");
    return strchr(arguments[1], ',') ? 3 : 2;
}

static const struct shape *find_shape(struct machine_reader *r, const struct xml_element *e,
                                      const char *attribute, const char *name, int n)
{
    for (size_t i = 0; i < SHAPES; i++)
        if (strcmp(shapes[i].name, name) == 0) {
            if (n == shapes[i].arguments)
                return &shapes[i];
            xml_complain(r->d, e, attribute, "%s() takes %d argument%s", name, shapes[i].arguments,
                         shapes[i].arguments == 1 ? "" : "s");
            return NULL;
        }
    xml_complain(r->d, e, attribute,
                 "'%.100s' is not a distribution; write constant, uniform, exponential, normal, "
                 "lognormal, gamma, weibull, pareto and samples%s",
                 name,
                 portolan_did_you_mean(
                     portolan_nearest_member(name, &shapes[0].name, SHAPES, sizeof *shapes))
                     .text);
    return NULL;
}

void machine_read_distribution(struct machine_reader *r, const struct xml_element *e,
                               const char *attribute, enum clue_quantity quantity,
                               struct clue_distribution *to)
{
    const char *value = xml_value(e, attribute);
    char *text = value ? portolan_arena_strdup(r->arena, value) : NULL, *arguments[2];
    const struct shape *shape;
    int n;

    if (!text)
        return;
    if ((n = split_call(text, arguments)) < 0) {
        clue_take_text(r->d, e, attribute, value, quantity, &to->a);
        return;
    }
    if (!(shape = find_shape(r, e, attribute, text, n)))
        return;
    to->kind = shape->kind;
    if (shape->kind == CLUE_SAMPLES) {
        read_samples(r, e, attribute, arguments[0], quantity, to);
        return;
    }
    clue_take_text(r->d, e, attribute, arguments[0], quantity, &to->a);
    if (n == 2)
        clue_take_text(r->d, e, attribute, arguments[1], shape->has_unit ? quantity : CLUE_A_NUMBER,
                       &to->b);
    if (shape->kind == CLUE_UNIFORM && to->b < to->a)
        xml_complain(r->d, e, attribute, "uniform() goes from the smaller to the larger value");
    if (n == 2 && !shape->has_unit && !(to->b > 0 && to->b <= 1e6))
        xml_complain(r->d, e, attribute, "the second argument of %s() must be above 0", text);
}
