/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program with options is run as: its command, its files, its environment, its build. */
#include "trial.h"

#include <portolan/json.h>
#include <portolan/options.h>
#include <portolan/recorder.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of the program, which may run in another folder, as a path that holds there. */
static const char *whole_path(struct prepared *p, const char *name)
{
    char *path = strchr(name, '/') ? realpath(name, NULL) : NULL;
    const char *kept = path ? portolan_arena_strdup(&p->arena, path) : name;

    free(path);
    return kept;
}

static enum portolan_status make_files(struct prepared *p, const struct portolan_assembly *a,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (a->program->n_files && !(p->folder = portolan_temporary_folder(&p->arena, err)))
        return err->status;
    for (size_t i = 0; !status && i < a->program->n_files; i++) {
        const char *path =
            portolan_arena_printf(&p->arena, "%s/%s", p->folder, a->program->files[i].name);
        const char *text = portolan_options_expand(a, a->instances[0].selected,
                                                   a->program->files[i].text, &p->arena);

        status = path && text ? portolan_replace_file(path, text, strlen(text), err)
                              : portolan_no_memory(err);
    }
    return status;
}

static bool make_environment(struct prepared *p, const struct portolan_assembly *a)
{
    size_t n = a->program->n_variables;

    p->environment = portolan_arena_alloc(&p->arena, n + 1, sizeof *p->environment);
    for (size_t i = 0; p->environment && i < n; i++) {
        const char *value = portolan_options_expand(a, a->instances[0].selected,
                                                    a->program->variables[i].text, &p->arena);

        p->environment[i] = portolan_arena_printf(&p->arena, "%s=%s", a->program->variables[i].name,
                                                  value ? value : "");
    }
    return p->environment && !p->arena.failed;
}

enum portolan_status prepare(struct prepared *p, const struct tune_session *s,
                             struct portolan_error *err)
{
    const struct portolan_assembly *a = s->a;
    const char *line = portolan_options_command(a, a->instances[0].selected, &p->arena), *word;
    bool good = line && portolan_words_append(&p->arena, &p->words, &s->start);

    for (bool first = true; good && (word = portolan_options_next_word(&p->arena, &line));
         first = false)
        good = portolan_words_add(&p->arena, &p->words, first ? whole_path(p, word) : word);
    if (!good || !make_environment(p, a) || p->arena.failed)
        return portolan_no_memory(err);
    return make_files(p, a, err);
}

void prepared_release(struct prepared *p)
{
    if (p->folder)
        portolan_folder_remove(p->folder);
    portolan_arena_clear(&p->arena);
}

/* How its ranks are started. */
static bool make_start(struct tune_session *s, const char *launcher, const char *mpiexec)
{
    int ranks = s->a->program->ranks;

    if (launcher)
        return portolan_words_split(&s->arena, &s->start, launcher);
    return ranks < 2 ||
           portolan_words_append(
               &s->arena, &s->start,
               PORTOLAN_WORDS(mpiexec, "-n", portolan_arena_printf(&s->arena, "%d", ranks)));
}

enum portolan_status tune_open(struct tune_session *s, const struct portolan_assembly *a,
                               const char *launcher, const char *mpiexec,
                               struct portolan_error *err)
{
    const char *line, *word, *file;
    enum portolan_status status = PORTOLAN_OK;
    struct stat info;
    char *text = NULL;

    *s = (struct tune_session){.a = a, .store = a->program->store};
    line = portolan_options_command(a, a->instances[0].selected, &s->arena);
    word = line ? portolan_options_next_word(&s->arena, &line) : NULL;
    if (s->arena.failed || !line)
        return portolan_no_memory(err);
    if (!word)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "the command is empty");
    else if (!(file = portolan_program_find(&s->arena, word)) || stat(file, &info))
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", word,
                                    strerror(errno));
    if (status && !access(a->file, F_OK)) /* an assembly that was written, no command line */
        portolan_error_prefix(err, "%s:%d", a->file, a->program->line);
    if (status)
        return status;
    s->build = (struct portolan_name_value){
        portolan_arena_printf(&s->arena, "compiled %s", a->program->name),
        portolan_arena_printf(&s->arena, "%lld %lld", (long long)info.st_size,
                              (long long)info.st_mtime)};
    if (portolan_assembly_write(a, NULL, &text, err))
        return err->status;
    s->text = portolan_arena_strdup(&s->arena, text);
    free(text);
    return make_start(s, launcher, mpiexec) && !s->arena.failed ? PORTOLAN_OK
                                                                : portolan_no_memory(err);
}

void tune_close(struct tune_session *s)
{
    portolan_store_close(s->open);
    if (s->facts)
        portolan_facts_clear(s->facts);
    free(s->facts);
    s->open = NULL;
    s->facts = NULL;
    portolan_arena_clear(&s->arena);
}

enum portolan_status tune_run_here(const struct tune_session *s,
                                   void (*in_folder)(const char *folder),
                                   struct portolan_error *err)
{
    struct prepared p = {0};
    enum portolan_status status = prepare(&p, s, err);

    if (!status && portolan_words_add(&p.arena, &p.words, "")) {
        p.words.word[p.words.n - 1] = NULL;
        for (char **x = p.environment; *x; x++)
            putenv(*x);
        if (p.folder)
            in_folder(p.folder);
        if (!p.folder || !chdir(p.folder))
            execvp(p.words.word[0], (char *const *)p.words.word);
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", p.words.word[0],
                                    strerror(errno));
    }
    prepared_release(&p);
    return status;
}

char *tune_command_line(const struct portolan_assembly *a, size_t alternative,
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
