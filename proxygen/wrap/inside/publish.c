/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the probe's records into the shared file. */
#include "inside.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct wrap_area *inside_area;
uint64_t inside_began;

static int holder; /* thread that writes, 0: none */
static uint32_t next_handle = PORTOLAN_PROBE_HANDLE_OWN + 1;
static unsigned long long objects_known; /* objects ever loaded, when they were last logged */

/* By system call, since a child of vfork() shares all memory with its parent. */
bool inside_is_measured(void)
{
    return inside_area && inside_area->process == (int32_t)syscall(SYS_getpid);
}

/*
 * Not a mutex: a signal handler that calls _exit() may have interrupted the holder, and then must
 * not wait for itself.
 */
static bool begin_writing(void)
{
    const struct timespec rest = {0, 100000};
    int self = (int)syscall(SYS_gettid), nobody = 0;

    for (unsigned tries = 0; tries < 50000; tries++, nobody = 0) {
        if (__atomic_compare_exchange_n(&holder, &nobody, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
        if (nobody == self)
            return false;
        if (tries < 64)
            sched_yield();
        else
            nanosleep(&rest, NULL);
    }
    return false;
}

static void end_writing(void)
{
    __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ the log */

static char *reserve(struct wrap_area *a, size_t bytes)
{
    if (bytes > sizeof a->log - a->log_bytes) {
        a->log_is_full = 1;
        return NULL;
    }
    return (char *)a->log + a->log_bytes;
}

/* Adds an entry that consists of HEAD (may be NULL) and texts. */
static void append(enum wrap_entry_kind kind, const void *head, size_t head_bytes,
                   const char *const *texts, size_t n)
{
    struct wrap_area *a = inside_area;
    size_t bytes = sizeof(struct wrap_entry) + head_bytes;
    char *to;

    for (size_t i = 0; i < n; i++)
        bytes += strlen(texts[i]) + 1;
    bytes = (bytes + 7) & ~(size_t)7;
    to = reserve(a, bytes);
    if (!to)
        return;
    memcpy(to, &(struct wrap_entry){kind, (uint32_t)bytes}, sizeof(struct wrap_entry));
    to += sizeof(struct wrap_entry);
    if (head)
        memcpy(to, head, head_bytes);
    to += head_bytes;
    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, texts[i]) + 1;
    __atomic_store_n(&a->log_bytes, a->log_bytes + bytes, __ATOMIC_RELEASE);
}

void inside_log(enum wrap_entry_kind kind, const char *const *texts, size_t n)
{
    if (!inside_is_measured() || !begin_writing())
        return;
    append(kind, NULL, 0, texts, n);
    end_writing();
}

void inside_note(const char *format, ...)
{
    const char *texts[1];
    char text[1200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    texts[0] = text;
    inside_log(WRAP_NOTE, texts, 1);
}

static void append_method(const struct portolan_probe_method_info *m)
{
    const struct wrap_method head = {
        .handle = m->handle,
        .n_context = m->method.n_context,
        .real_contexts = m->method.real_contexts,
    };
    const char *texts[7 + PORTOLAN_PROBE_CONTEXTS] = {
        m->connection.user,     m->connection.uses,           m->connection.provider,
        m->connection.provides, m->connection.provider_class, m->connection.port_type,
        m->method.name,
    };

    for (unsigned i = 0; i < m->method.n_context; i++)
        texts[7 + i] = m->method.context[i];
    append(WRAP_METHOD, &head, sizeof head, texts, 7 + m->method.n_context);
}

/* Handles are consecutive. */
static void append_new_methods(void)
{
    const struct portolan_probe_method_info *m;

    while ((m = portolan_probe_method_peek(next_handle))) {
        append_method(m);
        next_handle++;
    }
}

/* ------------------------------------------------------------------ snapshots */

/* A slot that is neither the newest nor being read. */
static unsigned choose_slot(const struct wrap_area *a)
{
    uint64_t published = __atomic_load_n(&a->published, __ATOMIC_SEQ_CST);
    uint64_t reading = __atomic_load_n(&a->reading, __ATOMIC_SEQ_CST);
    unsigned slot = 0;

    while ((published && slot == (published & 3)) || slot == reading)
        slot++;
    return slot;
}

static void publish(struct wrap_area *a)
{
    unsigned number = choose_slot(a);
    struct wrap_slot *slot = &a->slots[number];
    struct portolan_probe_snapshot s = {
        .records = slot->records, .capacity = WRAP_RECORDS, .is_fixed = true};

    slot->is_cut = portolan_probe_snapshot_take(&s, NULL) != PORTOLAN_OK;
    slot->count = s.count;
    slot->threads = s.threads;
    slot->now_ns = s.now_ns;
    a->began_ns = portolan_probe_ticks_to_ns(inside_began);
    append_new_methods();
    __atomic_store_n(&a->published, ((a->published >> 2) + 1) << 2 | number, __ATOMIC_SEQ_CST);
}

static int append_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (strchr(info->dlpi_name, '/'))
        append(WRAP_OBJECT, NULL, 0, &info->dlpi_name, 1);
    return 0;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

void inside_log_objects(void)
{
    unsigned long long adds = 0;

    dl_iterate_phdr(count_objects, &adds);
    if (adds == objects_known || !inside_is_measured() || !begin_writing())
        return;
    objects_known = adds;
    dl_iterate_phdr(append_object, NULL);
    end_writing();
}

void inside_publish(void)
{
    int error = errno;

    if (inside_is_measured() && begin_writing()) {
        publish(inside_area);
        end_writing();
    }
    errno = error;
}

void inside_forget_writing(void)
{
    __atomic_store_n(&holder, 0,
                     __ATOMIC_RELEASE); /* the parent's thread that held it does not exist here */
    next_handle = PORTOLAN_PROBE_HANDLE_OWN + 1;
    objects_known = 0;
}

void inside_leave(enum wrap_state how)
{
    inside_write_profiles();
    inside_publish();
    if (inside_is_measured())
        __atomic_store_n(&inside_area->state, how, __ATOMIC_RELEASE);
}
