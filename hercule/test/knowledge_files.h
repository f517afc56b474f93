/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: knowledge from texts, written as files of a folder, and the problems reported. */
#ifndef TEST_KNOWLEDGE_FILES_H
#define TEST_KNOWLEDGE_FILES_H

#include <unit_test.h>

#include <portolan/hercule.h>

#include <unistd.h>

/* Collects each problem as "FILE:LINE:COLUMN: TEXT" without the folder, in one text. */
static inline void collect_problem(void *arg, const char *file, int line, int column,
                                   const char *text)
{
    const char *name = strrchr(file, '/');

    portolan_text_add(arg, "%s:%d:%d: %s\n", name ? name + 1 : file, line, column, text);
}

/* N pairs of file name and text, read after the knowledge that comes with Portolan; NULL when that
 * failed. */
static inline struct portolan_knowledge *knowledge_of(const char *const *files, size_t n,
                                                      struct portolan_text *problems)
{
    char folder[] = "/tmp/portolan-knowledge-XXXXXX";
    struct portolan_diagnostics d = {collect_problem, problems, 0};
    struct portolan_knowledge *knowledge = NULL;
    struct portolan_error err = {0};
    const char *const folders[] = {mkdtemp(folder)};
    enum portolan_status status;

    assert_non_null(folders[0]);
    for (size_t i = 0; i < n; i++) {
        char *path = portolan_asprintf("%s/%s", folder, files[2 * i]);

        assert_int_equal(
            portolan_replace_file(path, files[2 * i + 1], strlen(files[2 * i + 1]), &err),
            PORTOLAN_OK);
        free(path);
    }
    status = portolan_knowledge_read(folders, 1, &d, &knowledge, &err);
    assert_int_equal(status, d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK);
    assert_int_equal(!knowledge, d.count > 0);
    for (size_t i = 0; i < n; i++) {
        char *path = portolan_asprintf("%s/%s", folder, files[2 * i]);

        unlink(path);
        free(path);
    }
    rmdir(folder);
    return knowledge;
}

#endif
