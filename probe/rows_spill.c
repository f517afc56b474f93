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
#include <sys/uio.h>
#include <unistd.h>

#define AT_ONCE 32 /* blocks in one write */

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

/* Some file systems have no files that are born without a name. */
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

/* Writes all of VECTOR at OFFSET. */
static bool write_all(struct iovec *vector, int n, uint64_t offset)
{
    while (n) {
        ssize_t done = pwritev(spill.fd, vector, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            note_trouble("rows cannot be written in", done ? errno : ENOSPC);
            return false;
        }
        offset += (uint64_t)done;
        for (; n && (size_t)done >= vector->iov_len; n--, vector++)
            done -= (ssize_t)vector->iov_len;
        if (n) {
            vector->iov_base = (char *)vector->iov_base + done;
            vector->iov_len -= (size_t)done;
        }
    }
    return true;
}

/* Some complete blocks of T, oldest first. False: there are none, or no room for them. */
static bool write_some(struct probe_thread *t)
{
    struct rows_chunk heads[AT_ONCE];
    struct iovec vector[2 * AT_ONCE];
    uint64_t bytes = 0, rows = 0;
    int n = 0;

    for (struct rows_block *b = rows_oldest(t); b && n < AT_ONCE && rows_is_complete(b);
         b = b->next, n++) {
        heads[n] = (struct rows_chunk){t->index, rows_bytes(b->filled) - b->read,
                                       rows_number(b->filled) - b->read_rows, 0};
        if (spill.end + bytes + sizeof heads[n] + heads[n].bytes > spill.limit) {
            snprintf(spill.trouble, sizeof spill.trouble,
                     "the file of rows in %s is full: %llu bytes are its limit",
                     folder_of(spill.folder), (unsigned long long)spill.limit);
            break;
        }
        vector[2 * n] = (struct iovec){&heads[n], sizeof heads[n]};
        vector[2 * n + 1] = (struct iovec){b->data + b->read, heads[n].bytes};
        bytes += sizeof heads[n] + heads[n].bytes;
        rows += heads[n].rows;
    }
    if (!n || !write_all(vector, 2 * n, spill.end))
        return false;
    spill.end += bytes;
    t->rows_spilled += rows;
    while (n--)
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
        while (write_some(t))
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

static bool read_all(void *to, size_t size)
{
    size_t got = 0;

    while (got < size) {
        ssize_t n = pread(spill.fd, (char *)to + got, size - got, (off_t)(spill.begin + got));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            note_trouble("rows cannot be read back in", n ? errno : EIO);
            return false;
        }
        got += (size_t)n;
    }
    spill.begin += size;
    return true;
}

bool rows_spill_read(struct rows_chunk *head, void *data, uint64_t *unreadable)
{
    if (spill.begin == spill.end) {
        if (spill.end)
            rows_spill_forget();
        return false;
    }
    if (read_all(head, sizeof *head) && head->bytes <= ROWS_DATA && read_all(data, head->bytes))
        return true;
    /* nothing is known of what follows */
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
