/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures this machine, or two of a cluster, makes a machine file of it, and checks the file with
 * patterns that nothing was fitted to. */
#include <portolan/clue_calibrate.h>
#include <portolan/command.h>
#include <portolan/machine.h>
#include <portolan/progress.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One calibration on its way. */
struct calibration_run {
    const struct clue_calibrate_options *o;
    struct portolan_text *report;
    struct portolan_arena arena;
    const char *folder, *hosts[2];
    int n_hosts;
    struct clue_samples *between, *within;
    double factor, factor_error;
    struct clue_errors errors;
    struct portolan_error err;
};

/* ------------------------------------------------- programs */

/* Runs PROGRAM on two ranks; what it prints is in *FILE. HOSTS: with commas; NULL: here. */
static enum portolan_status run_ranks(struct calibration_run *c, const char *hosts,
                                      const char *program, const char *argument, const char **file)
{
    struct portolan_words words = {0};

    *file = portolan_arena_printf(&c->arena, "%s/%s.%s", c->folder, portolan_file_name(program),
                                  hosts ? "2" : "1");
    if (c->arena.failed ||
        !portolan_words_append(&c->arena, &words,
                               hosts ? PORTOLAN_WORDS(c->o->mpiexec, "-hosts", hosts, "-ppn", "1")
                                     : PORTOLAN_WORDS(c->o->mpiexec)) ||
        !portolan_words_append(&c->arena, &words, PORTOLAN_WORDS("-n", "2", program, argument)))
        return portolan_no_memory(&c->err);
    return portolan_command_run(&c->arena, &words, *file, &c->err);
}

static enum portolan_status launch(struct calibration_run *c, const char *hosts, int seconds,
                                   struct clue_samples **samples)
{
    const char *words = portolan_arena_printf(&c->arena, "%d", seconds), *file;
    enum portolan_status status = run_ranks(c, hosts, c->o->measure, words, &file);

    return status ? status : clue_samples_read(file, samples, &c->err);
}

/* Several times, as programs are started anew each time: the medians. Where messages take so long
 * that a launch exceeds its share the place in memory does not matter: then once. */
static enum portolan_status measure(struct calibration_run *c, const char *hosts,
                                    struct clue_samples **samples)
{
    enum { LAUNCHES = 5, SLOW = 3 };
    int seconds = c->o->seconds / (c->n_hosts > 1 && c->o->cpus > 1 ? 2 : 1);
    int n = seconds < LAUNCHES ? 1 : LAUNCHES, share = seconds / n;
    struct clue_samples *all[LAUNCHES] = {NULL};
    enum portolan_status status = PORTOLAN_OK;
    time_t start = time(NULL);

    if (c->o->samples)
        return clue_samples_read(c->o->samples, samples, &c->err);
    for (int i = 0; i < n && !status; i++) {
        status = launch(c, hosts, share, &all[i]);
        if (!status && i == 0 && n > 1 && time(NULL) - start > SLOW * share + 1) {
            clue_samples_destroy(all[0]);
            all[0] = NULL;
            n = 1;
            status = launch(c, hosts, seconds, &all[0]);
        }
    }
    if (!status) {
        clue_samples_combine(all, (size_t)n);
        *samples = all[0];
        all[0] = NULL;
    }
    for (int i = 0; i < n; i++)
        clue_samples_destroy(all[i]);
    return status;
}

/* ------------------------------------------------- hosts, factor */

static enum portolan_status read_hosts(struct calibration_run *c)
{
    const char *bytes;
    char *text;
    size_t size;

    c->n_hosts = 1;
    if (!c->o->hostfile)
        return PORTOLAN_OK;
    if (portolan_file_read(&c->arena, c->o->hostfile, &bytes, &size, &c->err))
        return c->err.status;
    if (!(text = portolan_arena_strndup(&c->arena, bytes, size)))
        return portolan_no_memory(&c->err);
    c->n_hosts = 0;
    for (char *line; (line = strsep(&text, "\n"));) {
        line[strcspn(line, ":# \t")] = 0; /* mpiexec's: a number of ranks may follow */
        if (*line && c->n_hosts < 2)
            c->hosts[c->n_hosts] = line;
        c->n_hosts += *line != 0;
    }
    return c->n_hosts > 1
               ? PORTOLAN_OK
               : portolan_error_set(&c->err, PORTOLAN_EINVAL,
                                    "'%s' does not name two hosts; write one name per line",
                                    c->o->hostfile);
}

/* The median of times with commas between, and its relative error; 0: they are none. */
static double median_of(char *text, double *error)
{
    double times[256], sum = 0;
    size_t n = 0;

    for (char *word; (word = strsep(&text, ",")); n++)
        if (n == sizeof times / sizeof *times || !portolan_read_double(word, &times[n]) ||
            !(times[n] > 0))
            return 0;
    portolan_sort_to_median(n, times);
    for (size_t i = 0; i < n; i++)
        sum += fabs(times[i] / times[n / 2] - 1);
    *error = n > 1 ? 1.2533 * 1.2533 * sum / (double)n / sqrt((double)n) : 0;
    return portolan_median_of_sorted(n, times);
}

enum portolan_status clue_factor_read(const char *times, double *factor, double *error,
                                      struct portolan_error *err)
{
    double there, here, error_there = 0, error_here = 0;
    char *text = portolan_strdup(times), *rest;

    if (!text)
        return portolan_no_memory(err);
    if ((rest = strchr(text, ':')))
        *rest++ = 0;
    there = rest ? median_of(text, &error_there) : 0;
    here = rest ? median_of(rest, &error_here) : 0;
    free(text);
    if (!(there > 0 && here > 0))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "--factor %s: expected times of your program there and here, for "
                                  "instance 13.1,13.4:10.2,10.3",
                                  times);
    *factor = there / here;
    *error = *factor * hypot(error_there, error_here);
    return PORTOLAN_OK;
}

static enum portolan_status write_file(struct calibration_run *c)
{
    char processor[128], created[32];
    time_t now = time(NULL);
    struct tm utc;
    struct clue_calibration made = {.between = c->between,
                                    .within = c->within,
                                    .name = c->o->name,
                                    .created = created,
                                    .processor = processor,
                                    .n_hosts = c->n_hosts,
                                    .cpus = (unsigned)c->o->cpus,
                                    .factor = c->factor,
                                    .factor_error = c->factor_error,
                                    .errors = c->errors};
    enum portolan_status status;
    char *text = NULL;

    portolan_machine_processor(processor, sizeof processor);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    status = clue_calibration_write(&made, &text, &c->err);
    if (!status)
        status = portolan_replace_file(c->o->output, text, strlen(text), &c->err);
    free(text);
    return status;
}

/* ------------------------------------------------- the check */

/* COMPUTE: as of --compute. SECONDS: what the patterns may take; or NULL. */
static enum portolan_status run_virtually(struct calibration_run *c, const char *compute,
                                          const char *seconds, struct clue_samples **samples)
{
    const char *file = portolan_arena_printf(&c->arena, "%s/%s", c->folder, compute);
    struct portolan_words words = {0};
    enum portolan_status status;

    if (!file ||
        !portolan_words_append(&c->arena, &words,
                               PORTOLAN_WORDS(c->o->command, "clue", "run", "-m", c->o->output,
                                              "-n", "2", "--no-trial", "--quiet", "--compute",
                                              compute, "--", c->o->patterns)) ||
        (seconds && !portolan_words_add(&c->arena, &words, seconds)))
        return portolan_no_memory(&c->err);
    status = portolan_command_run(&c->arena, &words, file, &c->err);
    return status ? status : clue_samples_read(file, samples, &c->err);
}

/* The file gets the errors. */
static enum portolan_status check(struct calibration_run *c)
{
    enum { REAL_RUNS = 5, VIRTUAL_RUNS = 3 };
    struct clue_samples *real[REAL_RUNS] = {NULL}, *simulated[VIRTUAL_RUNS] = {NULL}, *idle = NULL;
    const char *hosts =
        c->n_hosts > 1 ? portolan_arena_printf(&c->arena, "%s,%s", c->hosts[0], c->hosts[1]) : NULL;
    struct clue_check done;
    const char *seconds =
        portolan_arena_printf(&c->arena, "%g", fmax((double)c->o->seconds / REAL_RUNS, 1));
    const char *file;
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; i < VIRTUAL_RUNS && !status; i++)
        status = run_virtually(c, "measured", seconds, &simulated[i]);
    if (!status)
        clue_samples_combine(simulated, VIRTUAL_RUNS);
    if (!status)
        status = run_virtually(c, "none", NULL, &idle); /* takes no time here */
    for (int i = 0; i < REAL_RUNS && !status; i++) {
        status = run_ranks(c, hosts, c->o->patterns, seconds, &file);
        if (!status)
            status = clue_samples_read(file, &real[i], &c->err);
    }
    done = (struct clue_check){(const struct clue_samples *const *)real, REAL_RUNS, simulated[0],
                               idle};
    if (!status && !clue_check_errors(&done, &c->errors))
        status = portolan_no_memory(&c->err);
    if (!status) {
        clue_check_add(&done, &c->errors, c->report);
        status = write_file(c);
    }
    for (int i = 0; i < REAL_RUNS; i++)
        clue_samples_destroy(real[i]);
    for (int i = 0; i < VIRTUAL_RUNS; i++)
        clue_samples_destroy(simulated[i]);
    clue_samples_destroy(idle);
    return status;
}

/* ------------------------------------------------- all of it */

/* PART of what calibrate() does next: between hosts, within one, the check. */
static void report_part(const struct calibration_run *c, size_t part)
{
    if (!c->o->samples)
        portolan_progress("measurements", part, 3, true);
}

static enum portolan_status calibrate(struct calibration_run *c)
{
    enum portolan_status status = read_hosts(c);

    c->factor = 1;
    if (!status && c->o->factor)
        status = clue_factor_read(c->o->factor, &c->factor, &c->factor_error, &c->err);
    if (!status && c->n_hosts > 1) {
        const char *hosts = portolan_arena_printf(&c->arena, "%s,%s", c->hosts[0], c->hosts[1]);

        report_part(c, 0);
        status = measure(c, hosts, &c->between);
    }
    if (!status && (c->n_hosts == 1 || c->o->cpus > 1)) {
        report_part(c, 1);
        status = measure(c, c->hosts[0], &c->within);
    }
    if (!status)
        status = write_file(c);
    if (!status && !c->o->has_no_check) {
        report_part(c, 2);
        status = check(c);
    }
    return status;
}

enum portolan_status clue_calibrate(const struct clue_calibrate_options *options, char **report,
                                    struct portolan_error *err)
{
    struct portolan_text text = {0};
    struct calibration_run c = {.o = options, .report = &text};
    enum portolan_status status;

    *report = NULL;
    c.folder = portolan_temporary_folder(&c.arena, &c.err);
    status = c.folder ? calibrate(&c) : c.err.status;
    portolan_progress_done("measurements");
    if (c.folder)
        portolan_folder_remove(c.folder);
    clue_samples_destroy(c.between);
    clue_samples_destroy(c.within);
    portolan_arena_clear(&c.arena);
    if (status)
        *err = c.err;
    if (text.length && portolan_text_take(&text, report, err) && !status)
        status = PORTOLAN_ENOMEM;
    portolan_text_clear(&text);
    return status;
}
