/* SPDX-License-Identifier: BSD-3-Clause */
/* What unit tests share. */
#include "unit_test.h"

#include <ftw.h>
#include <unistd.h>

enum { PATH_BYTES = 500 };
char test_folder[PATH_BYTES - 200];

int test_folder_make(void **state)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(test_folder, sizeof test_folder, "%s/portolan-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(test_folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    return remove(path);
}

int test_folder_remove(void **state)
{
    return nftw(test_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *test_file(const char *name)
{
    static char paths[4][PATH_BYTES];
    static size_t next;
    char *path = paths[next++ % 4];

    snprintf(path, PATH_BYTES, "%s/%s", test_folder, name);
    return path;
}

static void add_line(struct heard *h, const char *format, ...)
{
    size_t used = strlen(h->text);
    va_list args;

    va_start(args, format);
    assert_in_range(vsnprintf(h->text + used, sizeof h->text - used, format, args), 0,
                    sizeof h->text - used - 1);
    va_end(args);
}

void hear(void *arg, const char *file, int line, int column, const char *text)
{
    struct heard *h = arg;
    const char *slash = strrchr(file, '/');

    if (!h->count++) {
        h->line = line;
        h->column = column;
        snprintf(h->first, sizeof h->first, "%s", text);
    }
    add_line(h, "%s:%d:%d: %s\n", slash ? slash + 1 : file, line, column, text);
}

void hear_log(void *arg, enum portolan_log_level level, const char *area, const char *text)
{
    struct heard *h = arg;

    if (level < h->level || strcmp(area, h->area))
        return;
    h->count++;
    add_line(h, "%s\n", text);
}

bool next_allocation_fails(unsigned long *n, int status)
{
    portolan_alloc_fail_at(0);
    if (status == PORTOLAN_OK)
        return false;
    assert_int_equal(status, PORTOLAN_ENOMEM);
    assert_true(*n < 1000000);
    portolan_alloc_fail_at(++*n);
    return true;
}
