/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts through gnuplot, by files without names. */
#include <portolan/chart.h>
#include <portolan/command.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What gnuplot says behind the mark under the place that it does not like, as one line; or "". */
static const char *complaint(struct portolan_arena *arena, const char *file)
{
    struct portolan_error ignored = {0};
    const char *text = "", *mark;
    size_t size;
    char *line;

    if (portolan_file_read(arena, file, &text, &size, &ignored))
        return "";
    mark = strstr(text, "^\n");
    line = portolan_arena_strdup(arena, mark ? mark + 2 : text);
    if (!line)
        return "";
    for (size_t n = strlen(line); n > 0 && line[n - 1] == '\n'; n--)
        line[n - 1] = '\0';
    for (char *at = line; (at = strchr(at, '\n'));)
        *at = ' ';
    return line;
}

enum portolan_status portolan_chart_run_gnuplot(const char *script, struct portolan_error *err)
{
    int in = memfd_create("script", 0), out = memfd_create("said", 0);
    char read_path[32], said_path[32];
    struct portolan_arena arena = {0};
    struct portolan_words command = {0};
    struct portolan_error failed = {0};
    enum portolan_status status;

    snprintf(read_path, sizeof read_path, "/dev/fd/%d", in);
    snprintf(said_path, sizeof said_path, "/dev/fd/%d", out);
    if (in < 0 || out < 0 || !portolan_write_all(in, script, strlen(script))) {
        status = portolan_error_set(err, PORTOLAN_EIO, "no room for gnuplot's script");
    } else {
        portolan_words_add(&arena, &command, "gnuplot");
        portolan_words_add(&arena, &command, read_path);
        status = portolan_command_run(&arena, &command, said_path, &failed);
        if (status == PORTOLAN_ENOTFOUND)
            portolan_error_set(err, status, "%s; an SVG file needs none", failed.text);
        else if (status)
            portolan_error_set(err, status, "%s: %s", failed.text, complaint(&arena, said_path));
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    portolan_arena_clear(&arena);
    return status;
}
