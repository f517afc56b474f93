/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as files: SVG is written here, other forms are gnuplot's. */
#include "internal.h"

#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum portolan_status write_file(struct statement *s, const struct token *at,
                                       const char *file, const char *text)
{
    struct portolan_error err = {0};
    enum portolan_status status = portolan_replace_file(file, text, strlen(text), &err);

    return status == PORTOLAN_OK ? status : llac_fail_with(s, at, status, &err);
}

/* gnuplot's part: a file in another form, or characters for the terminal. */
static enum portolan_status draw(struct statement *s, const struct token *at,
                                 const struct portolan_chart *chart, const char *output)
{
    struct portolan_error err = {0};
    char *script;
    enum portolan_status status = portolan_chart_write_gnuplot(chart, output, &script, &err);

    if (status == PORTOLAN_OK) {
        status = portolan_chart_run_gnuplot(script, &err);
        free(script);
    }
    if (status == PORTOLAN_ENOTFOUND)
        return llac_fail(s, at,
                         "gnuplot is not there, which '%s' needs; a .svg file does "
                         "without",
                         output);
    return status == PORTOLAN_OK ? status : llac_fail_with(s, at, status, &err);
}

void llac_show_characters(struct statement *s, const struct portolan_chart *chart)
{
    const char *folder = getenv("TMPDIR");
    char *file = portolan_asprintf("%s/llacXXXXXX.txt", folder && *folder ? folder : "/tmp");
    int fd = file ? mkstemps(file, 4) : -1;
    struct portolan_error err = {0};
    char *script = NULL;
    const char *text;
    size_t size;

    if (fd < 0) {
        free(file);
        return;
    }
    close(fd);
    if (portolan_chart_write_gnuplot(chart, file, &script, &err) == PORTOLAN_OK &&
        portolan_chart_run_gnuplot(script, &err) == PORTOLAN_OK &&
        portolan_file_read(s->arena, file, &text, &size, &err) == PORTOLAN_OK)
        portolan_text_add(&s->in->out, "%s", text);
    free(script);
    unlink(file);
    free(file);
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && !strcmp(text + a - b, end);
}

/* FILE with its ending replaced. */
static const char *beside(struct statement *s, const char *file, const char *ending)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - file) : strlen(file);

    return portolan_arena_printf(s->arena, "%.*s%s", (int)length, file, ending);
}

enum portolan_status llac_write_plot(struct statement *s, const struct token *at,
                                     const char *wanted, const struct portolan_chart *chart)
{
    struct portolan_error err = {0};
    const char *file = wanted, *svg;
    char *text = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!file)
        file = portolan_arena_printf(s->arena, "llac.%u.svg", s->in->plots + 1);
    svg = file ? beside(s, file, ".svg") : NULL;
    if (!svg)
        return llac_no_memory(s);
    if (ends_with(file, ".gp") || ends_with(file, ".plt")) {
        status = portolan_chart_write_gnuplot(chart, svg, &text, &err);
        if (status == PORTOLAN_OK)
            status = write_file(s, at, file, text);
    } else if (!ends_with(file, ".svg")) {
        status = draw(s, at, chart, file);
    }
    free(text);
    text = NULL;
    if (status == PORTOLAN_OK)
        status = portolan_chart_write_svg(chart, &text, &err);
    if (status == PORTOLAN_OK)
        status = write_file(s, at, svg, text);
    free(text);
    if (status != PORTOLAN_OK)
        return *err.text ? llac_fail_with(s, at, status, &err) : status;
    s->in->plots += !wanted;
    portolan_text_add(&s->in->out, "%s%s%s\n", svg, strcmp(svg, file) ? ", " : "",
                      strcmp(svg, file) ? file : "");
    return PORTOLAN_OK;
}
