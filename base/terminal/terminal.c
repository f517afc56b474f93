/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/terminal.h>

#include <portolan/machine.h>

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY_LINES = 1000 };

struct terminal {
    EditLine *el;
    History *history;
    HistEvent event;
    char *history_file; /* NULL: history cannot be kept */
    const char *prompt;
    char *line;
    bool is_cancelled; /* the line was cancelled by Ctrl-C */
    terminal_complete_fn complete;
    void *arg;
};

static char *show_prompt(EditLine *el)
{
    struct terminal *t;

    el_get(el, EL_CLIENTDATA, &t);
    return (char *)t->prompt;
}

static unsigned char cancel_line(EditLine *el, int character)
{
    struct terminal *t;

    (void)character;
    el_get(el, EL_CLIENTDATA, &t);
    t->is_cancelled = true;
    return CC_NEWLINE;
}

/* -------------------------------------------------------------------------------- completion */

/* The number of bytes in which the beginnings of all words agree. */
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

static void keep_history(struct terminal *t)
{
    if (!t->history || !t->history_file)
        return;
    history(t->history, &t->event, H_SAVE, t->history_file);
}

/* -------------------------------------------------------------------------------------- life */

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

int terminal_bar_columns(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL, *terminal = getenv("TERM");
    struct winsize window = {0};

    for (size_t i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(names[i]);
    if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb") || !locale ||
        !(strcasestr(locale, "utf-8") || strcasestr(locale, "utf8")))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || !window.ws_col)
        window.ws_col = 80;
    return window.ws_col < 100 ? window.ws_col : 100;
}

enum portolan_status terminal_open(const char *program, const char *history_name,
                                   terminal_complete_fn complete_words, void *arg,
                                   struct terminal **out, struct portolan_error *err)
{
    struct terminal *t = portolan_calloc(1, sizeof *t);

    *out = NULL;
    if (!t)
        return portolan_no_memory(err);
    setlocale(LC_CTYPE, "");
    t->prompt = "";
    t->complete = complete_words;
    t->arg = arg;
    t->el = el_init(program, stdin, stdout, stderr);
    t->history = history_init();
    t->history_file = portolan_state_file(history_name);
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
    /* The wide function, because the other one leaks its texts. */
    el_wset(t->el, EL_ADDFN, L"portolan-complete", L"Completes the current word", complete);
    el_wset(t->el, EL_ADDFN, L"portolan-cancel", L"Drops the line", cancel_line);
    el_set(t->el, EL_BIND, "^I", "portolan-complete", NULL);
    el_set(t->el, EL_SETTY, "-d", "-isig", NULL); /* Ctrl-C is an ordinary key while editing */
    el_set(t->el, EL_BIND, "^C", "portolan-cancel", NULL);
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
    free(t->history_file);
    free(t->line);
    free(t);
}

enum terminal_event { TERMINAL_LINE, TERMINAL_CANCELLED, TERMINAL_END };

/* The next line without its line end; *LINE belongs to the terminal until the next call. */
static enum terminal_event read_terminal(struct terminal *t, const char *prompt, const char **line)
{
    const char *got;
    int count = 0;

    t->prompt = prompt;
    t->is_cancelled = false;
    el_set(t->el, EL_PREP_TERM, 1); /* before the prompt, so that nothing typed after it is lost */
    got = el_gets(t->el, &count);
    if (t->is_cancelled) {
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

/* Appends one physical line; false at the end. */
static bool read_piece(struct lines *l, const char *prompt)
{
    const char *line;
    char *buffer = NULL;
    size_t room = 0;
    ssize_t length;

    if (l->terminal) {
        switch (read_terminal(l->terminal, prompt, &line)) {
        case TERMINAL_END:
            return false;
        case TERMINAL_CANCELLED:
            portolan_text_clear(&l->text);
            return true;
        case TERMINAL_LINE:
            portolan_text_add(&l->text, "%s", line);
            return true;
        }
    }
    length = getline(&buffer, &room, stdin);
    l->read++;
    while (length > 0 && strchr("\r\n", buffer[length - 1]))
        length--;
    if (length >= 0)
        portolan_text_add_bytes(&l->text, buffer, (size_t)length);
    free(buffer);
    return length >= 0;
}

bool lines_read(struct lines *l)
{
    portolan_text_clear(&l->text);
    l->number = l->read + 1;
    for (bool first = true;; first = false) {
        if (!read_piece(l, first ? l->prompt : l->more))
            return !first;
        if (!l->text.length || l->text.bytes[l->text.length - 1] != '\\')
            return !l->text.failed;
        l->text.bytes[--l->text.length] = '\0';
        portolan_text_add(&l->text, "%s", l->joint);
    }
}
