/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes of what runs, one file for each running trial. It is written, not synchronised: the text
 * survives the process, and if the machine goes down no class is to blame. Rank 0 writes the head,
 * always of the same size; the end of a rank is appended after it.
 *
 *     trial 12                           place HOST pid:[4026531836]
 *     process 4711 88123                 step 3
 *     boot 8c2b…                         memory 40320 51200
 *     class 2 solver heat.Band 18240 1790000000 /…/band.so      (standing, instance, class,
 * plug-in) end signal 11 0 solver=heat.Band
 *     grown 1 3 40320 51200                  (rank, step of its last swap, memory then and now)
 */
#include "internal.h"

#include <portolan/machine.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096 };

struct portolan_note {
    char *file;
    int fd, rank; /* fd -1 on other ranks than 0 */
    int step;
    bool has_end;   /* this rank has said that it is ending */
    bool has_grown; /* another rank than 0 has said so */
    char who[400];  /* the lines that stay */
    char *classes;
    long memory_first, memory_last;
};

/* ------------------------------------------------- this process and its place */

static void read_line(const char *file, char *line, size_t size)
{
    FILE *f = fopen(file, "re");

    line[0] = '\0';
    if (f && fgets(line, (int)size, f))
        line[strcspn(line, "\n")] = '\0';
    if (f)
        fclose(f);
}

struct note_place note_place(void)
{
    struct note_place p = {"", ""};
    char space[64] = "";
    struct utsname u;
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);

    space[n > 0 ? n : 0] = '\0';
    read_line("/proc/sys/kernel/random/boot_id", p.boot, sizeof p.boot);
    snprintf(p.host, sizeof p.host, "%s %s", uname(&u) ? "?" : u.nodename, space);
    return p;
}

unsigned long long note_start_of(long pid)
{
    enum { EXITING = 4 }; /* a flag of the kernel's */
    char file[40], line[1000];
    unsigned long long start = 0;
    unsigned long flags = 0;
    const char *after;
    char state = 'X';

    snprintf(file, sizeof file, "/proc/%ld/stat", pid);
    read_line(file, line, sizeof line);
    if (!(after = strrchr(line, ')')) ||
        sscanf(after + 1,
               " %c %*s %*s %*s %*s %*s %lu %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &state, &flags, &start) != 3)
        return 0;
    return state == 'Z' || state == 'X' || flags & EXITING ? 0 : start;
}

static long memory_kib(void)
{
    struct rusage used;

    return getrusage(RUSAGE_SELF, &used) ? 0 : used.ru_maxrss;
}

char *note_beside(const char *path, const char *what)
{
    char name[60];

    if (!*path || !strcmp(path, ":memory:"))
        return NULL;
    if (!portolan_store_is_server(path))
        return portolan_asprintf("%s.%s", path, what);
    snprintf(name, sizeof name, "%s-%016llx", what,
             (unsigned long long)portolan_hash(path, strlen(path), 0));
    return portolan_state_file(name);
}

bool note_folder(const char *path, char *folder, size_t size)
{
    char *file;
    bool fits;

    if (*path && strcmp(path, ":memory:") && !portolan_store_is_server(path)) /* without memory */
        return snprintf(folder, size, "%s.running", path) < (int)size;
    file = note_beside(path, "running");
    fits = file && snprintf(folder, size, "%s", file) < (int)size;
    free(file);
    return fits;
}

void note_identify(const char *library, char *text, size_t size)
{
    struct stat st = {0};

    if (!library || stat(library, &st))
        st = (struct stat){0};
    snprintf(text, size, "%lld %lld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
}

/* ------------------------------------------------- the process that runs */

static void write_head(struct portolan_note *n)
{
    char head[HEAD_BYTES + 1];
    int used = snprintf(head, sizeof head, "%sstep %d\nmemory %ld %ld\n%s", n->who, n->step,
                        n->memory_first, n->memory_last, n->classes ? n->classes : "");

    if (used < 0)
        return;
    if (used < HEAD_BYTES)
        memset(head + used, '\n', (size_t)(HEAD_BYTES - used));
    head[HEAD_BYTES - 1] = '\n';
    if (pwrite(n->fd, head, HEAD_BYTES, 0) != HEAD_BYTES)
        n->step = -1; /* a full disk: there is no note */
}

static enum portolan_status make_file(struct portolan_note *n, const char *folder, int64_t trial,
                                      struct portolan_error *err)
{
    struct note_place p = note_place();

    mkdir(folder, 0777);
    n->fd = open(n->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (n->fd < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", n->file, strerror(errno));
    snprintf(n->who, sizeof n->who, "trial %lld\nprocess %ld %llu\nboot %s\nplace %.250s\n",
             (long long)trial, (long)getpid(), note_start_of(getpid()), p.boot, p.host);
    n->memory_first = n->memory_last = memory_kib();
    write_head(n);
    return PORTOLAN_OK;
}

enum portolan_status portolan_note_open(const char *path, int64_t trial, int rank,
                                        struct portolan_note **note, struct portolan_error *err)
{
    char *shown = backend_display(path), folder[PATH_MAX];
    bool has_folder = shown && note_folder(shown, folder, sizeof folder);
    char *whole = has_folder && *folder != '/' ? realpath(".", NULL) : NULL;
    struct portolan_note *n = has_folder ? portolan_calloc(1, sizeof *n) : NULL;
    enum portolan_status status = PORTOLAN_OK;

    *note = NULL;
    if (n)
        *n = (struct portolan_note){.fd = -1,
                                    .rank = rank,
                                    .step = -1,
                                    .file = portolan_asprintf("%s%s%s/%lld", whole ? whole : "",
                                                              whole ? "/" : "", folder,
                                                              (long long)trial)};
    if (n && !n->file)
        status = portolan_no_memory(err);
    else if (n && rank == 0)
        status = make_file(n, folder, trial, err);
    free(shown);
    free(whole);
    if (status)
        portolan_note_close(n);
    else
        *note = n;
    return status;
}

void portolan_note_close(struct portolan_note *n)
{
    char *slash;

    if (!n)
        return;
    if (n->fd >= 0) {
        unlink(n->file);
        if ((slash = strrchr(n->file, '/')))
            *slash = '\0';
        rmdir(n->file); /* unless others are in it */
        close(n->fd);
    }
    free(n->file);
    free(n->classes);
    free(n);
}

static void append_line(const struct portolan_note *n, const char *line, size_t used)
{
    int fd = open(n->file, O_WRONLY | O_APPEND | O_CLOEXEC);

    if (fd >= 0 && write(fd, line, used) < 0)
        used = 0; /* what is not noted is as if it had been killed */
    if (fd >= 0)
        close(fd);
}

static void append_memory(const struct portolan_note *n)
{
    char line[120];

    append_line(n, line,
                (size_t)snprintf(line, sizeof line, "grown %d %d %ld %ld\n", n->rank, n->step,
                                 n->memory_first, n->memory_last));
}

/* Other ranks than 0 remember their memory before a swap. */
static void begin_growth(struct portolan_note *n, int step)
{
    n->step = step;
    n->memory_first = n->memory_last = memory_kib();
    if (n->has_grown)
        append_memory(n); /* with what runs now it has not */
    n->has_grown = false;
}

void portolan_note_put(struct portolan_note *n, int step, const struct portolan_running *running,
                       size_t count)
{
    struct portolan_text t = {0};
    char build[60];

    if (n && n->fd < 0)
        begin_growth(n, step);
    if (!n || n->fd < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct portolan_running *r = &running[i];

        if (r->standing == PORTOLAN_UNTRIED)
            n->memory_first = n->memory_last = memory_kib();
        note_identify(r->library, build, sizeof build);
        portolan_text_add(&t, "class %d %s %s %s %s\n", (int)r->standing, r->instance,
                          r->class_name, build, r->library ? r->library : "-");
    }
    free(n->classes);
    n->classes = t.failed ? NULL : t.bytes;
    n->step = step;
    write_head(n);
}

static size_t add_word(char *line, size_t used, size_t size, const char *word)
{
    while (*word && used + 2 < size)
        line[used++] = *word++;
    line[used++] = ' ';
    return used;
}

static size_t add_number(char *line, size_t used, size_t size, long number)
{
    char digits[24], *at = digits + sizeof digits - 1;
    unsigned long rest = number < 0 ? -(unsigned long)number : (unsigned long)number;

    *at = '\0';
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10));
    if (number < 0)
        *--at = '-';
    return add_word(line, used, size, at);
}

static void append(const struct portolan_note *n, const char *how, long number, int step,
                   const char *const *inside, size_t count)
{
    char line[1000];
    size_t used = 0, size = sizeof line;

    used = add_word(line, used, size, "end");
    used = add_word(line, used, size, how);
    used = add_number(line, used, size, number);
    used = add_number(line, used, size, n->rank);
    used = add_number(line, used, size, step);
    for (size_t i = 0; i < count && used + 80 < size; i++) {
        used = add_word(line, used, size, inside[2 * i]);
        line[used - 1] = '=';
        used = add_word(line, used, size, inside[2 * i + 1]);
    }
    line[used - 1] = '\n';
    append_line(n, line, used);
}

void portolan_note_end(struct portolan_note *n, const char *how, long number, int step,
                       const char *const *inside, size_t count)
{
    if (!n)
        return;
    n->has_end = true;
    append(n, how, number, step, inside, count);
}

void portolan_note_step(struct portolan_note *n)
{
    long now = n && n->memory_last > 0 ? memory_kib() : 0;

    if (n && n->has_end) { /* and has survived it */
        n->has_end = false;
        append(n, "alive", 0, n->step, NULL, 0);
    }
    if (now <= 0 || now < n->memory_last + n->memory_last / 4)
        return;
    n->memory_last = now;
    n->has_grown = true;
    if (n->fd >= 0)
        write_head(n);
    else
        append_memory(n);
}
