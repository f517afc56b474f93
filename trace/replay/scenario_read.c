/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads scenarios: a statement a line, blocks that end with "end". All mistakes are reported. */
#include "scenario.h"

#include <portolan/list.h>

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <string.h>

enum { MOST_NESTING = 100, MOST_STATEMENTS = 50 * 1000 * 1000 };

/* Words that are not in the table, for suggestions. */
static const char *const other_words[] = {"ranks", "latency", "bandwidth", "eager", "seed",
                                          "comm",  "window",  "else",      "end"};
enum { OTHER_WORDS = sizeof other_words / sizeof *other_words };

static void unknown_word(struct scenario_reader *r, const char *at, const char *word)
{
    const char *known[64 + OTHER_WORDS];
    size_t n = 0;

    for (; n < n_statement_rows && n < 64; n++)
        known[n] = statement_rows[n].word;
    memcpy(known + n, other_words, sizeof other_words);
    scenario_mistake(
        r, at, "'%.40s' is no statement%s", word,
        portolan_did_you_mean(portolan_nearest_word(word, known, n + OTHER_WORDS)).text);
}

/* Reads ranks: "0", "1..3, 7", "size-1", or a condition. */
static struct rank_range *read_ranks(struct scenario_reader *r)
{
    struct rank_range *first = NULL, **end = &first;

    do {
        struct rank_range *range = portolan_arena_alloc(&r->arena, 1, sizeof *range);

        if (!(range->first = scenario_expression(r)))
            return NULL;
        if (scenario_takes(r, "..") && !(range->last = scenario_expression(r)))
            return NULL;
        *end = range;
        end = &range->next;
    } while (scenario_takes(r, ","));
    return first;
}

static int find_comm(struct scenario_reader *r, const struct scenario_comm *comms, size_t n,
                     const char *what)
{
    const char *at = r->at, *word = scenario_word(r), *near = NULL;

    for (size_t i = 0; word && i < n; i++)
        if (strcmp(comms[i].name, word) == 0)
            return (int)i;
    if (word && n)
        near = portolan_nearest_member(word, &comms->name, n, sizeof *comms);
    scenario_mistake(r, at, "no %s is called '%.40s'%s", what, word ? word : "",
                     portolan_did_you_mean(near).text);
    return 0;
}

static int read_request(struct scenario *s)
{
    const char *word = scenario_word(&s->reader);

    if (!word) {
        scenario_mistake(&s->reader, s->reader.at, "the name of a request is missing");
        return -1;
    }
    for (size_t i = 0; i < s->n_requests; i++)
        if (strcmp(s->requests[i], word) == 0)
            return (int)i;
    portolan_arena_append(&s->reader.arena, &s->requests, &s->n_requests, &word, sizeof word);
    return (int)s->n_requests - 1;
}

static void read_source(struct scenario_reader *r, struct statement *to)
{
    if (!scenario_takes(r, "any"))
        to->from = scenario_expression(r);
}

/* Reads a region: NAME, or for a port METHOD USER PORT PROVIDER. */
static void read_region(struct scenario_reader *r, struct portolan_trace_region *region)
{
    bool is_port = region->kind == PORTOLAN_TRACE_PORT;

    region->name = scenario_word(r);
    if (is_port) {
        region->user = scenario_word(r);
        region->port = scenario_word(r);
        region->provider = scenario_word(r);
    }
    if (!region->name || (is_port && !region->provider))
        scenario_mistake(r, r->at,
                         is_port ? "a port needs a method, user, port and provider"
                                 : "a name is missing");
}

static int new_variable(struct scenario_reader *r)
{
    const char *at = r->at, *word = scenario_word(r);

    if (!word || (*word >= '0' && *word <= '9'))
        scenario_mistake(r, at, "a name is missing");
    else if (r->n_variables == MOST_VARIABLES)
        scenario_mistake(r, at, "there are more than %d variables", MOST_VARIABLES);
    if (!r->at)
        return -1;
    for (int i = 2; i < r->n_variables; i++)
        if (strcmp(r->variables[i], word) == 0)
            return i;
    r->variables[r->n_variables] = word;
    return r->n_variables++;
}

static void read_fixed(struct scenario *s, struct statement *to, const char *takes)
{
    struct scenario_reader *r = &s->reader;

    for (; r->at && *takes; takes++)
        switch (*takes) {
        case 'v':
            to->value = scenario_expression(r);
            break;
        case 'd':
            if (!(to->is_sender = scenario_takes(r, "sender")))
                to->value = scenario_expression(r);
            break;
        case 's':
            read_source(r, to);
            break;
        case 'r':
            to->root = scenario_expression(r);
            break;
        case 'f':
            if (scenario_takes(r, "from"))
                read_source(r, to);
            else
                scenario_mistake(r, r->at, "'from' and the source are missing");
            break;
        case 'w':
            to->what = find_comm(r, s->windows, s->n_windows, "window");
            break;
        case 'g':
            to->ranks = read_ranks(r);
            break;
        case 'R':
            to->request = read_request(s);
            break;
        case 'n':
            if (!(to->name = scenario_word(r)))
                scenario_mistake(r, r->at, "a name is missing");
            break;
        case 'V':
            to->variable = new_variable(r);
            break;
        case '=':
            if (!scenario_takes(r, "="))
                scenario_mistake(r, r->at, "'=' and a value are missing");
            break;
        case 'u':
            if (scenario_takes(r, "until"))
                to->until = scenario_takes(r, "tag") ? scenario_expression(r) : NULL;
            break;
        case 'l':
            if (scenario_takes(r, "as"))
                to->variable = new_variable(r);
            break;
        default:
            if (!isdigit((unsigned char)*takes))
                return;
            to->region.kind = (enum portolan_trace_region_kind)(*takes - '0');
            read_region(r, &to->region);
        }
}

static void read_end(struct scenario_reader *r)
{
    if (!scenario_at_end(r))
        scenario_mistake(r, r->at, "the line should end before '%.40s'", r->at);
}

static void read_options(struct scenario *s, struct statement *to, const char *takes)
{
    struct scenario_reader *r = &s->reader;

    while (!scenario_at_end(r)) {
        if (strpbrk(takes, "tT") && scenario_takes(r, "tag")) {
            if (!(to->is_any_tag = strchr(takes, 'T') && scenario_takes(r, "any")))
                to->tag = scenario_expression(r);
        } else if (strchr(takes, 'Q') && scenario_takes(r, "as")) {
            to->request = read_request(s);
        } else if (strchr(takes, 'c') && scenario_takes(r, "on")) {
            to->what = find_comm(r, s->comms, s->n_comms, "communicator");
        } else if (strchr(takes, 'b') && !to->bytes) {
            to->bytes = scenario_expression(r);
        } else {
            read_end(r);
        }
    }
    if (strchr(takes, 'Q') && to->request < 0)
        scenario_mistake(r, r->at, "'as' and the name of a request are missing");
}

/* ------------------------------------------------- the head, whose lines may occur once */

static double read_constant(struct scenario *s, double least, double most)
{
    struct scenario_reader *r = &s->reader;
    struct scenario_values values = {.variables = {0, s->n_ranks}};
    const char *at = r->at;
    struct expression *e = scenario_expression(r);
    double value = e ? expression_value(e, &values) : 0;

    if (e && !(value >= least && value <= most))
        scenario_mistake(r, at, "%g is outside of %g to %g", value, least, most);
    return value;
}

static void read_comm(struct scenario *s, bool is_window)
{
    struct scenario_reader *r = &s->reader;
    struct scenario_comm comm = {.line = r->line};

    if (!(comm.name = scenario_word(r)))
        scenario_mistake(r, r->at, "a name is missing");
    else if (!is_window)
        comm.ranks = read_ranks(r);
    else if (scenario_takes(r, "on"))
        comm.comm = find_comm(r, s->comms, s->n_comms, "communicator");
    if (r->at)
        portolan_arena_append(&r->arena, is_window ? &s->windows : &s->comms,
                              is_window ? &s->n_windows : &s->n_comms, &comm, sizeof comm);
}

static bool read_head(struct scenario *s, const char *word)
{
    double bandwidth;

    if (strcmp(word, "ranks") == 0)
        s->n_ranks = (int)read_constant(s, 1, MOST_RANKS);
    else if (strcmp(word, "latency") == 0)
        s->costs.latency_ns = (int64_t)read_constant(s, 0, 1e12);
    else if (strcmp(word, "bandwidth") == 0)
        s->costs.ns_per_byte = (bandwidth = read_constant(s, 1e-3, 1e18)) > 0 ? 1e9 / bandwidth : 0;
    else if (strcmp(word, "eager") == 0)
        s->costs.eager_bytes = (uint64_t)read_constant(s, 0, 1e18);
    else if (strcmp(word, "seed") == 0)
        s->seed = (uint64_t)read_constant(s, 0, 1e18);
    else if (strcmp(word, "comm") == 0 || strcmp(word, "window") == 0)
        read_comm(s, *word == 'w');
    else
        return false;
    return true;
}

/* ------------------------------------------------- blocks */

/* A block that is open: where its next statement goes. */
struct open_block {
    struct statement *block; /* NULL: the whole scenario */
    struct statement **end;
};

static struct statement *read_statement(struct scenario *s, const char *at, const char *word)
{
    struct statement *to = portolan_arena_alloc(&s->reader.arena, 1, sizeof *to);
    const struct statement_row *row = statement_rows, *end = row + n_statement_rows;

    to->line = s->reader.line;
    to->request = to->variable = -1;
    while (row < end && strcmp(row->word, word) != 0)
        row++;
    if (row == end) {
        unknown_word(&s->reader, at, word);
        return to;
    }
    to->row = row;
    read_fixed(s, to, row->takes);
    read_options(s, to, row->takes);
    return to;
}

static void close_or_turn(struct scenario_reader *r, struct open_block *open, size_t *depth,
                          const char *at, bool is_else)
{
    struct statement *block = open[*depth].block;

    if (!block || (is_else && (strcmp(block->row->word, "on") != 0 || block->otherwise)))
        scenario_mistake(r, at, is_else ? "'else' without 'on'" : "'end' without a block");
    read_end(r);
    if (r->at && is_else)
        open[*depth].end = &block->otherwise;
    else if (r->at)
        --*depth;
}

static void read_line(struct scenario *s, struct open_block *open, size_t *depth)
{
    struct scenario_reader *r = &s->reader;
    const char *at, *word;
    struct statement *to;

    if (scenario_at_end(r))
        return;
    at = r->at;
    if (!(word = scenario_word(r))) {
        scenario_mistake(r, at, "a statement should begin with a word");
        return;
    }
    if (strcmp(word, "end") == 0 || strcmp(word, "else") == 0) {
        close_or_turn(r, open, depth, at, word[1] == 'l');
        return;
    }
    if (read_head(s, word)) {
        if (*depth || s->body)
            scenario_mistake(r, at, "'%s' belongs before the first statement", word);
        else
            read_end(r);
        return;
    }
    to = read_statement(s, at, word);
    *open[*depth].end = to;
    open[*depth].end = &to->next;
    if (!to->row || !strchr(to->row->takes, '{'))
        return;
    if (*depth + 1 == MOST_NESTING)
        scenario_mistake(r, at, "blocks are nested more than %d deep", MOST_NESTING - 1);
    else
        open[++*depth] = (struct open_block){to, &to->body};
}

static void read_lines(struct scenario *s, const char *text)
{
    struct open_block open[MOST_NESTING] = {{NULL, &s->body}};
    struct scenario_reader *r = &s->reader;
    size_t depth = 0;

    while (*text) {
        size_t n = strcspn(text, "\n");

        r->line++;
        r->at = r->line_text = portolan_arena_strndup(&r->arena, text, n);
        read_line(s, open, &depth);
        text += n + (text[n] == '\n');
    }
    r->at = r->line_text = "";
    if (depth) {
        r->line = open[depth].block->line;
        scenario_mistake(r, NULL, "this block has no 'end'");
    } else if (!s->n_ranks && !r->n_mistakes) {
        scenario_mistake(r, NULL, "'ranks' is missing: how many ranks there are");
    }
}

static void leave(void *out_of_memory)
{
    longjmp(*(jmp_buf *)out_of_memory, 1);
}

/* Parses TEXT; returns PORTOLAN_ESYNTAX after mistakes. */
static enum portolan_status parse(struct scenario *s, const char *text)
{
    struct scenario_comm world = {.name = "world"};
    struct scenario_reader *r = &s->reader;
    jmp_buf out_of_memory;

    s->costs = (struct portolan_costs){.eager_bytes = UINT64_MAX};
    r->variables[0] = "rank";
    r->variables[1] = "size";
    r->n_variables = 2;
    r->arena.no_memory = leave;
    r->arena.no_memory_arg = &out_of_memory;
    if (setjmp(out_of_memory))
        return PORTOLAN_ENOMEM;
    portolan_arena_append(&r->arena, &s->comms, &s->n_comms, &world, sizeof world);
    read_lines(s, text);
    return r->n_mistakes ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

enum portolan_status scenario_read(const char *path, const char *text, uint64_t most_statements,
                                   struct portolan_diagnostics *diagnostics,
                                   struct portolan_trace **trace, struct portolan_costs *costs,
                                   struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {diagnostics, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct scenario s = {.reader = {.d = &d, .file = path}, .most_statements = most_statements};
    struct portolan_text file = {0};
    enum portolan_status status = PORTOLAN_OK;

    *trace = NULL;
    if (!text && !portolan_text_add_file(&file, path, 1 << 26))
        status =
            portolan_error_set(err, PORTOLAN_EIO, "%s cannot be read: %s", path, strerror(errno));
    if (!status)
        status = parse(&s, text ? text : file.bytes ? file.bytes : "");
    if (!status)
        status = scenario_run(&s, trace, err);
    if (status == PORTOLAN_ENOMEM)
        portolan_no_memory(err);
    if (costs)
        *costs = s.costs;
    if (status) {
        portolan_trace_destroy(*trace);
        *trace = NULL;
    }
    portolan_text_clear(&file);
    portolan_arena_clear(&s.reader.arena);
    return status;
}

enum portolan_status portolan_scenario_read(const char *path, const char *text,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_trace **trace,
                                            struct portolan_costs *costs,
                                            struct portolan_error *err)
{
    return scenario_read(path, text, MOST_STATEMENTS, diagnostics, trace, costs, err);
}
