/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads records of runs. */
#include "operation_forms.h"
#include "record.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

uint64_t record_long_number(struct record_reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
        value |= (uint64_t)(*r->at & 0x7f) << shift;
        if (!(*r->at++ & 0x80))
            return value;
    }
    r->at = r->end;
    return value;
}

uint64_t record_skip(struct record_reader *r, uint64_t kind)
{
    const struct operation_form *form = &operation_forms[kind < OPERATIONS_RECORDED ? kind : 0];
    uint64_t bytes = 0;

    for (int i = 0; i < form->n_fields; i++) {
        uint64_t value = record_number(r), left = (uint64_t)(r->end - r->at);

        if (kind == OPERATION_SEND &&
            form->fields[i].offset == offsetof(struct operation, send.bytes))
            bytes = value;
        if (form->fields[i].kind == FIELD_EVENT)
            r->at += value < left ? value : left;
        if (form->fields[i].kind == FIELD_REQUESTS || form->fields[i].kind == FIELD_AWAITED)
            for (; value && r->at < r->end; value--)
                record_number(r);
    }
    return bytes;
}

static char *read_word(struct record_reader *r, struct record *record)
{
    uint64_t length = record_number(r);
    const char *begin = (const char *)r->at;

    if (length > (uint64_t)(r->end - r->at))
        return NULL;
    r->at += length;
    return portolan_arena_strndup(&record->arena, begin, length);
}

/* Allocates room for *N items, a number that is read here, and for a last one of zeros. Each item
 * takes a byte of the file at least. Returns NULL if the record is damaged. */
static void *read_array(struct record_reader *r, struct record *record, size_t size, size_t *n)
{
    *n = record_number(r);
    return *n <= (size_t)(r->end - r->at) ? portolan_arena_alloc(&record->arena, *n + 1, size)
                                          : NULL;
}

static bool read_members(struct record_reader *r, struct record *record, int *n,
                         const int **members)
{
    size_t count;
    int *to = read_array(r, record, sizeof *to, &count);

    *members = to;
    *n = (int)count;
    for (size_t i = 0; to && i < count; i++)
        to[i] = (int)record_number(r);
    return to != NULL;
}

struct portolan_mpi_comm *record_comm_with_neighbours(struct record_reader *r,
                                                      const struct portolan_mpi_comm *comm,
                                                      const uint8_t *end)
{
    uint64_t n = record_number(r);
    struct portolan_mpi_comm *own = NULL;
    int *list;

    if (n <= (uint64_t)(end - r->at))
        own = portolan_calloc(1, sizeof *own + n * sizeof *list);
    if (!own)
        return NULL;
    list = (int *)(own + 1);
    for (uint64_t i = 0; i < n; i++)
        list[i] = (int)record_number(r);
    *own = *comm;
    own->n_neighbours = (int)n;
    own->neighbours = list;
    return own;
}

/* Reads the communicators or (IS_WINDOW) windows. */
static bool read_comms(struct record_reader *r, struct record *record, bool is_window)
{
    size_t n;
    struct portolan_mpi_comm *comm = read_array(r, record, sizeof *comm, &n);

    record->comms[is_window] = comm;
    record->n_comms[is_window] = n;
    for (size_t i = 0; comm && i < n; i++, comm++) {
        *comm = (struct portolan_mpi_comm){.id = record_number(r), .is_window = is_window};
        if (!read_members(r, record, &comm->n_members, &comm->members) ||
            !read_members(r, record, &comm->n_remote, &comm->remote))
            return false;
    }
    return comm != NULL;
}

static bool read_operations(struct record_reader *r, struct record_reader *to)
{
    uint64_t length = record_number(r);

    if (length > (uint64_t)(r->end - r->at))
        return false;
    *to = (struct record_reader){r->at, r->at + length};
    r->at += length;
    return true;
}

static bool read_rank(struct record_reader *r, struct record *record, struct record_rank *rank)
{
    if (!read_operations(r, &rank->own))
        return false;
    rank->schedules = read_array(r, record, sizeof *rank->schedules, &rank->n_schedules);
    for (size_t i = 0; rank->schedules && i < rank->n_schedules; i++)
        if (!read_operations(r, &rank->schedules[i]))
            return false;
    return rank->schedules != NULL;
}

static bool read_record(struct record_reader *r, struct record *record)
{
    uint64_t n = record_number(r);
    size_t n_words;

    record->n_depends = record_number(r);
    record->words = read_array(r, record, sizeof *record->words, &n_words);
    if (!record->words || n < 1 || n > (uint64_t)(r->end - r->at) || n_words < 1)
        return false;
    record->n = (int)n;
    for (size_t i = 0; i < n_words; i++)
        if (!(record->words[i] = read_word(r, record)))
            return false;
    record->routines = read_array(r, record, sizeof *record->routines, &record->n_routines);
    for (size_t i = 0; record->routines && i < record->n_routines; i++) {
        record->routines[i].number = record_number(r) ? CLUE_NO_NUMBER : (uint32_t)i;
        if (!(record->routines[i].name = read_word(r, record)))
            return false;
    }
    record->contexts = read_array(r, record, sizeof *record->contexts, &record->n_contexts);
    for (size_t i = 0; record->contexts && i < record->n_contexts; i++)
        record->contexts[i] = record_number(r);
    if (!record->routines || !record->contexts || !read_comms(r, record, false) ||
        !read_comms(r, record, true))
        return false;
    record->ranks = portolan_arena_alloc(&record->arena, n, sizeof *record->ranks);
    for (uint64_t i = 0; record->ranks && i < n; i++)
        if (!read_rank(r, record, &record->ranks[i]))
            return false;
    return record->ranks != NULL;
}

bool record_is_at(const char *path)
{
    char begin[sizeof RECORD_MAGIC] = "";
    FILE *file = fopen(path, "rbe");
    bool is_record = file && fread(begin, 1, sizeof begin - 1, file) == sizeof begin - 1 &&
                     strcmp(begin, RECORD_MAGIC) == 0;

    if (file)
        fclose(file);
    return is_record;
}

enum portolan_status record_read(const char *path, struct record *record,
                                 struct portolan_error *err)
{
    struct record_reader reader;

    *record = (struct record){0};
    record->bytes = portolan_file_map(path, &record->n_bytes);
    if (!record->bytes)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read", path);
    madvise((void *)record->bytes, record->n_bytes, MADV_POPULATE_READ); /* most is used soon */
    reader = (struct record_reader){record->bytes, record->bytes + record->n_bytes};
    if (!record_is_at(path))
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "'%s' is not a record; make one with portolan clue run --record",
                                  path);
    reader.at += strlen(RECORD_MAGIC);
    return read_record(&reader, record)
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is damaged; record it again",
                                    path);
}

void record_clear(struct record *record)
{
    portolan_arena_clear(&record->arena);
    munmap((void *)record->bytes, record->n_bytes);
    *record = (struct record){0};
}
