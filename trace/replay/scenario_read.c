/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads scenarios: a statement a line, blocks that end with "end". All mistakes are told. */
#include "scenario.h"

#include <portolan/list.h>

#include <setjmp.h>
#include <string.h>

/*
 * What a statement takes, in turn: v value, p partner ("any" for receives, "sender" for sends),
 * r root, w window, g ranks, n name, f "from" and a source; then in any order: t "tag" and a
 * number, b bytes, q "as" and a request, Q the same, required, c "on" and a communicator.
 */
static const struct statement_row {
    const char *word, *takes, *routine;
    enum scenario_action action;
} rows[] = {
    {"compute", "v", NULL, DO_COMPUTE},
    {"mark", "v", NULL, DO_MARK},
    {"value", "nv", NULL, DO_VALUE},
    {"init", "", "MPI_Init", DO_CALL},
    {"finalize", "", "MPI_Finalize", DO_CALL},
    {"send", "ptbc", "MPI_Send", DO_SEND},
    {"ssend", "ptbc", "MPI_Ssend", DO_SEND},
    {"bsend", "ptbc", "MPI_Bsend", DO_SEND},
    {"isend", "ptbQc", "MPI_Isend", DO_SEND},
    {"issend", "ptbQc", "MPI_Issend", DO_SEND},
    {"recv", "ptc", "MPI_Recv", DO_RECV},
    {"irecv", "ptQc", "MPI_Irecv", DO_RECV},
    {"poll", "v", "MPI_Iprobe", DO_POLL},
    {"sendrecv", "pftbc", "MPI_Sendrecv", DO_SENDRECV},
    {"wait", "R", "MPI_Wait", DO_WAIT},
    {"waitall", "", "MPI_Waitall", DO_WAIT_ALL},
    {"barrier", "c", "MPI_Barrier", DO_COLLECTIVE},
    {"allreduce", "bc", "MPI_Allreduce", DO_COLLECTIVE},
    {"allgather", "bc", "MPI_Allgather", DO_COLLECTIVE},
    {"alltoall", "bc", "MPI_Alltoall", DO_COLLECTIVE},
    {"reduce_scatter", "bc", "MPI_Reduce_scatter", DO_COLLECTIVE},
    {"bcast", "rbc", "MPI_Bcast", DO_COLLECTIVE},
    {"scatter", "rbc", "MPI_Scatter", DO_COLLECTIVE},
    {"reduce", "rbc", "MPI_Reduce", DO_COLLECTIVE},
    {"gather", "rbc", "MPI_Gather", DO_COLLECTIVE},
    {"scan", "bc", "MPI_Scan", DO_COLLECTIVE},
    {"exscan", "bc", "MPI_Exscan", DO_COLLECTIVE},
    {"dup", "c", "MPI_Comm_dup", DO_COLLECTIVE},
    {"ibarrier", "Qc", "MPI_Ibarrier", DO_COLLECTIVE},
    {"iallreduce", "bQc", "MPI_Iallreduce", DO_COLLECTIVE},
    {"ialltoall", "bQc", "MPI_Ialltoall", DO_COLLECTIVE},
    {"ibcast", "rbQc", "MPI_Ibcast", DO_COLLECTIVE},
    {"ireduce", "rbQc", "MPI_Ireduce", DO_COLLECTIVE},
    {"fence", "w", "MPI_Win_fence", DO_FENCE},
    {"free", "w", "MPI_Win_free", DO_FENCE},
    {"post", "wg", "MPI_Win_post", DO_OPEN},
    {"start", "wg", "MPI_Win_start", DO_OPEN},
    {"complete", "w", "MPI_Win_complete", DO_CLOSE},
    {"await", "w", "MPI_Win_wait", DO_CLOSE},
    {"put", "wvb", "MPI_Put", DO_TRANSFER},
    {"get", "wvb", "MPI_Get", DO_TRANSFER},
};
enum { ROWS = sizeof rows / sizeof *rows, MOST_NESTING = 100 };

/* Words that are not in the table, for suggestions. */
static const char *const other_words[] = {
    "ranks", "latency", "bandwidth", "eager",  "seed",  "comm",  "window", "let",       "repeat",
    "on",    "else",    "end",       "region", "timer", "phase", "port",   "experiment"};
enum { OTHER_WORDS = sizeof other_words / sizeof *other_words };

static void unknown_word(struct scenario_reader *r, const char *at, const char *word)
{
    const char *known[ROWS + OTHER_WORDS];

    for (size_t i = 0; i < ROWS; i++)
        known[i] = rows[i].word;
    memcpy(known + ROWS, other_words, sizeof other_words);
    scenario_mistake(
        r, at, "'%.40s' is no statement%s", word,
        portolan_did_you_mean(portolan_nearest_word(word, known, ROWS + OTHER_WORDS)).text);
}

/* "0", "1..3, 7", "size-1", or a condition. */
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
    const char *at = r->at, *word = scenario_word(r), *known[64];

    for (size_t i = 0; word && i < n; i++)
        if (strcmp(comms[i].name, word) == 0)
            return (int)i;
    n = n < 64 ? n : 64;
    for (size_t i = 0; i < n; i++)
        known[i] = comms[i].name;
    scenario_mistake(
        r, at, "no %s is called '%.40s'%s", what, word ? word : "",
        portolan_did_you_mean(word ? portolan_nearest_word(word, known, n) : NULL).text);
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

static void read_partner(struct scenario_reader *r, struct statement *to)
{
    bool is_recv = to->action == DO_RECV;

    if (is_recv && scenario_takes(r, "any"))
        return;
    if (!is_recv && scenario_takes(r, "sender"))
        to->is_sender = true;
    else
        to->value = scenario_expression(r);
}

static void read_source(struct scenario_reader *r, struct statement *to)
{
    if (!scenario_takes(r, "from"))
        scenario_mistake(r, r->at, "'from' and the source are missing");
    else if (!scenario_takes(r, "any"))
        to->from = scenario_expression(r);
}

static void read_fixed(struct scenario *s, struct statement *to, const char *takes)
{
    struct scenario_reader *r = &s->reader;

    for (; r->at && *takes; takes++)
        switch (*takes) {
        case 'v':
            to->value = scenario_expression(r);
            break;
        case 'p':
            read_partner(r, to);
            break;
        case 'r':
            to->root = scenario_expression(r);
            break;
        case 'f':
            read_source(r, to);
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
        default:
            return;
        }
}

static void read_options(struct scenario *s, struct statement *to, const char *takes)
{
    struct scenario_reader *r = &s->reader;

    while (!scenario_at_end(r)) {
        if (strchr(takes, 't') && scenario_takes(r, "tag")) {
            if (!(to->is_any_tag = to->action == DO_RECV && scenario_takes(r, "any")))
                to->tag = scenario_expression(r);
        } else if (strchr(takes, 'Q') && scenario_takes(r, "as")) {
            to->request = read_request(s);
        } else if (strchr(takes, 'c') && scenario_takes(r, "on")) {
            to->what = find_comm(r, s->comms, s->n_comms, "communicator");
        } else if (strchr(takes, 'b') && !to->bytes) {
            to->bytes = scenario_expression(r);
        } else {
            scenario_mistake(r, r->at, "the line should end before '%.40s'", r->at);
        }
    }
    if (strchr(takes, 'Q') && to->request < 0)
        scenario_mistake(r, r->at, "'as' and the name of a request are missing");
}

static void read_end(struct scenario_reader *r)
{
    if (!scenario_at_end(r))
        scenario_mistake(r, r->at, "the line should end before '%.40s'", r->at);
}

static struct statement *new_statement(struct scenario *s, enum scenario_action action)
{
    struct statement *to = portolan_arena_alloc(&s->reader.arena, 1, sizeof *to);

    to->action = action;
    to->line = s->reader.line;
    to->request = to->variable = -1;
    return to;
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

/* ------------------------------------------------- the head: what is said once */

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

/* Where the next statement goes, for each block that is open. */
struct open_block {
    struct statement *block; /* NULL: the whole */
    struct statement **end;
};

static bool read_block(struct scenario *s, struct statement *to, const char *word)
{
    struct scenario_reader *r = &s->reader;
    static const char *const regions[] = {"port", "timer", "phase", "experiment", "region"};

    if (strcmp(word, "repeat") == 0) {
        to->action = DO_REPEAT;
        to->value = scenario_expression(r);
        if (scenario_takes(r, "until"))
            to->until = scenario_takes(r, "tag") ? scenario_expression(r) : NULL;
        if (scenario_takes(r, "as"))
            to->variable = new_variable(r);
        return true;
    }
    if (strcmp(word, "on") == 0) {
        to->action = DO_ON;
        to->ranks = read_ranks(r);
        return true;
    }
    for (int i = 0; i < 5; i++)
        if (strcmp(word, regions[i]) == 0) {
            to->action = DO_REGION;
            to->region.kind = (enum portolan_trace_region_kind)i;
            to->region.name = scenario_word(r);
            if (i == PORTOLAN_TRACE_PORT) { /* port METHOD USER PORT PROVIDER */
                to->region.user = scenario_word(r);
                to->region.port = scenario_word(r);
                to->region.provider = scenario_word(r);
            }
            if (!to->region.name || (i == PORTOLAN_TRACE_PORT && !to->region.provider))
                scenario_mistake(r, r->at,
                                 i == PORTOLAN_TRACE_PORT
                                     ? "a port needs a method, user, port and provider"
                                     : "a name is missing");
            return true;
        }
    return false;
}

static struct statement *read_statement(struct scenario *s, const char *at, const char *word)
{
    struct statement *to = new_statement(s, DO_LET);

    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].word, word) == 0) {
            to->action = rows[i].action;
            to->routine = rows[i].routine;
            read_fixed(s, to, rows[i].takes);
            read_options(s, to, rows[i].takes);
            return to;
        }
    if (strcmp(word, "let") == 0) {
        to->variable = new_variable(&s->reader);
        if (s->reader.at && !scenario_takes(&s->reader, "="))
            scenario_mistake(&s->reader, s->reader.at, "'=' and a value are missing");
        to->value = scenario_expression(&s->reader);
    } else if (!read_block(s, to, word)) {
        unknown_word(&s->reader, at, word);
    }
    read_end(&s->reader);
    return to;
}

static bool is_block(const struct statement *to)
{
    return to->action == DO_REPEAT || to->action == DO_ON || to->action == DO_REGION;
}

static void close_or_turn(struct scenario_reader *r, struct open_block *open, size_t *depth,
                          const char *at, bool is_else)
{
    struct statement *block = open[*depth].block;

    if (!block || (is_else && (block->action != DO_ON || block->otherwise)))
        scenario_mistake(r, at, is_else ? "'else' without 'on'" : "'end' without a block");
    else if (!scenario_at_end(r))
        scenario_mistake(r, r->at, "the line should end before '%.40s'", r->at);
    else if (is_else)
        open[*depth].end = &block->otherwise;
    else
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
    if (!is_block(to))
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

enum portolan_status scenario_parse(struct scenario *s, const char *text)
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
