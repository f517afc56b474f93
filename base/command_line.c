/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/command_line.h>
#include <portolan/list.h>
#include <portolan/progress.h>

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_diagnostic(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    portolan_progress_hide();
    if (column > 0)
        fprintf(stderr, "%s:%d:%d: error: %s\n", file, line, column, text);
    else
        fprintf(stderr, "%s:%d: error: %s\n", file, line, text);
}

void print_lines(const char *kind, struct portolan_text *lines)
{
    char *rest = lines->bytes;

    portolan_progress_hide();
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            fprintf(stderr, "portolan: %s: %s\n", kind, line);
    portolan_text_clear(lines);
}

int print_error(const struct portolan_error *err)
{
    portolan_progress_hide();
    fprintf(stderr, "portolan: error: %s\n", err->text);
    return EXIT_BAD_INPUT;
}

char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');

    if (!slash)
        return portolan_strdup(".");
    return portolan_asprintf("%.*s", slash == file ? 1 : (int)(slash - file), file);
}

int append_text(const char ***list, size_t *n, const char *text)
{
    return portolan_append(list, n, &text, sizeof text) ? 0 : ENOMEM;
}

/* The same for each of the TEXTS, which are separated by commas; cuts them there. */
static int append_list(const char ***list, size_t *n, char *texts)
{
    int error = 0;

    for (char *text; !error && (text = strsep(&texts, ", "));)
        if (*text)
            error = append_text(list, n, text);
    return error;
}

/* ------------------------------------------------------------------ options */

static double read_number(const struct cli_option *row, const char *text, struct argp_state *state)
{
    bool is_whole = row->kind != CLI_NUMBER, is_number;
    double most = row->most > 0 ? row->most : is_whole ? INT32_MAX : DBL_MAX, x = 0;
    int64_t whole = 0;

    is_number = is_whole ? portolan_read_int64(text, &whole) : portolan_read_double(text, &x);
    if (is_whole)
        x = (double)whole;
    if (!is_number || !(x >= row->least && x <= most))
        argp_error(state, "--%s needs %s, not '%s'", row->name,
                   row->wanted ? row->wanted : "a whole number, at least 0", text);
    return x;
}

int read_natural(struct argp_state *state, const char *option, const char *text)
{
    const struct cli_option row = {option + strspn(option, "-"), .kind = CLI_INT};

    return (int)read_number(&row, text, state);
}

enum { MOST_ROWS = 50 };

/* The rows of all tables of a command, and their options for argp. */
struct parsing {
    size_t n_rows, n_options;
    struct {
        const struct cli_option *row;
        char *to; /* the struct that its values go to */
        int key;
    } rows[MOST_ROWS];
    struct argp_option options[MOST_ROWS + 1];
};

static void add_rows(struct parsing *p, const struct cli_option *row, char *to)
{
    for (; row->name || row->key || row->kind || row->doc; row++) {
        /* Every option needs a key for argp; if it has no letter, the key is not a character. */
        int key = row->key || !row->name ? row->key : 0x100 + (int)p->n_rows;

        if (row->kind == CLI_TABLE) {
            add_rows(p, row->table, to + row->offset);
            continue;
        }
        assert(p->n_rows < MOST_ROWS);
        p->rows[p->n_rows].row = row;
        p->rows[p->n_rows].to = to;
        p->rows[p->n_rows++].key = key;
        if (key >= 0)
            p->options[p->n_options++] =
                (struct argp_option){row->name,
                                     key,
                                     row->arg,
                                     (row->is_hidden ? OPTION_HIDDEN : 0) |
                                         (row->may_lack_argument ? OPTION_ARG_OPTIONAL : 0),
                                     row->doc,
                                     row->group};
    }
}

error_t need_equals(void *to, char *arg, const struct cli_option *option, struct argp_state *state)
{
    (void)to;
    if (!strchr(arg, '='))
        argp_error(state, "--%s needs %s, not '%s'", option->name, option->arg, arg);
    return 0;
}

/* The position of TEXT among the words of ROW. */
static unsigned read_choice(const struct cli_option *row, const char *text,
                            struct argp_state *state)
{
    struct portolan_text all = {0};
    const char *near;
    size_t n = 0;

    for (; row->words[n]; n++) {
        if (!strcmp(text, row->words[n])) {
            portolan_text_clear(&all);
            return (unsigned)n;
        }
        portolan_text_add(&all, "%s%s", n ? ", " : "", row->words[n]);
    }
    near = portolan_nearest_word(text, row->words, n);
    argp_error(state, "--%s: unknown value '%s'%s%s", row->name, text,
               near ? portolan_did_you_mean(near).text : "; there are: ",
               near || !all.bytes ? "" : all.bytes);
    return 0;
}

static error_t set_member(const struct cli_option *row, char *to, char *arg,
                          struct argp_state *state)
{
    void *member = to + row->offset;

    switch (row->kind) {
    case CLI_TEXT:
        if (row->key == CLI_WORD && *(const char **)member)
            argp_error(state, "%s, but '%s' was also given", row->doc, arg);
        *(const char **)member = arg;
        return 0;
    case CLI_FLAG:
        *(bool *)member = true;
        return 0;
    case CLI_INT:
        *(int *)member = (int)read_number(row, arg, state);
        return 0;
    case CLI_SIZE:
        *(size_t *)member = (size_t)read_number(row, arg, state);
        return 0;
    case CLI_NUMBER:
        *(double *)member = read_number(row, arg, state);
        return 0;
    case CLI_VALUE:
        *(int *)member = row->value;
        return 0;
    case CLI_CHOICE:
        *(unsigned *)member = read_choice(row, arg, state);
        return 0;
    case CLI_LIST:
        return row->has_commas ? append_list(member, (void *)(to + row->count), arg)
                               : append_text(member, (void *)(to + row->count), arg);
    default:
        return 0;
    }
}

static void check_given(const struct cli_option *row, const char *to, struct argp_state *state)
{
    const void *member = to + row->offset;

    if ((row->kind == CLI_TEXT && !*(const char *const *)member) ||
        (row->kind == CLI_SIZE && !*(const size_t *)member))
        argp_error(state, "%s", row->doc);
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    const struct parsing *p = state->input;
    int wanted = key == ARGP_KEY_ARG ? CLI_WORD : key == ARGP_KEY_END ? CLI_END : key;
    error_t result = ARGP_ERR_UNKNOWN;

    for (size_t i = 0; i < p->n_rows && (result == ARGP_ERR_UNKNOWN || wanted == CLI_END); i++) {
        const struct cli_option *row = p->rows[i].row;

        if (p->rows[i].key != wanted || (wanted >= 0 && !row->name))
            continue;
        result = row->take ? row->take(p->rows[i].to, arg, row, state) : 0;
        if (wanted == CLI_END)
            check_given(row, p->rows[i].to, state);
        else if (!result)
            result = set_member(row, p->rows[i].to, arg, state);
        if (wanted >= 0 && !strcmp(row->name, "quiet"))
            portolan_progress_set_handler(NULL);
    }
    return result;
}

/* Whether WORD, which begins with --, may be one of ours; *TAKES: the word after it is its
 * argument. */
static bool is_known_option(const struct parsing *p, const char *word, bool *takes)
{
    size_t length = strcspn(word + 2, "=");

    *takes = false;
    for (const struct argp_option *o = p->options; o < p->options + p->n_options; o++)
        if (o->name && !strncmp(o->name, word + 2, length)) {
            *takes = o->arg && !(o->flags & OPTION_ARG_OPTIONAL) && !word[2 + length];
            return true;
        }
    return !strncmp("help", word + 2, length) || !strncmp("usage", word + 2, length) ||
           !strncmp("version", word + 2, length);
}

/* Ends with a suggestion at the first option that is misspelt; argp would only name it. */
static void check_spelling(const struct parsing *p, int argc, char **argv, unsigned flags)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool takes = false;
        const char *near;
        char word[64];

        if (*argv[i] != '-' && (flags & ARGP_IN_ORDER))
            return; /* the command's own words begin */
        if (strncmp(argv[i], "--", 2) != 0 || is_known_option(p, argv[i], &takes)) {
            i += takes;
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
        near =
            portolan_nearest_member(word, &p->options[0].name, p->n_options, sizeof p->options[0]);
        if (!near)
            return;
        fprintf(stderr,
                "%s: unrecognized option '--%s'; did you mean '--%s'?\nTry `%s --help' for more "
                "information.\n",
                argv[0], word, near, argv[0]);
        exit(argp_err_exit_status);
    }
}

void parse_line(const struct cli_line *line, int argc, char **argv, unsigned flags, void *to)
{
    struct parsing p = {0};
    const struct argp argp = {.options = p.options,
                              .parser = parse_key,
                              .args_doc = line->words,
                              .doc = line->doc,
                              .help_filter = line->help_filter};

    add_rows(&p, line->options, to);
    check_spelling(&p, argc, argv, flags);
    argp_parse(&argp, argc, argv, flags, NULL, &p);
}

/* "-o", or a long option in OPTIONS. --include is not ours: compilers know it, too. */
static bool is_own_option(const char *word, const struct cli_option *options)
{
    size_t length = strcspn(word, "=");

    if (!strncmp(word, "-o", 2))
        return true;
    if (strncmp(word, "--", 2) != 0 || !strcmp(word, "--include"))
        return false;
    for (const struct cli_option *o = options; o->name; o++)
        if (strlen(o->name) == length - 2 && !strncmp(o->name, word + 2, length - 2))
            return true;
    return false;
}

int take_flags(int argc, char **argv, const struct cli_option *options, const char ***flags,
               size_t *n)
{
    int own = 1;

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    for (int i = own + 1; i < argc; i++) {
        append_text(flags, n, argv[i]);
        if (is_own_option(argv[i], options))
            fprintf(stderr,
                    "portolan: warning: '%s' after '--' is passed to the compiler; put options of "
                    "%s before '--'\n",
                    argv[i], argv[0]);
    }
    return own;
}
