/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue calibrate`: measures this machine, or two of a cluster, and writes a machine file.
 */
#include "clue.h"

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
#include <unistd.h>

struct calibrate_options {
    const char *output, *hostfile, *factor, *name, *samples;
    int seconds, cpus;
    bool has_no_check;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "the machine file to write", INTO(struct calibrate_options, output)},
    {"hostfile", 'f', "FILE",
     "measure between the first two hosts in FILE, which has one name per line",
     INTO(struct calibrate_options, hostfile)},
    {"seconds", 's', "N", "measure for about N seconds (default: 20)",
     INTO(struct calibrate_options, seconds), .least = 1, .most = 3600, .wanted = "1 to 3600"},
    {"cpus", 'c', "N", "processors of a host (default: those of this one)",
     INTO(struct calibrate_options, cpus), .least = 1, .most = 4096, .wanted = "1 to 4096"},
    {"factor", 0, "THERE:HERE",
     "the performance factor, from times of one program there and here: 13.1,13.4:10.2,10.3",
     INTO(struct calibrate_options, factor)},
    {"name", 0, "NAME", "name of the machine (default: that of the file)",
     INTO(struct calibrate_options, name)},
    {"samples", 0, "FILE", "do not measure; read the output of an earlier portolan-calibrate",
     INTO(struct calibrate_options, samples)},
    {"no-check", 0, NULL, "do not test the file with other communication patterns",
     INTO(struct calibrate_options, has_no_check)},
    {.key = CLI_END,
     .doc = "which machine file? name it with --output FILE",
     INTO(struct calibrate_options, output)},
    {0},
};

/* One calibration on its way. */
struct calibration_run {
    const struct calibrate_options *o;
    struct portolan_arena arena;
    const char *folder, *hosts[2];
    int n_hosts;
    struct clue_samples *between, *within;
    double factor, factor_error;
    struct clue_errors errors;
    struct portolan_error err;
};

/* ------------------------------------------------- programs */

/* Runs the program of the build or installation under mpiexec; what it prints is in *FILE. HOSTS:
 * with commas; NULL: here. */
static enum portolan_status run_ranks(struct calibration_run *c, const char *hosts,
                                      const char *program, const char *argument, const char **file)
{
    const char *beside = portolan_arena_printf(&c->arena, "../clue/calibrate/%s", program);
    const char *installed =
        portolan_arena_printf(&c->arena, "%s/%s", PORTOLAN_CLUE_PROGRAMS, program);
    struct portolan_words words = {0};
    char *path = NULL;
    enum portolan_status status;

    *file = portolan_arena_printf(&c->arena, "%s/%s.%s", c->folder, program, hosts ? "2" : "1");
    if (c->arena.failed)
        return portolan_no_memory(&c->err);
    if ((status = find_settings(beside, installed, &path, &c->err)))
        return status;
    if (!portolan_words_append(&c->arena, &words,
                               hosts ? PORTOLAN_WORDS(MPIEXEC, "-hosts", hosts, "-ppn", "1")
                                     : PORTOLAN_WORDS(MPIEXEC)) ||
        !portolan_words_append(&c->arena, &words, PORTOLAN_WORDS("-n", "2", path, argument)))
        status = portolan_no_memory(&c->err);
    else
        status = portolan_command_run(&c->arena, &words, *file, &c->err);
    free(path);
    return status;
}

static enum portolan_status launch(struct calibration_run *c, const char *hosts, int seconds,
                                   struct clue_samples **samples)
{
    const char *words = portolan_arena_printf(&c->arena, "%d", seconds), *file;
    enum portolan_status status = run_ranks(c, hosts, "portolan-calibrate", words, &file);

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

static enum portolan_status read_factor(struct calibration_run *c)
{
    double there, here, error_there = 0, error_here = 0;
    char *text, *rest;

    c->factor = 1;
    if (!c->o->factor)
        return PORTOLAN_OK;
    if (!(text = portolan_arena_strdup(&c->arena, c->o->factor)))
        return portolan_no_memory(&c->err);
    if ((rest = strchr(text, ':')))
        *rest++ = 0;
    there = rest ? median_of(text, &error_there) : 0;
    here = rest ? median_of(rest, &error_here) : 0;
    if (!(there > 0 && here > 0))
        return portolan_error_set(&c->err, PORTOLAN_EINVAL,
                                  "--factor %s: expected times of your program there and here, for "
                                  "instance 13.1,13.4:10.2,10.3",
                                  c->o->factor);
    c->factor = there / here;
    c->factor_error = c->factor * hypot(error_there, error_here);
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

/* Prints patterns that nothing was fitted to, in virtual time and real (medians of all runs). */
static void print_check(const struct clue_check *check, const struct clue_errors *found)
{
    const struct clue_samples *virtual = check->virtual;
    double errors[256], times[16];
    size_t n = 0;

    portolan_progress_done("measurements");
    printf("%-20s %10s %12s %12s %8s\n", "not fitted to", "bytes", "virtual", "real", "error");
    for (size_t i = 0; i < virtual->n && n < sizeof errors / sizeof *errors; i++) {
        const struct clue_sample *v = &virtual->sample[i];
        char here[32], there[32];
        size_t n_real = 0;
        double real;

        for (size_t k = 0; k < check->n_real; k++)
            if (i < check->real[k]->n && check->real[k]->sample[i].value > 0)
                times[n_real++] = check->real[k]->sample[i].value;
        if (!n_real || !(v->value > 0)) {
            printf("%-20s %10llu left out: three steps take longer than its part of --seconds\n",
                   v->kind, (unsigned long long)v->bytes);
            continue;
        }
        real = portolan_sort_to_median(n_real, times);
        printf("%-20s %10llu %12s %12s %+7.1f %%\n", v->kind, (unsigned long long)v->bytes,
               portolan_format_time(v->value, 4, there, sizeof there),
               portolan_format_time(real, 4, here, sizeof here), 100 * (v->value / real - 1));
        errors[n++] = 100 * fabs(v->value / real - 1);
    }
    printf("median error %.1f %%; for intervals: communication %.1f %%, computing %.1f %%\n",
           n ? portolan_sort_to_median(n, errors) : 0, 100 * found->communication,
           100 * found->computing);
}

/* COMPUTE: as of --compute. SECONDS: what the patterns may take; or NULL. */
static enum portolan_status run_virtually(struct calibration_run *c, const char *compute,
                                          const char *seconds, struct clue_samples **samples)
{
    const char *installed = PORTOLAN_CLUE_PROGRAMS "/portolan-patterns";
    const char *file = portolan_arena_printf(&c->arena, "%s/%s", c->folder, compute);
    struct portolan_words words = {0};
    char *path = NULL, *self = realpath("/proc/self/exe", NULL);
    enum portolan_status status =
        find_settings("../clue/calibrate/portolan-patterns", installed, &path, &c->err);

    if (!status && (!portolan_words_append(&c->arena, &words,
                                           PORTOLAN_WORDS(self, "clue", "run", "-m", c->o->output,
                                                          "-n", "2", "--no-trial", "--quiet",
                                                          "--compute", compute, "--", path)) ||
                    (seconds && !portolan_words_add(&c->arena, &words, seconds))))
        status = portolan_no_memory(&c->err);
    if (!status)
        status = portolan_command_run(&c->arena, &words, file, &c->err);
    if (!status)
        status = clue_samples_read(file, samples, &c->err);
    free(path);
    free(self);
    return status;
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
        status = run_ranks(c, hosts, "portolan-patterns", seconds, &file);
        if (!status)
            status = clue_samples_read(file, &real[i], &c->err);
    }
    done = (struct clue_check){(const struct clue_samples *const *)real, REAL_RUNS, simulated[0],
                               idle};
    if (!status && !clue_check_errors(&done, &c->errors))
        status = portolan_no_memory(&c->err);
    if (!status) {
        print_check(&done, &c->errors);
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
static void print_part(const struct calibration_run *c, size_t part)
{
    if (!c->o->samples)
        portolan_progress("measurements", part, 3, true);
}

static enum portolan_status calibrate(struct calibration_run *c)
{
    enum portolan_status status = read_hosts(c);

    if (!status)
        status = read_factor(c);
    if (!status && c->n_hosts > 1) {
        const char *hosts = portolan_arena_printf(&c->arena, "%s,%s", c->hosts[0], c->hosts[1]);

        print_part(c, 0);
        status = measure(c, hosts, &c->between);
    }
    if (!status && (c->n_hosts == 1 || c->o->cpus > 1)) {
        print_part(c, 1);
        status = measure(c, c->hosts[0], &c->within);
    }
    if (!status)
        status = write_file(c);
    if (!status && !c->o->has_no_check) {
        print_part(c, 2);
        status = check(c);
    }
    return status;
}

/* "here" of "out/here.xml". */
static const char *name_of(const char *path, struct portolan_arena *arena)
{
    const char *name = portolan_file_name(path);

    return portolan_arena_strndup(arena, name, strcspn(name, "."));
}

int command_clue_calibrate(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "-o FILE",
        .doc = "Measure the costs of messages, collective operations and busy processors on this "
               "machine, or between two, and write them to a machine file, portolan-machine(5).",
        .options = options,
    };
    struct calibrate_options o = {.seconds = 20};
    struct calibration_run c = {.o = &o};
    enum portolan_status status;

    parse_line(&line, argc, argv, 0, &o);
    if (!o.cpus)
        o.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (!o.name && !(o.name = name_of(o.output, &c.arena)))
        return print_error(&(struct portolan_error){PORTOLAN_ENOMEM, "out of memory"});
    c.folder = portolan_temporary_folder(&c.arena, &c.err);
    status = c.folder ? calibrate(&c) : c.err.status;
    if (c.folder)
        portolan_folder_remove(c.folder);
    clue_samples_destroy(c.between);
    clue_samples_destroy(c.within);
    portolan_arena_clear(&c.arena);
    return status ? print_error(&c.err) : 0;
}
