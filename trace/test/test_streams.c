/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams that are damaged: cut at every byte, with any byte changed, of several runs. Nothing may
 * crash, and what is read keeps what trace.h promises. Arguments: the corpus.
 */
#include <portolan/trace.h>
#include <portolan/trace_stream.h>

#include <dirent.h>
#include <unit_test.h>

#include <sys/stat.h>
#include <unistd.h>

static const char *corpus;
static char folder[64], problems[1024];
static unsigned n_read, n_refused;

static void note_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)file, (void)line, (void)column;
    snprintf(problems, sizeof problems, "%s", text);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    char path[128];
    FILE *f;

    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path); /* some file systems write at once what is truncated */
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static int remove_folder(void **state)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Checks what others rely on without looking. */
static void check_trace(const struct portolan_trace *t)
{
    size_t next = 0;

    for (size_t l = 0; l < t->n_locations; l++) {
        const struct portolan_trace_location *at = &t->locations[l];

        assert_int_equal(at->first, next);
        next += at->n;
        assert_in_range(at->rank, 0, t->n_ranks - 1);
        for (size_t i = at->first; i < next; i++) {
            const struct portolan_trace_event *e = &t->events[i];

            assert_true(e->kind < PORTOLAN_TRACE_KINDS);
            assert_true(e->ns >= 0 && (i == at->first || e->ns >= e[-1].ns));
            assert_true(e->peer >= PORTOLAN_TRACE_ANY && e->peer < t->n_ranks);
            assert_true(e->request <= t->n_events);
            if (e->kind == PORTOLAN_TRACE_BEGIN)
                assert_true(e->what < t->n_routines);
            if (e->kind == PORTOLAN_TRACE_SEND || e->kind == PORTOLAN_TRACE_COLLECTIVE)
                assert_true(e->what < t->n_comms);
        }
    }
    assert_int_equal(next, t->n_events);
}

/* Reads the folder, prints what there is, and counts. */
static void read_any(void)
{
    struct portolan_diagnostics d = {.report = note_problem};
    struct portolan_trace *t = NULL;
    struct portolan_text text = {0};
    struct portolan_error err = {0};

    if (portolan_trace_read(folder, &d, &t, &err)) {
        assert_null(t);
        assert_true(err.text[0]);
        n_refused++;
        return;
    }
    n_read++;
    check_trace(t);
    portolan_trace_print_tables(t, &text);
    for (size_t l = 0; l < t->n_locations; l++)
        for (size_t i = 0; i < t->locations[l].n; i++)
            portolan_trace_print_event(t, &t->locations[l], &t->events[t->locations[l].first + i],
                                       &text);
    assert_int_equal(portolan_trace_print_summary(t, &text, &err), PORTOLAN_OK);
    portolan_text_clear(&text);
    portolan_trace_destroy(t);
}

typedef void damage_fn(uint8_t *bytes, size_t size);

static void for_each_file(damage_fn *damage)
{
    DIR *d = opendir(corpus);
    struct dirent *entry;

    assert_non_null(d);
    while ((entry = readdir(d))) {
        char path[512];
        uint8_t *bytes = malloc(1 << 17);
        size_t size = 0;
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        f = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f) {
            size = fread(bytes, 1, 1 << 17, f);
            fclose(f);
            damage(bytes, size);
        }
        free(bytes);
    }
    closedir(d);
}

static void read_it(uint8_t *bytes, size_t size)
{
    write_file("0.0.trace", bytes, size);
    read_any();
}

static void files_of_the_corpus(void **state)
{
    n_read = n_refused = 0;
    for_each_file(read_it);
    assert_true(n_read >= 2);
    assert_true(n_refused >= 2);
}

static void cut_everywhere(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i<size; i += size> 8192 ? 97 : 1) {
        write_file("0.0.trace", bytes, i);
        read_any();
    }
}

static void files_cut_at_every_byte(void **state)
{
    for_each_file(cut_everywhere);
}

/* The block is made one that was not closed, so that no checksum keeps the damage away. */
static void change_every_byte(uint8_t *bytes, size_t size)
{
    uint32_t random = 1;

    if (size < sizeof(struct portolan_stream_header) || size > 8192)
        return;
    memset(bytes + offsetof(struct portolan_stream_header, bytes), 0, 4);
    for (size_t i = 0; i < size; i++) {
        uint8_t before = bytes[i];

        random = random * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(random & 0x10000 ? 0xff : random >> 24);
        write_file("0.0.trace", bytes, size);
        read_any();
        bytes[i] = before;
    }
}

static void files_with_any_byte_changed(void **state)
{
    n_read = 0;
    for_each_file(change_every_byte);
    assert_true(n_read > 500);
}

/* -- reports -- */

static struct portolan_trace *make_trace(void)
{
    struct portolan_trace *t = portolan_trace_create(2, "made");
    size_t send = portolan_trace_routine(t, "MPI_Send");

    for (int rank = 0; rank < 2; rank++)
        for (int i = 0; i < 8000; i++) {
            struct portolan_trace_event e = {
                .ns = 100 * i, .kind = PORTOLAN_TRACE_BEGIN, .what = send & 0xffffff};

            portolan_trace_add(t, rank, 0, &e);
            e = (struct portolan_trace_event){.ns = 100 * i,
                                              .kind = PORTOLAN_TRACE_SEND,
                                              .peer = 1 - rank,
                                              .tag = i,
                                              .bytes = 1000000};
            portolan_trace_add(t, rank, 0, &e);
            e = (struct portolan_trace_event){
                .ns = 100 * i + 50, .kind = PORTOLAN_TRACE_END, .what = send & 0xffffff};
            portolan_trace_add(t, rank, 0, &e);
        }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    return t;
}

static void damage_at(const char *name, long offset, uint8_t byte)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "r+");
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fputc(byte, f), byte);
    fclose(f);
}

static void damaged_blocks_are_told_and_left_out(void **state)
{
    struct portolan_diagnostics d = {.report = note_problem};
    struct portolan_trace *t = make_trace(), *again = NULL;
    struct portolan_error err = {0};
    size_t n_whole = t->n_events, n_gaps = 0;

    remove_folder(NULL);
    assert_int_equal(portolan_trace_write(t, folder, &err), PORTOLAN_OK);
    portolan_trace_destroy(t);
    problems[0] = '\0';
    damage_at("0.0.trace", 65536 + 1000, 0xff); /* it is in the older one of two blocks */
    assert_int_equal(portolan_trace_read(folder, &d, &again, &err), PORTOLAN_OK);
    assert_string_equal(problems, "wrong checksum in block 1");
    assert_true(again->locations[0].is_cut);
    assert_false(again->locations[1].is_cut);
    assert_int_equal(again->locations[1].n, n_whole / 2);
    assert_in_range(again->locations[0].n, 1000, n_whole / 2 - 1000);
    for (size_t i = 0; i < again->n_events; i++)
        n_gaps += again->events[i].kind == PORTOLAN_TRACE_GAP;
    assert_int_equal(n_gaps, 1);
    portolan_trace_destroy(again);
}

static void what_is_no_trace(void **state)
{
    struct portolan_trace *t = NULL;
    struct portolan_error err = {0};
    char path[128];

    remove_folder(NULL);
    assert_int_equal(portolan_trace_read(folder, NULL, &t, &err), PORTOLAN_ENOTFOUND);
    write_file("a.txt", (const uint8_t *)"hello", 5);
    err = (struct portolan_error){0};
    assert_int_equal(portolan_trace_read(folder, NULL, &t, &err), PORTOLAN_ESYNTAX);
    snprintf(path, sizeof path, "%s/a.txt", folder);
    err = (struct portolan_error){0};
    assert_int_equal(portolan_trace_read(path, NULL, &t, &err), PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "not a trace"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_corpus),
        cmocka_unit_test(files_cut_at_every_byte),
        cmocka_unit_test(files_with_any_byte_changed),
        cmocka_unit_test(damaged_blocks_are_told_and_left_out),
        cmocka_unit_test(what_is_no_trace),
    };

    corpus = argc > 1 ? argv[1] : "tests/fuzz/trace";
    snprintf(folder, sizeof folder, "/tmp/portolan-streams-%d", (int)getpid());
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
