/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads commands, checks all of them, and obeys them. */
#include "../internal.h"
#include "internal.h"

#include <portolan/tau.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

struct verb {
    const char *name, *usage;
    int at_least, at_most; /* words after it */
};

static const struct verb verbs[CONTROL_VERBS] = {
    [CONTROL_FORWARD] = {"forward", "forward GLOB", 1, 1},
    [CONTROL_PROFILE] = {"profile", "profile GLOB", 1, 1},
    [CONTROL_MASTERMIND] = {"mastermind", "mastermind GLOB", 1, 1},
    [CONTROL_OFF] = {"off", "off GLOB", 1, 1},
    [CONTROL_ON] = {"on", "on GLOB", 1, 1},
    [CONTROL_ROWS] = {"rows", "rows GLOB", 1, 1},
    [CONTROL_NOROWS] = {"norows", "norows GLOB", 1, 1},
    [CONTROL_SAMPLE] = {"sample", "sample N GLOB", 2, 2},
    [CONTROL_TOGGLE] = {"toggle", "toggle", 0, 0},
    [CONTROL_USE] = {"use", "use GLOB IMPLEMENTATION", 2, 2},
    [CONTROL_COUNTERS] = {"counters", "counters [SET]", 0, 1},
    [CONTROL_DUMP] = {"dump", "dump [FOLDER]", 0, 1},
    [CONTROL_FLUSH] = {"flush", "flush", 0, 0},
    [CONTROL_LIST] = {"list", "list", 0, 0},
    [CONTROL_PIN] = {"pin", "pin INSTANCE=CLASS", 1, 1},
    [CONTROL_FORBID] = {"forbid", "forbid INSTANCE=CLASS", 1, 1},
    [CONTROL_RELEASE] = {"release", "release [INSTANCE[=CLASS]]", 0, 1},
    [CONTROL_UNDO] = {"undo", "undo", 0, 0},
    [CONTROL_EXPLORE] = {"explore", "explore on|off|SHARE", 1, 1},
};

struct command {
    enum control_verb verb;
    int line;
    uint32_t one_in;
    char *words[2]; /* the registry takes [0] of a rule when it is obeyed */
};

/* A port that is to be moved to another implementation. */
struct move {
    struct portolan_control_port *port;
    const char *to, *from;
    int line;
};

struct batch {
    const char *origin;
    struct command *commands;
    size_t n, n_rules;
    struct move *moves;
    size_t n_moves, n_moved;
    struct portolan_text mistakes;
    bool failed; /* memory was out */
};

__attribute__((format(printf, 3, 4))) static void mistake(struct batch *b, int line,
                                                          const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_text_add(&b->mistakes, "%s%s:%d: error: %s", b->mistakes.length ? "\n" : "", b->origin,
                      line, text);
}

/* ------------------------------------------------- reading */

static bool find_verb(struct batch *b, struct command *c, const char *word)
{
    const char *names[CONTROL_VERBS], *near;

    for (int i = 0; i < CONTROL_VERBS; i++) {
        names[i] = verbs[i].name;
        if (!strcmp(word, names[i])) {
            c->verb = (enum control_verb)i;
            return true;
        }
    }
    near = portolan_nearest_word(word, names, CONTROL_VERBS);
    mistake(b, c->line,
            near ? "unknown command '%s'; did you mean '%s'?"
                 : "unknown command '%s'; the commands are forward, profile, mastermind, off, on, "
                   "rows, norows, sample, toggle, use, counters, dump, flush, list, pin, forbid, "
                   "release, undo, explore%.0s",
            word, near ? near : "");
    return false;
}

/* `sample` has its number before the pattern. */
static bool read_number(struct batch *b, struct command *c, const char **words)
{
    int64_t n;

    if (!portolan_read_int64(words[0], &n) || n < 1 || n > PORTOLAN_PROBE_SAMPLING_MAX) {
        mistake(b, c->line,
                "'%s' is not a number of calls from 1 to %u, of which one is timed; write: %s",
                words[0], PORTOLAN_PROBE_SAMPLING_MAX, verbs[c->verb].usage);
        return false;
    }
    c->one_in = (uint32_t)n;
    words[0] = words[1];
    return true;
}

/* LINE is a copy that may be cut up. */
static void read_line(struct batch *b, char *line, int number)
{
    struct command *c = &b->commands[b->n];
    const struct verb *verb;
    const char *words[2] = {NULL, NULL};
    char *rest = NULL, *word;
    int n = 0;

    line[strcspn(line, "#\r")] = '\0';
    if (!(word = strtok_r(line, " \t", &rest)))
        return;
    c->line = number;
    if (!find_verb(b, c, word))
        return;
    verb = &verbs[c->verb];
    for (; (word = strtok_r(NULL, " \t", &rest)); n++)
        if (n < 2)
            words[n] = word;
    if (n < verb->at_least || n > verb->at_most) {
        mistake(b, number, "'%s': wrong number of arguments (%d); write: %s", verb->name, n,
                verb->usage);
        return;
    }
    if (c->verb == CONTROL_SAMPLE && !read_number(b, c, words))
        return;
    if (c->verb == CONTROL_SAMPLE)
        n = 1;
    for (int i = 0; i < n; i++)
        b->failed = !(c->words[i] = portolan_strdup(words[i])) || b->failed;
    if (c->verb == CONTROL_TOGGLE)
        b->failed = !(c->words[0] = portolan_strdup("*")) || b->failed;
    b->n_rules += c->verb <= CONTROL_TOGGLE;
    b->n++;
}

static enum portolan_status read_all(struct batch *b, const char *text, struct portolan_error *err)
{
    char *copy = portolan_strdup(text), *next;
    size_t lines = 1;
    int number = 1;

    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    b->commands = portolan_calloc(lines, sizeof *b->commands);
    if (copy && b->commands)
        for (char *line = copy; line; line = next, number++) {
            if ((next = strchr(line, '\n')))
                *next++ = '\0';
            read_line(b, line, number);
        }
    if (!copy || !b->commands || b->failed)
        portolan_no_memory(err);
    free(copy);
    return err->status;
}

/* ------------------------------------------------- checking, under the lock */

/* The implementation of PORT that WORD means: the one of that name, or a path that ends in it. */
static const char *implementation_of(const struct portolan_control_port *p, const char *word)
{
    if (!p->n_implementations)
        return word;
    for (size_t i = 0; i < p->n_implementations; i++)
        if (!strcmp(p->implementations[i], word))
            return p->implementations[i];
    for (size_t i = 0; i < p->n_implementations; i++) {
        const char *slash = strrchr(p->implementations[i], '/');

        if (slash && !strcmp(slash + 1, word))
            return p->implementations[i];
    }
    return NULL;
}

static void add_move(struct batch *b, const struct command *c, struct portolan_control_port *p)
{
    const char *to = implementation_of(p, c->words[1]);
    struct move *more;

    if (!to) {
        const char *near =
            portolan_nearest_word(c->words[1], p->implementations, p->n_implementations);

        mistake(b, c->line, "port '%s' has no implementation '%s'%s", p->name, c->words[1],
                near ? portolan_did_you_mean(near).text : "; `list` names its implementations");
        return;
    }
    more = portolan_reallocarray(b->moves, b->n_moves + 1, sizeof *more);
    if (!more) {
        b->failed = true;
        return;
    }
    b->moves = more;
    b->moves[b->n_moves++] = (struct move){p, to, p->selected, c->line};
    control_pin(p);
}

static void check_use(struct batch *b, const struct command *c)
{
    struct portolan_control_port *p;
    bool found = false;

    DL_FOREACH(control_first(), p)
    if (control_matches(p, c->words[0]) && p->select) {
        found = true;
        add_move(b, c, p);
    }
    if (!found)
        mistake(b, c->line, "no port with several implementations matches '%s'", c->words[0]);
}

static void check_mastermind(struct batch *b, const struct command *c)
{
    struct portolan_control_port *p;
    const char *without = NULL;
    bool with = false;

    DL_FOREACH(control_first(), p)
    if (control_matches(p, c->words[0])) {
        with = with || p->has_mastermind;
        without = p->has_mastermind ? without : p->name;
    }
    if (without && !with)
        mistake(b, c->line,
                "port '%s' has no Mastermind that could take its records; 'profile' writes TAU "
                "profiles",
                without);
}

/* Not under the lock: a fork holds that of the counters while it waits for ours. */
static void check_counters(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct command *c = &b->commands[i];
        struct portolan_error err = {0};

        if (c->verb == CONTROL_COUNTERS && c->words[0] &&
            probe_counters_check_set(c->words[0], &err))
            mistake(b, c->line, "%s", err.text);
    }
}

/* Returns what C asks of the Optimizer; the caller frees it. NULL: memory is out. */
static char *wish_of(const struct command *c)
{
    return portolan_asprintf("%s%s%s", verbs[c->verb].name, c->words[0] ? " " : "",
                             c->words[0] ? c->words[0] : "");
}

static void check_wish(struct batch *b, const struct command *c)
{
    struct portolan_error err = {0};
    char *wish = wish_of(c);

    b->failed = !wish || b->failed;
    if (wish && control_wish_check(wish, &err))
        mistake(b, c->line, "%s", err.text);
    free(wish);
}

static enum portolan_status check_commands(struct batch *b, struct portolan_error *err)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->commands[i].verb == CONTROL_USE)
            check_use(b, &b->commands[i]);
        else if (b->commands[i].verb == CONTROL_MASTERMIND)
            check_mastermind(b, &b->commands[i]);
        else if (b->commands[i].verb >= CONTROL_PIN)
            check_wish(b, &b->commands[i]);
    if (b->failed || b->mistakes.failed)
        return portolan_no_memory(err);
    if (b->mistakes.length)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s", b->mistakes.bytes);
    return control_reserve_rules(b->n_rules, err);
}

/* ------------------------------------------------- obeying */

static void move_back(struct batch *b)
{
    while (b->n_moved-- > 0) {
        const struct move *m = &b->moves[b->n_moved];
        struct portolan_error err = {0};

        if (m->from && m->port->select(m->port->self, m->from, &err))
            portolan_log(PORTOLAN_LOG_WARNING, "control", "port '%s' stays with '%s': %s",
                         m->port->name, m->to, err.text);
    }
    b->n_moved = 0;
}

/* Without the lock: the ports are pinned. */
static enum portolan_status move_all(struct batch *b, struct portolan_error *err)
{
    for (; b->n_moved < b->n_moves; b->n_moved++) {
        const struct move *m = &b->moves[b->n_moved];

        if (m->port->select(m->port->self, m->to, err)) {
            enum portolan_status status = err->status ? err->status : PORTOLAN_ECOMPONENT;

            portolan_error_set(err, status, "port '%s' cannot use '%s'", m->port->name, m->to);
            portolan_error_prefix(err, "%s:%d: error", b->origin, m->line);
            move_back(b);
            return status;
        }
    }
    return PORTOLAN_OK;
}

static bool any_is_on(void)
{
    const struct portolan_control_port *p;

    DL_FOREACH(control_first(), p)
    if (!p->is_off)
        return true;
    return false;
}

/* Under the lock; cannot fail. */
static void obey(struct command *c, struct portolan_text *reply)
{
    struct portolan_control_port *p;
    enum control_verb verb = c->verb;
    int count = 0;

    if (verb == CONTROL_TOGGLE)
        verb = any_is_on() ? CONTROL_OFF : CONTROL_ON;
    DL_FOREACH(control_first(), p)
    if (control_matches(p, c->words[0]) && (verb != CONTROL_MASTERMIND || p->has_mastermind)) {
        control_obey(p, verb, c->one_in);
        count++;
    }
    portolan_text_add(reply, verb == CONTROL_SAMPLE ? "%s %u " : "%s%.0u ", verbs[verb].name,
                      verb == CONTROL_SAMPLE ? c->one_in : 0);
    portolan_text_add(reply, "%s: %d port%s%s\n", c->words[0], count, count == 1 ? "" : "s",
                      count ? "" : " yet; the command applies to later ports");
    control_remember(verb, c->one_in, c->words[0]);
    c->words[0] = NULL;
}

static void list(struct portolan_text *reply)
{
    const struct portolan_control_port *p;

    control_lock();
    DL_FOREACH(control_first(), p)
    {
        portolan_text_add(reply, "port\t%s\t%s\t%s\t%s%s", p->name, p->type ? p->type : "",
                          portolan_variant_name(p->variant), p->is_off ? "off" : "on",
                          p->has_rows ? ", rows" : "");
        if (p->one_in > 1)
            portolan_text_add(reply, ", 1 in %u", p->one_in);
        portolan_text_add(reply, "\t%s\t%s", p->has_mastermind ? "mastermind" : "",
                          p->selected ? p->selected : "");
        for (size_t i = 0; i < p->n_implementations; i++)
            portolan_text_add(reply, "\t%s", p->implementations[i]);
        portolan_text_add(reply, "\n");
    }
    control_unlock();
}

static bool list_set(void *arg, const struct portolan_probe_counter_set *set)
{
    struct portolan_text *reply = arg;

    portolan_text_add(reply, "counters\t%s\t%s\t", *set->name ? set->name : "\"\"",
                      set->in_force ? "in force" : "");
    for (size_t i = 0; i < set->n; i++)
        portolan_text_add(reply, "%s%s", i ? "," : "", set->counters[i]);
    portolan_text_add(reply, "\n");
    return true;
}

static bool any_has_mastermind(void)
{
    const struct portolan_control_port *p;
    bool found = false;

    control_lock();
    DL_FOREACH(control_first(), p)
    found = found || p->has_mastermind;
    control_unlock();
    return found;
}

/* With a Mastermind each step has the counts of one set: NAME is used from the next step on. */
static enum portolan_status counters(const char *name, struct portolan_text *reply,
                                     struct portolan_error *err)
{
    bool later = name && any_has_mastermind();
    enum portolan_status status = PORTOLAN_OK;

    if (name)
        status = later ? portolan_probe_counter_set_request(name, err)
                       : portolan_probe_counter_set_use(name, err);
    if (status == PORTOLAN_OK && name)
        portolan_text_add(reply, "counters %s: %s\n", name,
                          later ? "from the next step on" : "in force");
    else if (status == PORTOLAN_OK && !portolan_probe_counter_slots())
        portolan_text_add(reply, "counters: none was defined\n");
    else if (status == PORTOLAN_OK)
        portolan_probe_counter_sets_visit(list_set, reply);
    return status;
}

static enum portolan_status dump(const char *folder, struct portolan_text *reply,
                                 struct portolan_error *err)
{
    size_t files;
    enum portolan_status status =
        portolan_probe_write_tau(folder, portolan_control_node(), &files, err);

    if (status == PORTOLAN_OK && files)
        portolan_text_add(reply, "dump: %zu profile%s written\n", files, files == 1 ? "" : "s");
    else if (status == PORTOLAN_OK)
        portolan_text_add(reply, "dump: nothing has been measured in variant 'profile'\n");
    return status;
}

static portolan_control_flush_fn flush_fn;
static void *flush_arg;

void portolan_control_set_flush(portolan_control_flush_fn flush, void *arg)
{
    control_lock();
    flush_fn = flush;
    flush_arg = arg;
    control_unlock();
}

static enum portolan_status flush_taker(bool *has_taker, struct portolan_error *err)
{
    portolan_control_flush_fn fn;
    void *arg;

    control_lock();
    fn = flush_fn;
    arg = flush_arg;
    control_unlock();
    *has_taker = fn != NULL;
    return fn ? fn(arg, err) : PORTOLAN_OK;
}

static enum portolan_status flush(struct portolan_text *reply, struct portolan_error *err)
{
    enum portolan_status status;
    bool taken;

    status = dump(NULL, reply, err);
    if (status == PORTOLAN_OK)
        status = flush_taker(&taken, err);
    if (status == PORTOLAN_OK)
        portolan_text_add(reply, taken ? "flush: the Mastermind has the measurements\n"
                                       : "flush: a Mastermind in an assembly stores at the next "
                                         "swap point\n");
    return status;
}

static enum portolan_status keep_wish(const struct command *c, struct portolan_text *reply,
                                      struct portolan_error *err)
{
    char *wish = wish_of(c);

    return wish ? control_wish_keep(wish, reply, err) : portolan_no_memory(err);
}

static enum portolan_status answer_all(const struct batch *b, struct portolan_text *reply,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < b->n && status == PORTOLAN_OK; i++) {
        const struct command *c = &b->commands[i];

        if (c->verb == CONTROL_DUMP)
            status = dump(c->words[0], reply, err);
        else if (c->verb == CONTROL_COUNTERS)
            status = counters(c->words[0], reply, err);
        else if (c->verb == CONTROL_FLUSH)
            status = flush(reply, err);
        else if (c->verb == CONTROL_LIST)
            list(reply);
        else if (c->verb >= CONTROL_PIN)
            status = keep_wish(c, reply, err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(err, "%s:%d: error", b->origin, c->line);
    }
    return status;
}

static enum portolan_status obey_all(struct batch *b, struct portolan_text *reply,
                                     struct portolan_error *err)
{
    enum portolan_status status;

    check_counters(b);
    control_lock();
    status = check_commands(b, err);
    control_unlock();
    if (status == PORTOLAN_OK)
        status = move_all(b, err);
    control_lock();
    for (size_t i = 0; i < b->n_moves; i++)
        control_unpin(b->moves[i].port);
    for (size_t i = 0; i < b->n_moved; i++)
        portolan_text_add(reply, "use %s: %s\n", b->moves[i].port->name, b->moves[i].to);
    for (size_t i = 0; i < b->n && status == PORTOLAN_OK; i++)
        if (b->commands[i].verb <= CONTROL_TOGGLE)
            obey(&b->commands[i], reply);
    control_unlock();
    return status == PORTOLAN_OK ? answer_all(b, reply, err) : status;
}

/* ------------------------------------------------- one command after the other */

bool portolan_control_is_request(const char *text)
{
    return !strncmp(text, CONTROL_REQUEST, sizeof CONTROL_REQUEST - 1);
}

static pthread_mutex_t turn = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

enum portolan_status portolan_control_execute(const char *text, const char *origin,
                                              struct portolan_text *reply,
                                              struct portolan_error *err)
{
    struct batch b = {.origin = origin};
    struct portolan_error first = {0};

    if (portolan_control_is_request(text)) {
        b.origin = "command"; /* lines are counted from there */
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (pthread_mutex_lock(&turn))
        return portolan_error_set(err, PORTOLAN_EBUSY, "this thread is executing a command");
    if (read_all(&b, text, &first) == PORTOLAN_OK)
        obey_all(&b, reply, &first);
    pthread_mutex_unlock(&turn);
    for (size_t i = 0; i < b.n; i++)
        for (int k = 0; k < 2; k++)
            free(b.commands[i].words[k]);
    free(b.commands);
    free(b.moves);
    portolan_text_clear(&b.mistakes);
    return first.status ? portolan_error_set(err, first.status, "%s", first.text) : PORTOLAN_OK;
}

enum portolan_status portolan_control_apply(const char *text, const char *origin,
                                            struct portolan_error *err)
{
    struct portolan_text reply = {0};
    enum portolan_status status = portolan_control_execute(text, origin, &reply, err);

    portolan_text_clear(&reply);
    return status;
}
