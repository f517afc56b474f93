/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/trial_command.h>

#include <portolan/supervise.h>

#include <string.h>

enum portolan_status trial_command_here(struct trial_command *c, const struct assembly_options *o,
                                        const char *launcher, const char *mpiexec, int n_ranks,
                                        struct portolan_error *err)
{
    struct portolan_arena *a = &c->arena;
    bool good = true;

    if (launcher)
        good = portolan_words_split(a, &c->start, launcher);
    else if (n_ranks > 1)
        good = portolan_words_append(
            a, &c->start, PORTOLAN_WORDS(mpiexec, "-n", portolan_arena_printf(a, "%d", n_ranks)));
    good = good && portolan_words_append(
                       a, &c->start, PORTOLAN_WORDS(portolan_program_file(a), "run", "--quiet"));
    if (good && o->path)
        good = portolan_words_add(a, &c->rest, portolan_arena_printf(a, "--path=%s", o->path));
    if (good && o->n_cases)
        good = portolan_words_add(a, &c->start, portolan_arena_printf(a, "--case=%s", o->cases[0]));
    for (size_t i = 0; good && i < o->n_sets; i++)
        good = portolan_words_add(a, &c->start, portolan_arena_printf(a, "--set=%s", o->sets[i]));
    good = good && portolan_words_add(a, &c->rest, o->file);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

enum portolan_status trial_command_virtual(struct trial_command *c, const char *file, int n_ranks,
                                           const char *program, struct portolan_error *err)
{
    struct portolan_arena *a = &c->arena;
    bool good = portolan_words_append(
        a, &c->start,
        PORTOLAN_WORDS(portolan_program_file(a), "clue", "run", "--no-trial", "--quiet", "-m", file,
                       "-n", portolan_arena_printf(a, "%d", n_ranks), "--", program));

    c->is_silent = true;
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

/* A line of orders, "select INSTANCE CLASS" or "set INSTANCE PARAMETER VALUE", as an option. */
static bool add_order(struct portolan_arena *arena, struct portolan_words *words, char *line)
{
    char *verb = strsep(&line, " "), *instance = strsep(&line, " "), *parameter;

    if (!strcmp(verb, "select"))
        return portolan_words_add(arena, words,
                                  portolan_arena_printf(arena, "--select=%s=%s", instance, line));
    parameter = strsep(&line, " ");
    return portolan_words_add(
        arena, words, portolan_arena_printf(arena, "--set=%s.%s=%s", instance, parameter, line));
}

bool trial_command_words(const struct trial_command *c, const struct measure_session *s,
                         const char *orders, struct portolan_arena *arena,
                         struct portolan_words *words)
{
    char *lines = portolan_arena_strdup(arena, orders);
    bool good =
        lines && portolan_words_append(arena, words, &c->start) &&
        portolan_words_append(
            arena, words,
            PORTOLAN_WORDS("--fixed",
                           portolan_arena_printf(arena, "--purpose=%s", s->w->assembly->purpose),
                           portolan_arena_printf(arena, "--store=%s", s->store)));

    for (char *line; good && (line = strsep(&lines, "\n"));)
        good = !*line || add_order(arena, words, line);
    return good && portolan_words_append(arena, words, &c->rest);
}

enum portolan_status trial_command_run(const struct trial_command *c, struct measure_session *s,
                                       const struct portolan_measure_trial *trial,
                                       struct portolan_error *why, struct portolan_error *err)
{
    const struct portolan_supervision how = {
        .limit_s = trial->limit_s, .is_silent = c->is_silent, .line = c->line};
    struct portolan_arena arena = {0};
    struct portolan_words words = {0};
    enum portolan_status status =
        trial_command_words(c, s, trial->orders, &arena, &words)
            ? portolan_supervise(&arena, &words, &how, &s->signal_number, why)
            : portolan_no_memory(why);

    portolan_arena_clear(&arena);
    if (s->signal_number)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "told to end");
    if (status == PORTOLAN_OK || status == PORTOLAN_EFOREIGN)
        return PORTOLAN_OK;
    *err = *why;
    return status;
}

void trial_command_clear(struct trial_command *c)
{
    portolan_arena_clear(&c->arena);
    *c = (struct trial_command){0};
}
