/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts: places computed by hand, XML judged by libxml2, everything the same again. */
#include <libxml/parser.h>
#include <math.h>
#include <portolan/chart.h>
#include <unit_test.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char *svg(const struct portolan_chart *c)
{
    struct portolan_error err = {0};
    char *text;
    xmlDoc *document;

    assert_int_equal(portolan_chart_write(c, "c.svg", &text, &err), PORTOLAN_OK);
    document = xmlReadMemory(text, (int)strlen(text), "chart.svg", NULL, XML_PARSE_NONET);
    assert_non_null(document);
    assert_string_equal((const char *)xmlDocGetRootElement(document)->name, "svg");
    xmlFreeDoc(document);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("misses '%s' in:\n%s", part, text);
}

static const double procs[] = {1, 2, 4, 8, 16, 32};
static const double seconds[] = {11.7748, 6.0036, 3.2120, 1.8939, 1.2750, 0.9664};
static const double low[] = {11, 5.5, 3, 1.7, 1.1, -1}, high[] = {12, 6.5, 3.5, 2.1, 1.4, 1.1};

static const struct portolan_chart_series all_kinds[] = {
    {.name = "interval", .kind = PORTOLAN_CHART_BAND, 6, procs, NULL, low, high},
    {.name = "model", .kind = PORTOLAN_CHART_LINE, 6, procs, seconds, NULL, NULL},
    {.name = "real", .kind = PORTOLAN_CHART_POINTS, 6, procs, seconds, NULL, NULL},
};
static const struct portolan_chart fft = {
    .title = "FFT on the Cray T3E",
    .x_label = "P",
    .y_label = "CLOCK (s)",
    .x_log = true,
    .y_log = true,
    .n_series = 3,
    .series = all_kinds,
};

/* Linear axes from 0 to 10.4: 10 is at 80 + 616 * 10 / 10.4, and ticks are 0, 2, 4, …, 10. */
static void points_lie_where_arithmetic_puts_them(void **state)
{
    const double x[] = {0, 10}, y[] = {0, 5};
    const struct portolan_chart_series s = {.n = 2, .x = x, .y = y};
    const struct portolan_chart c = {.n_series = 1, .series = &s};
    char *text = svg(&c);

    has(text, "translate(80.00 420.00)");
    has(text, "translate(672.31 54.62)");
    for (int tick = 0; tick <= 10; tick += 2) {
        char label[20];

        snprintf(label, sizeof label, ">%d</text>", tick);
        has(text, label);
    }
    assert_null(strstr(text, ">12</text>"));
    free(text);
}

/* One octave is the same length everywhere; ticks are decades with 2 and 5. */
static void logarithmic_axes_have_decades(void **state)
{
    const double x[] = {1, 10, 100}, y[] = {1e-5, 1e-4, 1e-3};
    const struct portolan_chart_series s = {.n = 3, .x = x, .y = y};
    const struct portolan_chart c = {.n_series = 1, .series = &s, .x_log = true, .y_log = true};
    char *text = svg(&c), *at = text;
    double place[3];

    for (int i = 0; i < 3; i++) {
        assert_non_null(at = strstr(at, "translate("));
        place[i] = strtod(at += strlen("translate("), NULL);
    }
    assert_float_equal(place[1] - place[0], place[2] - place[1], 0.011);
    has(text, ">1e-5</text>");
    has(text, ">2e-5</text>");
    has(text, ">50</text>");
    free(text);
}

static void bounds_at_and_below_zero_are_left_out_of_logarithms(void **state)
{
    const double x[] = {1, 2, 0, -4}, y[] = {1, NAN, 1, 1};
    const struct portolan_chart_series line = {.kind = PORTOLAN_CHART_LINE, .n = 4, .x = x, .y = y};
    const struct portolan_chart c = {.n_series = 1, .series = &line, .x_log = true};
    const struct portolan_chart_series nothing = {.n = 3, .x = x + 1, .y = y + 1};
    const struct portolan_chart none = {.n_series = 1, .series = &nothing, .x_log = true};
    struct portolan_error err = {0};
    char *text = svg(&c);

    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    assert_int_equal(portolan_chart_write(&none, "c.svg", &text, &err), PORTOLAN_EINVAL);
    assert_null(text);
    assert_non_null(strstr(err.text, "logarithmic"));
    assert_int_equal(portolan_chart_write(&none, "c.gp", &text, &err), PORTOLAN_EINVAL);
}

static void any_numbers_make_a_valid_picture(void **state)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e-300, 1e299, -1e299, 5e-324, INFINITY, NAN};

    for (size_t i = 0; i < COUNT(odd); i++)
        for (size_t k = 0; k < COUNT(odd); k++) {
            const double x[] = {odd[i], odd[k]}, y[] = {odd[k], 3};
            const struct portolan_chart_series s[] = {
                {.kind = PORTOLAN_CHART_LINE, .n = 2, .x = x, .y = y},
                {.kind = PORTOLAN_CHART_BAND, .n = 2, .x = x, .low = x, .high = y}};
            struct portolan_chart c = {.n_series = 2, .series = s};
            char *text;

            for (int logs = 0; logs < 4; logs++) {
                c.x_log = logs & 1;
                c.y_log = logs & 2;
                if (portolan_chart_write(&c, "c.svg", &text, NULL) != PORTOLAN_OK)
                    continue;
                free(text);
                text = svg(&c);
                assert_null(strstr(text, "nan"));
                free(text);
            }
        }
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

/* 10,000 points in 100 places are 100 marks; 1,000 are as many as they are. */
static void many_points_in_one_place_are_one_mark(void **state)
{
    static double x[10000], y[10000];
    struct portolan_chart_series s = {.n = COUNT(x), .x = x, .y = y};
    const struct portolan_chart c = {.n_series = 1, .series = &s};
    char *text;

    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = y[i] = (double)(i % 100);
    text = svg(&c);
    assert_int_equal(count(text, "translate("), 100);
    free(text);
    s.n = 1000;
    text = svg(&c);
    assert_int_equal(count(text, "translate("), 1000);
    free(text);
}

static void text_is_never_markup(void **state)
{
    const double x[] = {1}, y[] = {1};
    const struct portolan_chart_series s = {.name = "<b>\"&'\xff\x01", .n = 1, .x = x, .y = y};
    const struct portolan_chart c = {
        .n_series = 1, .series = &s, .title = "a < b && 'c'\n\x7f\xef\xbf\xbf", .x_label = "№"};
    char *text = svg(&c);

    has(text, ">&lt;b&gt;&quot;&amp;'\xef\xbf\xbd\xef\xbf\xbd<");
    has(text, ">a &lt; b &amp;&amp; 'c'&#10;\x7f\xef\xbf\xbd<");
    has(text, ">№<");
    free(text);
    assert_int_equal(portolan_chart_write(&c, "c.gp", &text, NULL), PORTOLAN_OK);
    has(text, "set title 'a < b && ''c''  ");
    free(text);
}

static void the_ending_chooses_the_form(void **state)
{
    struct portolan_error err = {0};
    char *text;

    assert_int_equal(portolan_chart_write(&fft, "a.svg/b", &text, &err), PORTOLAN_EINVAL);
    assert_null(text);
    assert_string_equal(
        err.text,
        "'a.svg/b': a plot's file ends in .svg, or in .gp or .gnuplot for a script of gnuplot");
    assert_int_equal(portolan_chart_write(&fft, "a.gp", &text, &err), PORTOLAN_OK);
    has(text, "\nplot $series0 using 1:2:3 with filledcurves");
    has(text, " 32 0.96640000000000004\n");
    free(text);
}

/* A picture that somebody has looked at; UPDATE=1 makes it anew, to be looked at again. */
static void the_picture_is_the_one_that_was_looked_at(void **state)
{
    static char golden[1 << 16];
    const char *file = getenv("GOLDEN");
    char *text = svg(&fft);
    FILE *f;

    assert_non_null(file);
    if (getenv("UPDATE")) {
        assert_non_null(f = fopen(file, "we"));
        fputs(text, f);
        fclose(f);
    }
    assert_non_null(f = fopen(file, "re"));
    golden[fread(golden, 1, sizeof golden - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, golden);
    free(text);
}

static void memory_that_is_out_is_said(void **state)
{
    char *text;

    for (int form = 0; form < 2; form++) {
        enum portolan_status status = PORTOLAN_ENOMEM;

        for (unsigned long n = 0; next_allocation_fails(&n, status);) {
            status = portolan_chart_write(&fft, form ? "a.gnuplot" : "a.svg", &text, NULL);
            portolan_alloc_fail_at(0);
            assert_true(status == PORTOLAN_OK || (status == PORTOLAN_ENOMEM && !text));
        }
        free(text);
    }
}

/* A part of a page has no style, which the page has, and an id of its own. */
static void parts_of_pages_are_elements(void **state)
{
    struct portolan_chart c = fft;
    char *text;

    c.id = "steps";
    text = svg(&c);
    assert_int_equal(strncmp(text, "<svg viewBox=", 13), 0);
    assert_null(strstr(text, "<style"));
    has(text, "<clipPath id=\"steps\">");
    has(text, "url(#steps)");
    has(text, "aria-label=\"FFT on the Cray T3E\"");
    free(text);
}

UNIT_TESTS(cmocka_unit_test(points_lie_where_arithmetic_puts_them),
           cmocka_unit_test(logarithmic_axes_have_decades),
           cmocka_unit_test(bounds_at_and_below_zero_are_left_out_of_logarithms),
           cmocka_unit_test(any_numbers_make_a_valid_picture),
           cmocka_unit_test(many_points_in_one_place_are_one_mark),
           cmocka_unit_test(text_is_never_markup), cmocka_unit_test(the_ending_chooses_the_form),
           cmocka_unit_test(the_picture_is_the_one_that_was_looked_at),
           cmocka_unit_test(memory_that_is_out_is_said),
           cmocka_unit_test(parts_of_pages_are_elements))
