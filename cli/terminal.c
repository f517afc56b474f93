/* SPDX-License-Identifier: BSD-3-Clause */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_LINES = 1000 };

struct terminal {
    EditLine *el;
    History *history;
    HistEvent event;
    char *history_file; /* NULL: nowhere to keep it */
    const char *prompt;
    char *line;
    terminal_complete_fn complete;
    void *arg;
};

/*
 * What Ctrl-C writes into and the reader of bytes waits for as well: the signal may come to any
 * thread, and before the wait begins.
 */
static int interrupts[2] = {-1, -1};

static void note_interrupt(int number)
{
    int before = errno;

    (void)number;
    if (write(interrupts[1], "", 1) < 0) {
        /* full: it is known already */
    }
    errno = before;
}

/* Forgets what has come; whether something had. */
static bool take_interrupts(void)
{
    char bytes[64];
    bool came = false;

    while (read(interrupts[0], bytes, sizeof bytes) > 0)
        came = true;
    return came;
}

/*
 * The terminal once more, never blocking: Ctrl-C also throws away what was typed, perhaps between
 * poll and read. A description of its own, for standard input's is shared with others.
 */
static int keyboard = -1;

static void open_keyboard(void)
{
    const char *name = ttyname(STDIN_FILENO);

    keyboard = name ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
}

/* The next byte; -1 when Ctrl-C came first. */
static int read_byte(char *byte)
{
    const int fd = keyboard >= 0 ? keyboard : STDIN_FILENO;
    struct pollfd inputs[2] = {{.fd = fd, .events = POLLIN},
                               {.fd = interrupts[0], .events = POLLIN}};
    int n;

    for (;;) {
        do
            n = poll(inputs, 2, -1);
        while (n < 0 && errno == EINTR);
        if (n < 0 || inputs[1].revents)
            return -1;
        n = (int)read(fd, byte, 1);
        if (n >= 0 || (errno != EAGAIN && errno != EINTR))
            return n;
    }
}

/* libedit's own reader tries again after a signal; ours lets Ctrl-C cancel the line. */
static int read_character(EditLine *el, wchar_t *c)
{
    mbstate_t state = {0};

    (void)el;
    for (;;) {
        char byte;
        int n = read_byte(&byte);

        if (n <= 0)
            return n;
        switch (mbrtowc(c, &byte, 1, &state)) {
        case (size_t)-1: /* not a character: pass the byte on */
            *c = (wchar_t)(unsigned char)byte;
            return 1;
        case (size_t)-2:
            continue;
        default:
            return 1;
        }
    }
}

static char *show_prompt(EditLine *el)
{
    struct terminal *t;

    el_get(el, EL_CLIENTDATA, &t);
    return (char *)t->prompt;
}

/* -------------------------------------------------------------------------------- completion */

/* How many bytes all words begin with alike. */
static size_t common_bytes(char **words, size_t n)
{
    size_t length = strlen(words[0]);

    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < length; k++)
            if (words[i][k] != words[0][k])
                length = k;
    return length;
}

static void list_words(char **words, size_t n)
{
    struct winsize size;
    size_t widest = 0, columns = 80, used = 0;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        columns = size.ws_col;
    for (size_t i = 0; i < n; i++)
        widest = strlen(words[i]) > widest ? strlen(words[i]) : widest;
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || used + 2 * (widest + 2) > columns;

        printf("%-*s%s", last ? 0 : (int)widest + 2, words[i], last ? "\n" : "");
        used = last ? 0 : used + widest + 2;
    }
    fflush(stdout);
}

static unsigned char complete(EditLine *el, int character)
{
    const LineInfo *info = el_line(el);
    char *line = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    unsigned char result = CC_REFRESH_BEEP;
    struct terminal *t;
    char **words = NULL;
    size_t n = 0, begun, common;

    (void)character;
    el_get(el, EL_CLIENTDATA, &t);
    if (line)
        words = t->complete(t->arg, line, &n);
    if (words && n) {
        for (begun = 0; begun < strlen(line) && !strchr(" \t", line[strlen(line) - 1 - begun]);)
            begun++;
        common = common_bytes(words, n);
        if (common > begun || n == 1) {
            char *more = portolan_asprintf("%.*s%s", (int)(common - begun), words[0] + begun,
                                           n == 1 ? " " : "");

            result = more && el_insertstr(el, more) == 0 ? CC_REFRESH : CC_REFRESH_BEEP;
            free(more);
        } else {
            list_words(words, n);
            result = CC_REDISPLAY;
        }
    }
    free(words);
    free(line);
    return result;
}

/* ----------------------------------------------------------------------------------- history */

/* Makes the folders in front of a file's name, as far as they are not there. */
static void make_folders(char *file)
{
    for (char *at = strchr(file + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(file, 0700);
        *at = '/';
    }
}

static char *find_history_file(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && *state == '/')
        return portolan_asprintf("%s/portolan/%s", state, name);
    return home && *home == '/' ? portolan_asprintf("%s/.local/state/portolan/%s", home, name)
                                : NULL;
}

static void keep_history(struct terminal *t)
{
    if (!t->history || !t->history_file)
        return;
    make_folders(t->history_file);
    history(t->history, &t->event, H_SAVE, t->history_file);
}

/* -------------------------------------------------------------------------------------- life */

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

enum portolan_status terminal_open(const char *program, const char *history_name,
                                   terminal_complete_fn complete_words, void *arg,
                                   struct terminal **out, struct portolan_error *err)
{
    struct terminal *t = portolan_calloc(1, sizeof *t);

    *out = NULL;
    if (!t)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    setlocale(LC_CTYPE, "");
    t->prompt = "";
    t->complete = complete_words;
    t->arg = arg;
    t->el = pipe2(interrupts, O_CLOEXEC | O_NONBLOCK) == 0 ? el_init(program, stdin, stdout, stderr)
                                                           : NULL;
    open_keyboard();
    t->history = history_init();
    t->history_file = find_history_file(history_name);
    if (!t->el || !t->history) {
        terminal_close(t);
        return portolan_error_set(err, PORTOLAN_EIO, "the terminal cannot be used");
    }
    history(t->history, &t->event, H_SETSIZE, HISTORY_LINES);
    history(t->history, &t->event, H_SETUNIQUE, 1);
    if (t->history_file)
        history(t->history, &t->event, H_LOAD, t->history_file);
    el_set(t->el, EL_CLIENTDATA, t);
    el_set(t->el, EL_EDITOR, "emacs");
    el_set(t->el, EL_HIST, history, t->history);
    el_set(t->el, EL_PROMPT, show_prompt);
    el_set(t->el, EL_GETCFN, read_character);
    /* Wide, for the other one leaks its texts. */
    el_wset(t->el, EL_ADDFN, L"portolan-complete", L"Completes the word that is begun", complete);
    el_set(t->el, EL_BIND, "^I", "portolan-complete", NULL);
    el_set(t->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(t->el, NULL); /* the user's .editrc */
    *out = t;
    return PORTOLAN_OK;
}

void terminal_close(struct terminal *t)
{
    if (!t)
        return;
    keep_history(t);
    if (t->history)
        history_end(t->history);
    if (t->el)
        el_end(t->el);
    for (int i = 0; i < 2; i++)
        if (interrupts[i] >= 0) {
            close(interrupts[i]);
            interrupts[i] = -1;
        }
    if (keyboard >= 0)
        close(keyboard);
    keyboard = -1;
    free(t->history_file);
    free(t->line);
    free(t);
}

enum terminal_event terminal_read(struct terminal *t, const char *prompt, const char **line)
{
    /* Restarted: an echo that Ctrl-C cuts off would count as a failure of standard output. */
    struct sigaction interrupt = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART}, before;
    const char *got;
    int count = 0;

    t->prompt = prompt;
    sigaction(SIGINT, &interrupt, &before);
    el_set(t->el, EL_PREP_TERM, 1); /* before the prompt: nothing typed behind it is lost */
    got = el_gets(t->el, &count);
    sigaction(SIGINT, &before, NULL);
    if (take_interrupts()) {
        el_set(t->el, EL_PREP_TERM, 0);
        el_reset(t->el);
        printf("\n");
        fflush(stdout);
        return TERMINAL_CANCELLED;
    }
    if (!got || count <= 0) {
        printf("\n");
        fflush(stdout);
        return TERMINAL_END;
    }
    free(t->line);
    t->line = strndup(got, strcspn(got, "\r\n"));
    if (!t->line)
        return TERMINAL_END;
    if (t->line[strspn(t->line, " \t")])
        history(t->history, &t->event, H_ENTER, t->line);
    *line = t->line;
    return TERMINAL_LINE;
}
