/* SPDX-License-Identifier: BSD-3-Clause */
/* The line on the terminal. It has no colour, so NO_COLOR changes nothing. */
#include <portolan/machine.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    double wait_s, every_s;  /* until it is shown; between changes */
    const char *what;        /* of the loop; NULL: none */
    size_t first;            /* done when the loop was heard of first */
    double began_s, shown_s; /* on the monotonic clock; shown_s 0: it is not shown */
} line = {.wait_s = 1, .every_s = 0.1};

static void write_left(char *text, size_t size, double left_s)
{
    if (left_s < 60)
        snprintf(text, size, ", %.0f s left", ceil(left_s));
    else if (left_s < 3600)
        snprintf(text, size, ", %.0f min left", ceil(left_s / 60));
    else
        snprintf(text, size, ", %.1f h left", left_s / 3600);
}

/* The cursor stays at the line's start: what a program prints itself begins there. */
static void draw(size_t done, size_t total, double now)
{
    struct winsize window = {0};
    char text[200], left[40] = "";

    if (done > line.first)
        write_left(left, sizeof left,
                   (now - line.began_s) / (double)(done - line.first) * (double)(total - done));
    snprintf(text, sizeof text, "%s: %zu of %zu%s", line.what, done, total, left);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || !window.ws_col)
        window.ws_col = 80;
    fflush(stdout);
    fprintf(stderr, "\r%.*s\033[K\r", window.ws_col - 1, text);
    line.shown_s = now;
}

static void hide(void)
{
    if (line.shown_s > 0)
        fputs("\r\033[K", stderr); /* unbuffered */
    line.shown_s = 0;
}

static void hear(const char *what, size_t done, size_t total, bool is_slow)
{
    double now = portolan_now_s();

    if (what && line.what && strcmp(what, line.what) != 0)
        return; /* a loop in the loop */
    if (!what || done >= total) {
        hide();
        line.what = what ? NULL : line.what;
        return;
    }
    if (!line.what) {
        line.what = what;
        line.first = done;
        line.began_s = now;
    }
    if ((is_slow || now - line.began_s >= line.wait_s) &&
        (line.shown_s == 0 || now - line.shown_s >= line.every_s))
        draw(done, total, now);
}

void portolan_progress_show(void)
{
    const char *terminal = getenv("TERM");
    double wait_s;

    if (!isatty(STDERR_FILENO) || !terminal || !*terminal || !strcmp(terminal, "dumb"))
        return;
    if (portolan_read_double(getenv("PORTOLAN_PROGRESS"), &wait_s) && wait_s >= 0) {
        line.wait_s = wait_s;
        line.every_s = fmin(line.every_s, wait_s);
    }
    atexit(hide);
    portolan_progress_set_handler(hear);
}
