/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows on disk: a file without a name, and the thread that writes it when memory runs short. */
#include "rows_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int fd; /* -1: none yet */
    uint64_t limit, begin, end;
    char *folder;
    char trouble[256];
    bool has_writer, asked, is_ready;
    sem_t wake;
} spill = {.fd = -1, .limit = PORTOLAN_PROBE_ROWS_SPILL};

/* ------------------------------------------------- the file */

static const char *folder_of(const char *folder)
{
    const char *environment = getenv("TMPDIR");

    if (folder)
        return folder;
    return environment && *environment ? environment : "/tmp";
}

/* Some file systems cannot make files without a name. */
static int open_file(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    char *path;

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    path = portolan_asprintf("%s/portolan-rows-XXXXXX", folder);
    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static void note_trouble(const char *what, int error)
{
    snprintf(spill.trouble, sizeof spill.trouble, "%s %s: %s", what, folder_of(spill.folder),
             strerror(error));
}

enum portolan_status rows_spill_configure(uint64_t limit, const char *folder,
                                          struct portolan_error *err)
{
    char *copy = NULL;
    int fd = -1;

    if (folder && !(copy = portolan_strdup(folder)))
        return portolan_no_memory(err);
    if (limit) {
        fd = open_file(folder_of(folder));
        if (fd < 0) {
            int error = errno;

            free(copy);
            return portolan_error_set(err, PORTOLAN_EIO,
                                      "no file for rows in %s: %s; set TMPDIR to a folder that "
                                      "exists, or the Mastermind's rows.spill=0",
                                      folder_of(folder), strerror(error));
        }
    }
    if (spill.fd >= 0)
        close(spill.fd);
    free(spill.folder);
    spill.fd = fd;
    spill.folder = copy;
    spill.limit = limit;
    spill.begin = spill.end = 0;
    spill.trouble[0] = '\0';
    return PORTOLAN_OK;
}

/* Writes (OUT) or reads all of BYTES at *AT, which moves on. */
static bool move_bytes(bool out, void *bytes, size_t size, uint64_t *at)
{
    for (size_t done = 0; done < size;) {
        void *left = (char *)bytes + done;
        ssize_t n = out ? pwrite(spill.fd, left, size - done, (off_t)(*at + done))
                        : pread(spill.fd, left, size - done, (off_t)(*at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            note_trouble(out ? "rows cannot be written in" : "rows cannot be read back in",
                         n     ? errno
                         : out ? ENOSPC
                               : EIO);
            return false;
        }
        done += (size_t)n;
    }
    *at += size;
    return true;
}

/* The oldest block of T, if it is complete. False: it is not, or there is no room for it. */
static bool write_oldest(struct probe_thread *t)
{
    struct rows_block *b = rows_oldest(t);
    uint64_t end = spill.end;
    struct rows_chunk head;

    if (!b || !rows_is_complete(b))
        return false;
    head = (struct rows_chunk){t->index, rows_bytes(b->filled) - b->read,
                               rows_number(b->filled) - b->read_rows, 0};
    if (end + sizeof head + head.bytes > spill.limit) {
        snprintf(spill.trouble, sizeof spill.trouble,
                 "the file of rows in %s is full: %llu bytes are its limit",
                 folder_of(spill.folder), (unsigned long long)spill.limit);
        return false;
    }
    if (!move_bytes(true, &head, sizeof head, &end) ||
        !move_bytes(true, b->data + b->read, head.bytes, &end))
        return false;
    spill.end = end;
    t->rows_spilled += head.rows;
    rows_release_oldest(t);
    return true;
}

static void write_blocks(void)
{
    if (!spill.limit)
        return;
    if (spill.fd < 0 && (spill.fd = open_file(folder_of(spill.folder))) < 0) {
        note_trouble("no file for rows in", errno);
        return;
    }
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        while (write_oldest(t))
            ;
}

uint64_t probe_rows_spill_now(void)
{
    uint64_t rows = 0;

    pthread_mutex_lock(&probe_rows_lock);
    write_blocks();
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        rows += t->rows_spilled;
    pthread_mutex_unlock(&probe_rows_lock);
    return rows;
}

bool rows_spill_read(struct rows_chunk *head, void *data, uint64_t *unreadable)
{
    if (spill.begin == spill.end) {
        if (spill.end)
            rows_spill_forget();
        return false;
    }
    if (move_bytes(false, head, sizeof *head, &spill.begin) && head->bytes <= ROWS_DATA &&
        move_bytes(false, data, head->bytes, &spill.begin))
        return true;
    /* what follows cannot be found */
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t)) {
        *unreadable += t->rows_spilled;
        t->rows_wanted -= t->rows_wanted < t->rows_spilled ? t->rows_wanted : t->rows_spilled;
        t->rows_spilled = 0;
    }
    rows_spill_forget();
    return false;
}

void rows_spill_forget(void)
{
    if (spill.fd >= 0 && spill.end && ftruncate(spill.fd, 0) != 0)
        note_trouble("the file of rows cannot be emptied in", errno);
    spill.begin = spill.end = 0;
}

/* ------------------------------------------------- the thread */

static void *writer(void *unused)
{
    (void)unused;
    for (;;) {
        while (sem_wait(&spill.wake) != 0)
            ;
        __atomic_store_n(&spill.asked, false, __ATOMIC_RELEASE);
        pthread_mutex_lock(&probe_rows_lock);
        write_blocks();
        pthread_mutex_unlock(&probe_rows_lock);
    }
    return NULL;
}

void rows_spill_start(void)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;

    if (!spill.limit || spill.has_writer)
        return;
    if (!spill.is_ready)
        sem_init(&spill.wake, 0, 0);
    spill.is_ready = true;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    spill.has_writer = pthread_create(&thread, &attr, writer, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!spill.has_writer)
        note_trouble("no thread to write rows in", EAGAIN);
}

void rows_spill_ask(void)
{
    if (!__atomic_exchange_n(&spill.asked, true, __ATOMIC_ACQ_REL))
        sem_post(&spill.wake);
}

void rows_spill_abandon(void)
{
    if (spill.fd >= 0)
        close(spill.fd);
    spill.fd = -1;
    spill.begin = spill.end = 0;
    spill.has_writer = spill.is_ready = spill.asked = false;
    spill.trouble[0] = '\0';
}

void rows_spill_trouble(char *text, size_t size)
{
    snprintf(text, size, "%s", spill.trouble);
}
