/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs rules in a process of their own, whose memory and time are limited, since matching their
 * conditions may take both without end before the first rule fires. The process sends its
 * conclusions.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <portolan/block.h>

#include "diagnosis.h"

enum { DEFAULT_SECONDS = 10, DEFAULT_MIB = 256 };

/* Packs or unpacks what the process sends. */
static void carry(struct portolan_block *b, enum portolan_status *status, const char **text,
                  struct conclusion *conclusions, size_t n)
{
    portolan_block_carry(b, status, sizeof *status);
    portolan_block_carry_text(b, text);
    for (size_t i = 0; i < n; i++) {
        struct conclusion *c = &conclusions[i];
        bool has_rule = c->rule, has_why = c->why;

        portolan_block_carry(b, &c->is_reached, sizeof c->is_reached);
        portolan_block_carry(b, &c->holds, sizeof c->holds);
        portolan_block_carry(b, &c->request, sizeof c->request);
        portolan_block_carry(b, &has_rule, sizeof has_rule);
        portolan_block_carry(b, &has_why, sizeof has_why);
        portolan_block_carry_text(b, &c->rule);
        portolan_block_carry_text(b, &c->why);
        c->rule = has_rule ? c->rule : NULL;
        c->why = has_why ? c->why : NULL;
    }
}

static void set_limit(int resource, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(resource, &limit);
    }
}

/* Limits this process to so much more memory than it has, and to so much time. */
static void limit_process(int seconds, int mib)
{
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long data = 0;

    if (f && fscanf(f, "%*u %*u %*u %*u %*u %lu", &data) == 1)
        set_limit(RLIMIT_DATA, (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20));
    if (f)
        fclose(f);
    signal(SIGXCPU, infer_end);
    set_limit(RLIMIT_CPU, (rlim_t)seconds);
    set_limit(RLIMIT_CORE, 0);
}

static void conclude_and_exit(int to, const struct paradigm *p, const struct judged *metrics,
                              struct conclusion *conclusions, struct portolan_arena *arena)
{
    struct portolan_error err = {0};
    struct portolan_block b = {0};
    const char *text = err.text;
    enum portolan_status status;
    void *bytes = NULL;
    size_t size = 0;

    status = infer_here(p, metrics, conclusions, arena, &err);
    carry(&b, &status, &text, conclusions, p->n_nodes);
    if (status != PORTOLAN_ENOMEM && portolan_block_take(&b, &bytes, &size, NULL) == PORTOLAN_OK)
        portolan_write_all(to, bytes, size);
    _exit(0); /* skips the exit handlers of the process from which this one was forked */
}

/* Receives all bytes of FROM, in the arena. */
static enum portolan_status receive(int from, struct portolan_arena *arena,
                                    struct portolan_text *all, struct portolan_error *err)
{
    char bytes[4096];
    ssize_t n;

    all->arena = arena;
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            portolan_text_add_bytes(all, bytes, (size_t)n);
    return all->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status take(struct portolan_text *all, int seconds, int mib,
                                 const struct paradigm *p, size_t blamed,
                                 struct conclusion *conclusions, struct portolan_error *err)
{
    struct portolan_block b;
    enum portolan_status status = PORTOLAN_OK;
    const char *text = "";

    if (!all->length) {
        const struct item *item = blamed < p->n_rules ? &p->rules[blamed].item : &p->item;

        portolan_error_set(
            err, PORTOLAN_EINVAL,
            "%s '%s' need more than %d s or %d MiB; --rule-seconds and --rule-memory "
            "set other limits",
            item == &p->item ? "the rules of" : "the conditions of rule", item->name, seconds, mib);
        return infer_blame(p, blamed, err);
    }
    portolan_block_open(&b, all->bytes, all->length);
    carry(&b, &status, &text, conclusions, p->n_nodes);
    if (portolan_block_finish(&b, err) != PORTOLAN_OK)
        return err ? err->status : PORTOLAN_EINTERNAL;
    return status ? portolan_error_set(err, status, "%s", text) : PORTOLAN_OK;
}

enum portolan_status paradigm_infer(const struct paradigm *p, const struct judged *metrics,
                                    struct conclusion *conclusions, struct portolan_arena *arena,
                                    struct portolan_error *err)
{
    int seconds = p->rule_seconds ? p->rule_seconds : DEFAULT_SECONDS;
    int mib = p->rule_mib ? p->rule_mib : DEFAULT_MIB, ends[2], ended = 0;
    struct portolan_text all = {0};
    enum portolan_status status;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make a pipe: %s", strerror(errno));
    child = fork();
    if (child == 0) {
        limit_process(seconds, mib);
        conclude_and_exit(ends[1], p, metrics, conclusions, arena);
    }
    close(ends[1]);
    status = child < 0 ? portolan_error_set(err, PORTOLAN_EIO, "cannot start a process: %s",
                                            strerror(errno))
                       : receive(ends[0], arena, &all, err);
    close(ends[0]);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return status
               ? status
               : take(&all, seconds, mib, p,
                      WIFEXITED(ended) ? WEXITSTATUS(ended) - 1u : HERCULE_NONE, conclusions, err);
}
