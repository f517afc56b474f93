/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of processes that are gone: who ended them, and the end of their trials. */
#include "internal.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SUSPECTS = 16, MOST_PAUSES = 200 };
/* A process that was killed without a word is taken to have run out of memory if it has grown by so
 * many KiB, and to more than twice as much, since a class was swapped in. */
enum { MUCH_MEMORY = 64 << 10 };

struct suspect {
    int standing;
    char instance[200], class_name[200], plugin[1200];
};

struct last_words {
    char how[20], inside[1000]; /* INSTANCE=CLASS, each after a blank and before one */
    long number;
    int rank;
};

struct found {
    long long trial;
    long pid, memory_first, memory_last; /* of the rank that has grown most */
    int grown;                           /* the rank */
    unsigned long long start;
    struct note_place place;
    int step;
    bool is_over; /* the caller knows why the job has ended */
    size_t n;
    struct suspect suspects[MOST_SUSPECTS];
    bool has_end;
    struct last_words end;
};

/* Returns whether a rank was inside the class of S. After a slow step that was not ended, a class
 * that has run well does not count. */
static bool was_inside(const struct found *f, const struct suspect *s, const char **first)
{
    char word[410];
    const char *at;

    if (!strcmp(f->end.how, "slow") && s->standing == PORTOLAN_RAN_WELL && !f->is_over)
        return false;

    snprintf(word, sizeof word, " %s=%s ", s->instance, s->class_name);
    at = f->has_end ? strstr(f->end.inside, word) : NULL;
    if (!at || (*first && *first <= at))
        return false;
    *first = at;
    return true;
}

static bool is_inside_any(const struct found *f)
{
    const char *first = NULL;

    for (size_t i = 0; i < f->n; i++)
        if (was_inside(f, &f->suspects[i], &first))
            return true;
    return false;
}

/* Takes the end of a rank. Of several ranks the first that ended shows why, unless it only waited
 * for another. */
static bool take_end(struct found *f, const char *line)
{
    struct found other = *f;
    int at = 0;

    if (sscanf(line, "end %19s %ld %d %d%n", other.end.how, &other.end.number, &other.end.rank,
               &other.step, &at) != 4)
        return false;
    snprintf(other.end.inside, sizeof other.end.inside, "%.*s ", (int)strcspn(line + at, "\n"),
             line + at);
    other.has_end = true;
    if (!strcmp(other.end.how, "alive") && f->end.rank == other.end.rank) {
        f->has_end = false;
        f->end = (struct last_words){.how = ""};
    } else if (strcmp(other.end.how, "alive") != 0 &&
               (!f->has_end || (!is_inside_any(f) && is_inside_any(&other))))
        *f = other;
    return true;
}

/* How another rank than 0 has grown since its last swap. */
static bool take_growth(struct found *f, const char *line)
{
    long first, last;
    int rank, since;

    if (sscanf(line, "grown %d %d %ld %ld", &rank, &since, &first, &last) != 4)
        return false;
    if (since <= f->step && (rank == f->grown || last - first > f->memory_last - f->memory_first)) {
        f->grown = rank;
        f->memory_first = first;
        f->memory_last = last;
    }
    return true;
}

static void take_line(struct found *f, const char *line)
{
    struct suspect *s = &f->suspects[f->n];

    if (sscanf(line, "class %d %199s %199s %1199[^\n]", &s->standing, s->instance, s->class_name,
               s->plugin) == 4)
        f->n += f->n + 1 < MOST_SUSPECTS;
    else if (!take_end(f, line) && !take_growth(f, line) &&
             sscanf(line, "trial %lld", &f->trial) != 1 &&
             sscanf(line, "process %ld %llu", &f->pid, &f->start) != 2 &&
             sscanf(line, "boot %63s", f->place.boot) != 1 &&
             sscanf(line, "place %299[^\n]", f->place.host) != 1 &&
             sscanf(line, "step %d", &f->step) != 1)
        sscanf(line, "memory %ld %ld", &f->memory_first, &f->memory_last);
}

static bool read_note(const char *file, bool is_over, struct found *f)
{
    FILE *in = fopen(file, "re");
    char *line = NULL;
    size_t room = 0;

    *f = (struct found){.step = -1, .is_over = is_over};
    while (in && getline(&line, &room, in) >= 0)
        take_line(f, line);
    free(line);
    if (in)
        fclose(in);
    return f->trial > 0 && f->pid > 0;
}

/* Returns whether the process has grown so much that this has probably ended it. */
static bool has_grown(const struct found *f)
{
    return f->memory_last > 2 * f->memory_first &&
           f->memory_last - f->memory_first > (long)MUCH_MEMORY;
}

/*
 * Fills GUILTY: the innermost class whose call a rank was inside. If there is none: those that were
 * not tried before, whatever ended the process, unless the program ended by itself and well; or
 * those that are only known from this process, if it ran out of memory.
 */
static void find_guilty(const struct found *f, bool *guilty)
{
    bool ended_well = f->has_end && !strcmp(f->end.how, "exit") && f->end.number == 0;
    bool was_killed = !f->has_end && !f->is_over;
    const char *first = NULL;
    size_t inside = f->n;

    for (size_t i = 0; i < f->n; i++) {
        guilty[i] = false;
        if (was_inside(f, &f->suspects[i], &first))
            inside = i;
    }
    for (size_t i = 0; inside == f->n && i < f->n; i++)
        guilty[i] = (f->suspects[i].standing == PORTOLAN_UNTRIED && !ended_well) ||
                    (f->suspects[i].standing == PORTOLAN_RAN_HERE && was_killed && has_grown(f));
    if (inside < f->n)
        guilty[inside] = true;
}

static void say_how(const struct found *f, const char *reason, struct portolan_text *t)
{
    const struct last_words *e = &f->end;

    if (reason)
        portolan_text_add(t, "%s", reason);
    else if (!f->has_end && has_grown(f))
        portolan_text_add(t, "killed when the memory of rank %d had grown from %ld to %ld MiB",
                          f->grown, f->memory_first >> 10, f->memory_last >> 10);
    else if (!f->has_end)
        portolan_text_add(t, "killed, or ended without a word");
    else if (!strcmp(e->how, "signal"))
        portolan_text_add(t, "killed by signal %ld (%s)", e->number, strsignal((int)e->number));
    else if (!strcmp(e->how, "limit"))
        portolan_text_add(t, "a step reached its limit of %ld s", e->number);
    else if (!strcmp(e->how, "slow"))
        portolan_text_add(t, "killed in a step that took more than %ld s", e->number);
    else
        portolan_text_add(t, "exit(%ld) was called", e->number);
    if (f->has_end)
        portolan_text_add(t, " on rank %d", e->rank);
    if (f->step >= 0)
        portolan_text_add(t, " in step %d", f->step);
}

/* PLUGIN: as in PORTOLAN_STORE_PLUGIN. */
static enum portolan_status blame(struct portolan_store *s, int64_t trial, const char *instance,
                                  const char *class_name, const char *plugin,
                                  struct portolan_error *err)
{
    char blamed[240], built[240];
    struct portolan_name_value pairs[] = {{blamed, class_name}, {built, plugin}};

    snprintf(blamed, sizeof blamed, PORTOLAN_STORE_BLAMED "%s", instance);
    snprintf(built, sizeof built, PORTOLAN_STORE_PLUGIN "%s", class_name);
    return portolan_store_put_metadata(s, trial, pairs, 2, err);
}

enum portolan_status portolan_store_blame(struct portolan_store *s, int64_t trial,
                                          const struct portolan_running *r,
                                          struct portolan_error *err)
{
    char build[60], plugin[1300];

    note_identify(r->library, build, sizeof build);
    snprintf(plugin, sizeof plugin, "%s %s", build, r->library ? r->library : "-");
    return blame(s, trial, r->instance, r->class_name, plugin, err);
}

/* Returns whether another class was to take the place of suspect I, which had only its state to
 * give: what replaces a class is noted before it. */
static bool is_leaving(const struct found *f, size_t i)
{
    return i > 0 && !strcmp(f->suspects[i - 1].instance, f->suspects[i].instance);
}

/* In a bracket. */
static enum portolan_status put_blame(struct portolan_store *s, const struct found *f,
                                      const bool *guilty, const char *why,
                                      struct portolan_error *err)
{
    struct portolan_name_value failure = {"failure", why};
    enum portolan_status status = portolan_store_put_metadata(s, f->trial, &failure, 1, err);
    bool any = false;

    for (size_t i = 0; !status && i < f->n; i++) {
        const struct suspect *x = &f->suspects[i];

        any = any || guilty[i];
        if (guilty[i])
            status = blame(s, f->trial, x->instance, x->class_name, x->plugin, err);
        if (guilty[i] && !status && is_leaving(f, i))
            status = portolan_store_put_metadata(
                s, f->trial, &(struct portolan_name_value){PORTOLAN_STORE_KEPT, x->instance}, 1,
                err);
    }
    if (!any && f->has_end && !status) /* it is known that it was none of them */
        status = portolan_store_put_metadata(
            s, f->trial, &(struct portolan_name_value){PORTOLAN_STORE_BLAMED, ""}, 1, err);
    return status ? status : portolan_store_end_trial(s, f->trial, "failed", 0, err);
}

static enum portolan_status end_trial(struct portolan_store *s, const struct found *f,
                                      const char *reason, struct portolan_error *err)
{
    bool guilty[MOST_SUSPECTS], any = false;
    struct portolan_text why = {0};
    enum portolan_status status;

    find_guilty(f, guilty);
    for (size_t i = 0; i < f->n; i++)
        any = any || guilty[i];
    if (!any && !reason && strcmp(f->end.how, "signal") != 0 && strcmp(f->end.how, "limit") != 0)
        return PORTOLAN_OK; /* somebody stopped it, or it ended by itself */
    say_how(f, reason, &why);
    for (size_t i = 0; any && i < f->n; i++)
        if (guilty[i])
            portolan_text_add(&why, ", by %s [%s]", f->suspects[i].instance,
                              f->suspects[i].class_name);
    if (why.failed)
        return portolan_text_clear(&why), portolan_no_memory(err);
    if (!(status = portolan_store_begin(s, err)))
        status = put_blame(s, f, guilty, why.bytes, err);
    if (!status)
        status = portolan_store_commit(s, err);
    portolan_store_rollback(s);
    portolan_text_clear(&why);
    return status;
}

static enum portolan_status is_running(struct portolan_store *s, int64_t trial, bool *running,
                                       struct portolan_error *err)
{
    struct portolan_store_query query = {.trial = trial, .outcome = "running"};
    struct portolan_sample_set *set;
    enum portolan_status status = portolan_store_read(s, &query, false, &set, err);

    *running = !status && set->n_trials == 1;
    portolan_sample_set_destroy(set);
    return status;
}

/* If a rank has ended, or the caller knows that the job has, the process is about to be killed. */
static bool is_alive(const struct found *f, const char *reason)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    bool is_ending = reason || (f->has_end && strcmp(f->end.how, "slow") != 0);

    for (int i = 0; is_ending && i < MOST_PAUSES && note_start_of(f->pid) == f->start; i++)
        nanosleep(&pause, NULL);
    return note_start_of(f->pid) == f->start;
}

static enum portolan_status settle_one(struct portolan_store *s, const char *file,
                                       const char *reason, struct portolan_error *err)
{
    struct note_place here = note_place();
    enum portolan_status status = PORTOLAN_OK;
    bool running = false;
    struct found f;

    if (!read_note(file, reason, &f) || strcmp(f.place.host, here.host) != 0)
        return PORTOLAN_OK;
    if (!strcmp(f.place.boot, here.boot)) {
        if (is_alive(&f, reason))
            return PORTOLAN_OK;
        if (!(status = is_running(s, f.trial, &running, err)) && running)
            status = end_trial(s, &f, reason, err);
    }
    if (!status)
        unlink(file);
    return status;
}

enum portolan_status portolan_store_settle(struct portolan_store *s, const char *reason,
                                           struct portolan_error *err)
{
    char folder[PATH_MAX];
    DIR *d = note_folder(s->path, folder, sizeof folder) ? opendir(folder) : NULL;
    enum portolan_status status = PORTOLAN_OK;
    const struct dirent *e;

    if (d)
        portolan_store_set_patience(s, SETTLE_MS);
    while (!status && d && (e = readdir(d))) {
        char *file = *e->d_name == '.' ? NULL : portolan_asprintf("%s/%s", folder, e->d_name);

        if (file)
            status = settle_one(s, file, reason, err);
        free(file);
    }
    if (d) {
        portolan_store_set_patience(s, BUSY_MS);
        closedir(d);
        rmdir(folder); /* if none is left */
    }
    return status;
}

bool notes_exist(const char *path)
{
    char folder[PATH_MAX];

    return note_folder(path, folder, sizeof folder) && access(folder, F_OK) == 0;
}

bool notes_is_rebuilt(const char *plugin)
{
    const char *file = strchr(plugin, '/');
    char now[60];
    size_t length;

    if (!file || access(file, F_OK) != 0)
        return false; /* linked in, or not to be seen from here */
    note_identify(file, now, sizeof now);
    length = strlen(now);
    return strncmp(plugin, now, length) != 0 || plugin[length] != ' ';
}
