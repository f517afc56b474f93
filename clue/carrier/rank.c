/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of ranks, one block for all. In it each rank has, one after the other: a page that
 * nobody may touch, its stack, its thread-locals and thread descriptor, its images. So that the C
 * library serves a rank as if it were a thread, its descriptor is a copy of that of the one thread
 * that runs them all.
 */
#include "apart.h"

#include <portolan/list.h>

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

/* Functions of glibc that have no header. */
struct thread_functions {
    void (*static_info)(size_t *size, size_t *align);
    void *(*allocate)(void *descriptor);
    void (*ctype)(void);
    const uint32_t *descriptor_bytes;
    const ptrdiff_t *rseq_offset;
};
static struct thread_functions glibc;

enum { ALIGN = 64 };
/* Parameters and structures of glibc's malloc. */
enum {
    HEAP_ALIGN = 64 << 20,
    NOT_OF_MAIN_HEAP = 4,
    MOST_HEAPS = 6000,
    MAPPED_BYTES = 16 << 20,
    MOST_MAPS = 1 << 16
};
/* Up to FEW_RANKS ranks have heaps as in processes of their own, and keep up to ALL_KEPT of freed
 * memory; heaps of more grow by a page. One heap for all begins with HEAP_OF_RANK for each. */
enum { FEW_RANKS = 64, ALL_KEPT = 1 << 30, HEAP_OF_RANK = 1 << 16 };

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

static enum portolan_status find_thread_functions(struct portolan_error *err)
{
    struct {
        const char *name;
        void **to;
    } wanted[] = {
        {"_dl_get_tls_static_info", (void **)&glibc.static_info},
        {"_dl_allocate_tls", (void **)&glibc.allocate},
        {"__ctype_init", (void **)&glibc.ctype},
        {"_thread_db_sizeof_pthread", (void **)&glibc.descriptor_bytes},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].to = dlsym(RTLD_DEFAULT, wanted[i].name)))
            return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                      "this C library has no %s, which ranks in one process need",
                                      wanted[i].name);
    glibc.rseq_offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
    return PORTOLAN_OK;
}

static enum portolan_status plan_memory(const struct carrier *c, struct program *p,
                                        struct portolan_error *err)
{
    size_t at, thread_bytes, align;

    glibc.static_info(&thread_bytes, &align);
    if ((size_t)p->set.tls_bytes > c->run->thread_local_bytes)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "'%s' and its libraries have %lld bytes of thread-local data, "
                                  "more than the %zu that fit",
                                  p->path, (long long)p->set.tls_bytes, c->run->thread_local_bytes);
    if (!TLS_IS_BELOW) /* glibc does not count it */
        thread_bytes += *glibc.descriptor_bytes;
    p->thread_bytes = round_up(thread_bytes + ALIGN, PAGE);
    at = p->images_at = PAGE + c->stack_bytes + p->thread_bytes;
    for (size_t i = 0; i < p->set.n; i++) {
        p->set.images[i].offset = at - p->images_at;
        at += p->set.images[i].span;
    }
    /* PAGE more than a power of two, or ranks would compete for the same places of the caches */
    p->stride = round_up(at, 2 * PAGE) + PAGE;
    return PORTOLAN_OK;
}

static void copy_descriptor(uint8_t *thread)
{
    size_t bytes = *glibc.descriptor_bytes, before = TLS_IS_BELOW ? 0 : bytes;

    memcpy(thread - before, (uint8_t *)__builtin_thread_pointer() - before, bytes);
}

/* Finds the part of THREAD's memory, from BEGIN to END, that this program does not need: most of
 * the room for thread-locals. */
static void find_unused(const struct carrier *c, const struct program *p, uint8_t *thread,
                        uint8_t **begin, uint8_t **end)
{
    size_t room = c->run->thread_local_bytes, used = (size_t)p->set.tls_bytes;

    *begin = TLS_IS_BELOW ? thread - room : thread + used;
    *end = TLS_IS_BELOW ? thread - used : thread + room;
    if (*end < *begin)
        *end = *begin;
}

/* Moves the vector of modules' thread-locals that point into SCRATCH. The vector's length is stored
 * before it, and its first word is a generation. */
static void move_vector(void **vector, const uint8_t *scratch, size_t bytes, ptrdiff_t by)
{
    for (size_t i = 1; i <= (size_t)vector[-2]; i++) {
        uint8_t *at = vector[2 * i];

        if (at >= scratch && at < scratch + bytes)
            vector[2 * i] = at + by;
    }
}

/*
 * Makes a thread pointer for a rank, in the BYTES before END. The C library clears all of the room
 * for thread-locals, which would take pages that most programs do not need; so it does that in one
 * scratch place, and what is needed is copied. Returns NULL without memory.
 */
static uint8_t *make_thread(const struct carrier *c, const struct program *p, uint8_t *end)
{
    static uint8_t *scratch;
    size_t locals, align, bytes = p->thread_bytes;
    uint8_t *thread, *unused, *used, *memory = end - bytes;
    void *vector;

    if (!scratch && !(scratch = aligned_alloc(PAGE, bytes)))
        return NULL;
    glibc.static_info(&locals, &align);
    thread = scratch + bytes - round_up(TLS_IS_BELOW ? *glibc.descriptor_bytes : locals, ALIGN);
    copy_descriptor(thread);
    if (!glibc.allocate(thread))
        return NULL;
    vector = ((void **)thread)[TLS_VECTOR_WORD];
    move_vector(vector, scratch, bytes, memory - scratch);
    find_unused(c, p, thread, &unused, &used);
    memcpy(memory, scratch, (size_t)(unused - scratch));
    memcpy(memory + (used - scratch), used, (size_t)(scratch + bytes - used));
    thread += memory - scratch;
    copy_descriptor(thread);
    if (TLS_IS_BELOW)
        ((void **)thread)[0] = ((void **)thread)[2] = thread;
    ((void **)thread)[TLS_VECTOR_WORD] = vector;
    if (glibc.rseq_offset) /* the kernel updates this for the real thread only */
        ((int32_t *)(thread + *glibc.rseq_offset))[1] = -2;
    return thread;
}

/* Writes the words of main() below END as the kernel does: count, arguments, environment, no
 * auxiliary vector. Returns their address. */
static uint8_t *write_arguments(char *const *words, uint8_t *end)
{
    size_t n = 0, n_env = 0, text = 0;
    char **word, *at;

    while (words[n])
        text += strlen(words[n++]) + 1;
    while (environ[n_env])
        n_env++;
    at = (char *)end - round_up(text, 16);
    word = (char **)at - round_up(n + n_env + 5, 2);
    end = (uint8_t *)word;
    *(uint64_t *)word++ = n;
    for (size_t i = 0; i < n; i++) {
        *word++ = strcpy(at, words[i]);
        at += strlen(at) + 1;
    }
    *word++ = NULL;
    for (size_t i = 0; i < n_env; i++)
        *word++ = environ[i];
    memset(word, 0, 3 * sizeof *word);
    return end;
}

/* Asks for large pages for the first part of the one heap of N ranks, since the processor caches
 * the translations of fewer pages than ranks have. */
static void ask_large_pages(size_t n)
{
    size_t bytes = n * HEAP_OF_RANK;
    uint8_t *room;

    mallopt(M_MMAP_MAX, 0); /* keeps ROOM within the heap, whose end it becomes when it is freed */
    room = malloc(bytes);
    if (room)
        madvise(room + PAGE - (uintptr_t)room % PAGE, bytes - PAGE, MADV_HUGEPAGE);
    free(room);
    mallopt(M_MMAP_MAX, MOST_MAPS);
}

/* Chooses between a heap for each rank and one for all. If the process does not count as
 * single-threaded, malloc() gives each thread a heap, and so each rank, until memory maps are used
 * up; then its data can be fetched, as measured bursts need. Otherwise one heap for all takes less
 * memory and fewer calls of the kernel. Memory that was given back to the kernel takes time when it
 * is used again: a few ranks give back what they would as processes, by malloc()'s own rules. */
static void give_heaps(const struct clue_run *run, int n)
{
    bool has_own = n <= MOST_HEAPS && clue_is_measured(run);

    __libc_single_threaded = !has_own;
    mallopt(M_ARENA_MAX, has_own ? n + 8 : 1);
    if (n <= FEW_RANKS)
        return;
    mallopt(M_TOP_PAD, has_own ? PAGE : MAPPED_BYTES);
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, has_own ? ALL_KEPT / n : ALL_KEPT);
    if (!has_own)
        ask_large_pages((size_t)n);
}

static void find_heap(struct rank *rank)
{
    void *volatile first = malloc(1);

    if (first && ((size_t *)first)[-1] & NOT_OF_MAIN_HEAP)
        rank->heap = (void *)((uintptr_t)first / HEAP_ALIGN * HEAP_ALIGN);
    free(first);
}

static void begin_rank(void)
{
    struct rank *rank = clue_carrier.current;

    glibc.ctype();
    find_heap(rank);
    clue_burst_begin(&clue_carrier);
    clue_enter(rank->top, (uint64_t)(uintptr_t)rank->base + rank->program->set.images[0].entry);
}

struct rank *clue_rank_add(struct carrier *c)
{
    struct rank *rank = portolan_calloc(1, sizeof *rank);

    if (!rank || !portolan_reserve(&c->ranks, &c->room_ranks, c->n_ranks + 1, sizeof rank) ||
        !portolan_reserve(&c->stands, &c->room_stands, c->n_ranks + 1, sizeof *c->stands)) {
        free(rank);
        return NULL;
    }
    rank->task = (int)c->n_ranks;
    rank->mask = c->mask;
    c->stands[rank->task] = (struct stand){0};
    return c->ranks[c->n_ranks++] = rank;
}

static enum portolan_status make_rank(struct carrier *c, const struct program *p, uint8_t *memory,
                                      char *const *words, struct portolan_error *err)
{
    struct rank *rank = clue_rank_add(c);
    size_t bytes = c->stack_bytes + p->thread_bytes;
    size_t warm = c->stack_bytes < 4 * PAGE ? c->stack_bytes : 4 * PAGE;
    uint8_t *thread;
    enum portolan_status status;

    if (!rank)
        return portolan_no_memory(err);
    rank->program = p;
    rank->base = memory + p->images_at;
    rank->stack = memory + PAGE;
    if (mprotect(rank->stack, bytes, PROT_READ | PROT_WRITE) != 0)
        return portolan_error_set(err, PORTOLAN_ENOMEM,
                                  "no room for the stack of rank %d (vm.max_map_count?)",
                                  rank->task);
    madvise(rank->base - p->thread_bytes - warm, warm, MADV_POPULATE_WRITE);
    thread = make_thread(c, p, rank->base);
    if (!thread)
        return portolan_no_memory(err);
    status = clue_images_copy(&p->set, rank->base, rank, thread, err);
    if (status)
        return status;
    clue_state_begin(rank);
    rank->top = write_arguments(words, rank->base - p->thread_bytes);
    clue_context_make(&rank->context, rank->top, thread, begin_rank);
    return PORTOLAN_OK;
}

enum portolan_status clue_ranks_make(struct carrier *c, const struct program *program,
                                     char *const *words, int n, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    uint8_t *memory;

    if (!glibc.ctype) {
        status = find_thread_functions(err);
        c->stack_bytes = round_up(c->run->stack_bytes, PAGE);
        clue_context_begin();
        give_heaps(c->run, n);
    }
    if (!status && !program->stride)
        status = plan_memory(c, (struct program *)program, err);
    if (status)
        return status;
    memory = mmap(NULL, (size_t)n * program->stride, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return portolan_no_memory(err);
    for (int i = 0; i < n && !status; i++)
        status = make_rank(c, program, memory + (size_t)i * program->stride, words, err);
    return status;
}

void clue_ranks_drop(struct carrier *c, size_t n)
{
    while (c->n_ranks > n) {
        struct rank *rank = c->ranks[--c->n_ranks];

        clue_timers_end(rank);
        clue_state_end(rank);
        apart_free(rank);
        free(rank->handlers);
        free(rank->environment);
        free(rank->folder);
        free(rank);
    }
}

void clue_ranks_free(struct carrier *c)
{
    clue_ranks_drop(c, 0);
    free(c->folder);
    free(c->ranks);
    free(c->stands);
    c->ranks = NULL;
    c->stands = NULL;
    c->room_stands = c->room_ranks = 0;
}
