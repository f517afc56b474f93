/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program with a combination of its options as a trial: what it takes, and what it says. It
 * succeeds if its exit status is the expected one, no line of its output tells of a failure, and
 * all numbers that are looked for were found: only numbers count, not what a program thinks of its
 * result.
 */
#include "program_trials.h"

#include <portolan/json.h>
#include <portolan/machine.h>
#include <portolan/options.h>
#include <portolan/recorder.h>

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much output of a trial is read; the rest is dropped. */
static const size_t most_output = (size_t)64 << 20;
/* Shorter trials are not judged: the kernel counts the use of cores in units of 10 ms. */
static const double least_judged_s = 0.5;

enum { LAST_LINES = 4, LINE_BYTES = 240 };

/* A number that is looked for. */
struct wanted {
    const char *what;
    regex_t regex;
    bool found;
    double value;
};

/* A running trial. */
struct run {
    const struct portolan_assembly *a;
    const struct portolan_assembly_program *p;
    struct portolan_arena arena;
    struct portolan_words words;
    char **environment;
    const char *folder; /* NULL: it runs in this process's */
    size_t n_wanted, n_failures;
    struct wanted *wanted; /* accuracy and time, as far as they are stated, then contexts */
    regex_t *failures;
    bool has_regexes;
    size_t n_bytes, n_lines;
    char last[LAST_LINES][LINE_BYTES]; /* line number N is at N modulo LAST_LINES */
    char failed_line[LINE_BYTES];
    struct portolan_usage usage;
};

/* ------------------------------------------------------------------ what it says */

static void add_wanted(struct run *r, const char *what, const struct portolan_assembly_match *m)
{
    if (!m->regex)
        return;
    r->wanted[r->n_wanted].what = what;
    regcomp(&r->wanted[r->n_wanted++].regex, m->regex, REG_EXTENDED); /* the reader checked it */
}

static bool compile(struct run *r)
{
    const struct portolan_assembly_program *p = r->p;

    r->wanted = portolan_arena_alloc(&r->arena, p->n_contexts + 2, sizeof *r->wanted);
    r->failures = portolan_arena_alloc(&r->arena, p->n_failed, sizeof *r->failures);
    if (!r->wanted || !r->failures)
        return false;
    r->has_regexes = true;
    add_wanted(r, "accuracy", &p->accuracy);
    add_wanted(r, "time", &p->time);
    for (size_t i = 0; i < p->n_contexts; i++)
        add_wanted(r, p->contexts[i].name, &p->contexts[i]);
    for (; r->n_failures < p->n_failed; r->n_failures++)
        regcomp(&r->failures[r->n_failures], p->failed[r->n_failures].regex,
                REG_EXTENDED | REG_NOSUB);
    return true;
}

static void release(struct run *r)
{
    for (size_t i = 0; i < r->n_wanted; i++)
        regfree(&r->wanted[i].regex);
    for (size_t i = 0; i < r->n_failures; i++)
        regfree(&r->failures[i]);
    if (r->folder)
        portolan_folder_remove(r->folder);
    portolan_arena_clear(&r->arena);
}

/* The number in the regular expression's first group; the last line that has one counts. */
static void look_for(struct wanted *w, const char *line)
{
    regmatch_t at[2];
    char text[64], *end;
    double value;

    if (regexec(&w->regex, line, 2, at, 0) || at[1].rm_so < 0)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(at[1].rm_eo - at[1].rm_so), line + at[1].rm_so);
    value = strtod(text, &end);
    w->found = end > text && isfinite(value);
    w->value = value;
}

static void take_line(void *arg, bool is_error, const char *line)
{
    struct run *r = arg;

    (void)is_error;
    r->n_bytes += strlen(line) + 1;
    if (r->n_bytes > most_output)
        return;
    snprintf(r->last[r->n_lines++ % LAST_LINES], LINE_BYTES, "%s", line);
    for (size_t i = 0; i < r->n_wanted; i++)
        look_for(&r->wanted[i], line);
    for (size_t i = 0; i < r->n_failures && !r->failed_line[0]; i++)
        if (!regexec(&r->failures[i], line, 0, NULL, 0))
            snprintf(r->failed_line, sizeof r->failed_line, "%s", line);
}

static const char *last_lines(struct run *r)
{
    struct portolan_text t = {.arena = &r->arena};

    for (size_t i = r->n_lines > LAST_LINES ? r->n_lines - LAST_LINES : 0; i < r->n_lines; i++)
        portolan_text_add(&t, "%s%s", t.length ? "\n" : "", r->last[i % LAST_LINES]);
    portolan_clean_text(t.bytes, "\n\t");
    return t.bytes;
}

/* ------------------------------------------------------------------ what it needs */

/* The name of the program, which may run in another folder, as a path that holds there. */
static const char *whole_path(struct run *r, const char *name)
{
    char *path = strchr(name, '/') ? realpath(name, NULL) : NULL;
    const char *kept = path ? portolan_arena_strdup(&r->arena, path) : name;

    free(path);
    return kept;
}

static enum portolan_status make_files(struct run *r, size_t alternative,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (r->p->n_files && !(r->folder = portolan_temporary_folder(&r->arena, err)))
        return err->status;
    for (size_t i = 0; !status && i < r->p->n_files; i++) {
        const char *path =
            portolan_arena_printf(&r->arena, "%s/%s", r->folder, r->p->files[i].name);
        const char *text =
            portolan_options_expand(r->a, alternative, r->p->files[i].text, &r->arena);

        status = path && text ? portolan_replace_file(path, text, strlen(text), err)
                              : portolan_no_memory(err);
    }
    return status;
}

static bool make_environment(struct run *r, size_t alternative)
{
    size_t n = r->p->n_variables;

    r->environment = portolan_arena_alloc(&r->arena, n + 1, sizeof *r->environment);
    for (size_t i = 0; r->environment && i < n; i++) {
        const char *value =
            portolan_options_expand(r->a, alternative, r->p->variables[i].text, &r->arena);

        r->environment[i] =
            portolan_arena_printf(&r->arena, "%s=%s", r->p->variables[i].name, value ? value : "");
    }
    return r->environment && !r->arena.failed;
}

static enum portolan_status prepare(struct run *r, const struct portolan_words *start,
                                    struct portolan_error *err)
{
    size_t alternative = r->a->instances[0].selected;
    const char *line = portolan_options_command(r->a, alternative, &r->arena), *word;
    bool good = line && portolan_words_append(&r->arena, &r->words, start);

    for (bool first = true; good && (word = portolan_options_next_word(&r->arena, &line));
         first = false)
        good = portolan_words_add(&r->arena, &r->words, first ? whole_path(r, word) : word);
    if (!good || !make_environment(r, alternative) || !compile(r) || r->arena.failed)
        return portolan_no_memory(err);
    return make_files(r, alternative, err);
}

/* ------------------------------------------------------------------ how it ended */

/* The reason why the trial does not count; "": it does. */
static void judge(const struct run *r, const struct portolan_error *end, char *why, size_t size)
{
    const struct portolan_usage *u = &r->usage;

    why[0] = '\0';
    if (u->is_late || (end->status && u->status < 0) || (end->status && r->p->status == 0))
        snprintf(why, size, "%s", end->text);
    else if (u->status != r->p->status)
        snprintf(why, size, "exit status %d instead of %d", u->status, r->p->status);
    if (!why[0] && r->failed_line[0])
        snprintf(why, size, "it said '%s'", r->failed_line);
    for (size_t i = 0; !why[0] && i < r->n_wanted; i++)
        if (!r->wanted[i].found)
            snprintf(why, size, "its output has no number for the %s%s", r->wanted[i].what,
                     r->n_bytes > most_output ? " in its first 64 MiB" : "");
}

/* What other processes did meanwhile; what the program did is its own. */
static void note_disturbance(const struct run *r, struct portolan_machine_reading *before,
                             struct portolan_facts *facts)
{
    struct portolan_machine_reading after;
    struct portolan_machine_verdict verdict;

    if (r->usage.elapsed_s < least_judged_s)
        return;
    portolan_machine_read(&after);
    after.own_ns += 1e9 * r->usage.processor_s;
    portolan_machine_subtract(before, &after);
    portolan_machine_judge(before, 1, &verdict);
    if (verdict.is_disturbed)
        portolan_facts_put(facts, PORTOLAN_STORE_DISTURBED, verdict.reason);
}

static void put_number(struct portolan_facts *facts, const char *name, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.17g", value);
    portolan_facts_put(facts, name, text);
}

/* The one call of the trial: the whole process. */
static enum portolan_status put_sample(const struct run *r, struct portolan_store *store,
                                       int64_t id, struct portolan_error *err)
{
    const struct portolan_assembly_instance *i = r->a->instances;
    struct portolan_sample x = {.step = 0,
                                .parent = -1,
                                .user = "",
                                .uses = "",
                                .instance = i->name,
                                .port = "main",
                                .implementation = i->alternatives[i->selected].class_name,
                                .port_type = "portolan.Program",
                                .method = "main",
                                .calls = 1,
                                .inclusive_ns = 1e9 * r->usage.elapsed_s,
                                .quality = NAN};

    for (size_t k = 0; k < r->n_wanted; k++) {
        const struct wanted *w = &r->wanted[k];

        if (!strcmp(w->what, "accuracy") && r->p->accuracy.regex && !k)
            x.quality = fabs(w->value);
        else if (!strcmp(w->what, "time") && r->p->time.regex && k <= 1)
            x.inclusive_ns = 1e9 * w->value;
        else if (x.n_context < PORTOLAN_CONTEXT_MAX) {
            x.context_name[x.n_context] = w->what;
            x.context[x.n_context++] = w->value;
        }
    }
    x.exclusive_ns = x.min_ns = x.max_ns = x.inclusive_ns;
    x.sum_squares_ns2 = x.inclusive_ns * x.inclusive_ns;
    return portolan_store_put_step(store, id, 0, &x, 1, err);
}

static enum portolan_status begin_trial(const struct measurement *m, const struct run *r,
                                        struct portolan_store *store, int64_t *id,
                                        struct portolan_error *err)
{
    struct portolan_facts parameters = {0}, implementations = {0}, facts = {0};
    enum portolan_status status;

    portolan_facts_put_machine(&facts);
    portolan_facts_put_choices(r->a, &parameters, &implementations);
    if (m->fact.name)
        portolan_facts_put(&facts, m->fact.name, m->fact.value);
    status = parameters.failed || implementations.failed || facts.failed
                 ? portolan_no_memory(err)
                 : portolan_store_begin_trial(
                       store,
                       &(struct portolan_trial){.assembly = r->a->name,
                                                .purpose = r->a->purpose,
                                                .ranks = r->p->ranks,
                                                .n_parameters = parameters.n,
                                                .parameters = parameters.pairs,
                                                .n_implementations = implementations.n,
                                                .implementations = implementations.pairs,
                                                .n_metadata = facts.n,
                                                .metadata = facts.pairs},
                       id, err);
    portolan_facts_clear(&parameters);
    portolan_facts_clear(&implementations);
    portolan_facts_clear(&facts);
    return status;
}

static enum portolan_status end_trial(struct run *r, struct portolan_store *store, int64_t id,
                                      struct portolan_facts *facts, const char *why,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    put_number(facts, "processor time", 1e9 * r->usage.processor_s);
    put_number(facts, "memory", r->usage.memory_bytes);
    put_number(facts, "exit status", r->usage.status);
    if (*why) {
        portolan_facts_put(facts, "failure", why);
        portolan_facts_put(facts, "last lines", r->n_lines ? last_lines(r) : "");
    }
    if (facts->failed)
        return portolan_no_memory(err);
    status = portolan_store_begin(store, err);
    if (!status && !*why)
        status = put_sample(r, store, id, err);
    if (!status)
        status = portolan_store_put_metadata(store, id, facts->pairs, facts->n, err);
    if (!status)
        status = portolan_store_end_trial(store, id,
                                          r->usage.is_late ? "stopped"
                                          : *why           ? "failed"
                                                           : "finished",
                                          1e9 * r->usage.elapsed_s, err);
    if (status)
        portolan_store_rollback(store);
    return status ? status : portolan_store_commit(store, err);
}

/* Runs it; *SIGNAL_NUMBER: this process was told to end. */
static enum portolan_status run_program(struct run *r, double limit_s, struct portolan_facts *facts,
                                        char *why, size_t size, int *signal_number,
                                        struct portolan_error *err)
{
    const struct portolan_supervision how = {.limit_s = limit_s,
                                             .line = take_line,
                                             .arg = r,
                                             .usage = &r->usage,
                                             .memory_bytes = r->p->memory,
                                             .folder = r->folder,
                                             .environment = r->environment};
    struct portolan_machine_reading before;
    struct portolan_error end = {0};
    enum portolan_status status;

    portolan_machine_read(&before);
    status = portolan_supervise(&r->arena, &r->words, &how, signal_number, &end);
    if (status && status != PORTOLAN_EFOREIGN) {
        *err = end;
        return status;
    }
    judge(r, &end, why, size);
    note_disturbance(r, &before, facts);
    return PORTOLAN_OK;
}

enum portolan_status program_trials_run(struct measurement *m,
                                        const struct portolan_measure_trial *trial,
                                        struct portolan_error *err)
{
    struct run r = {.a = m->w->assembly, .p = m->w->assembly->program};
    struct portolan_facts facts = {0};
    struct portolan_store *store = NULL;
    char why[1000] = "";
    int64_t id = 0;
    int number = 0;
    enum portolan_status status = portolan_store_open(m->store, PORTOLAN_STORE_WRITE, &store, err);

    if (!status)
        status = prepare(&r, &m->start, err);
    if (!status)
        status = begin_trial(m, &r, store, &id, err);
    if (!status)
        status = run_program(&r, trial->limit_s, &facts, why, sizeof why, &number, err);
    if (number || (status && id))
        portolan_store_delete_trial(store, id, NULL);
    else if (!status)
        status = end_trial(&r, store, id, &facts, why, err);
    portolan_facts_clear(&facts);
    release(&r);
    if (number)
        measure_end_session(m, store, trial->number, number);
    portolan_store_close(store);
    return status || !*why ? status : portolan_error_set(err, PORTOLAN_ECOMPONENT, "%s", why);
}

/* ------------------------------------------------------------------ around the trials */

enum portolan_status program_trials_open(struct measurement *m, struct portolan_error *err)
{
    const struct portolan_assembly *a = m->w->assembly;
    const char *line = portolan_options_command(a, a->instances[0].selected, &m->arena), *word;
    const char *file;
    struct stat info;

    word = line ? portolan_options_next_word(&m->arena, &line) : NULL;
    if (!word)
        return m->arena.failed
                   ? portolan_no_memory(err)
                   : portolan_error_set(err, PORTOLAN_EINVAL, "%s:%d: the command is empty",
                                        a->file, a->program->line);
    if (!(file = portolan_program_find(&m->arena, word)) || stat(file, &info))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s:%d: cannot run '%s': %s", a->file,
                                  a->program->line, word, strerror(errno));
    m->fact = (struct portolan_name_value){
        portolan_arena_printf(&m->arena, "compiled %s", a->program->name),
        portolan_arena_printf(&m->arena, "%lld %lld", (long long)info.st_size,
                              (long long)info.st_mtime)};
    return m->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status program_offer_measured(struct portolan_assembly *a,
                                            const struct portolan_sample_set *set,
                                            struct portolan_error *err)
{
    struct portolan_error other = {0};

    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *text =
            portolan_peek_value(t->implementations, t->n_implementations, a->program->name);

        if (text && portolan_options_offer(a, text, &other) == PORTOLAN_ENOMEM)
            return portolan_no_memory(err);
    }
    return PORTOLAN_OK; /* trials with other options do not count */
}

enum portolan_status program_run_here(const struct portolan_assembly *a, struct portolan_error *err)
{
    struct run r = {.a = a, .p = a->program};
    struct portolan_words start = {0};
    enum portolan_status status;

    if (a->program->ranks > 1)
        portolan_words_append(
            &r.arena, &start,
            PORTOLAN_WORDS(MPIEXEC, "-n",
                           portolan_arena_printf(&r.arena, "%d", a->program->ranks)));
    status = prepare(&r, &start, err);
    if (!status && portolan_words_add(&r.arena, &r.words, "")) {
        r.words.word[r.words.n - 1] = NULL;
        for (char **x = r.environment; *x; x++)
            putenv(*x);
        if (r.folder && !chdir(r.folder))
            fprintf(stderr, "portolan: its files are in %s\n", r.folder);
        fflush(stdout);
        execvp(r.words.word[0], (char *const *)r.words.word);
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", r.words.word[0],
                                    strerror(errno));
    }
    release(&r);
    return status;
}

char *program_command_line(const struct portolan_assembly *a, size_t alternative,
                           struct portolan_arena *arena)
{
    const struct portolan_assembly_program *p = a->program;
    struct portolan_text t = {.arena = arena};
    char *command = portolan_options_command(a, alternative, arena);

    for (size_t i = 0; i < p->n_variables; i++) {
        const char *value = portolan_options_expand(a, alternative, p->variables[i].text, arena);

        portolan_text_add(&t, "%s=%s ", p->variables[i].name,
                          value ? portolan_shell_word(value).text : "");
    }
    if (p->ranks > 1)
        portolan_text_add(&t, "mpiexec." PORTOLAN_MPI " -n %d ", p->ranks);
    portolan_text_add(&t, "%s", command ? command : "");
    return command ? t.bytes : NULL;
}

void program_list_failures(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                           struct portolan_text *out)
{
    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *why = portolan_trial_peek_fact(t, "failure");
        size_t n = 0, first = i;

        for (size_t k = 0; why && k < set->n_trials; k++) {
            const char *other = portolan_trial_peek_fact(&set->trials[k], "failure");

            if (other && !strcmp(other, why)) {
                first = !n ? k : first;
                n++;
            }
        }
        if (why && first == i)
            portolan_text_add(
                out, "  %zu of %zu: %s (%s)\n", n, set->n_trials, why,
                portolan_peek_value(t->implementations, t->n_implementations, a->program->name));
    }
}
