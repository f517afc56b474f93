/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports into texts and into files that are whole or not there. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers have a point whatever the program's locale is. */
static enum portolan_status emit(const struct portolan_cll_report *report,
                                 enum portolan_cll_form form, struct report_sink *sink,
                                 struct portolan_error *err)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;

    if (!plain)
        return portolan_no_memory(err);
    before = uselocale(plain);
    report_write(report, form == PORTOLAN_CLL_JSON, sink);
    uselocale(before);
    freelocale(plain);
    report_sink_drain(sink, true);
    return sink->text.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status portolan_cll_report_write(const struct portolan_cll_report *report,
                                               enum portolan_cll_form form, char **text,
                                               struct portolan_error *err)
{
    struct report_sink sink = {.fd = -1};
    enum portolan_status status = emit(report, form, &sink, err);

    *text = NULL;
    if (status == PORTOLAN_OK)
        status = portolan_text_take(&sink.text, text, err);
    portolan_text_clear(&sink.text);
    return status;
}

/* ------------------------------------------------------------------ files */

static enum portolan_status cannot_write(const char *path, int error, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(error));
}

/* The report through FD, which is closed. */
static enum portolan_status pour(const struct portolan_cll_report *report,
                                 enum portolan_cll_form form, int fd, const char *path,
                                 struct portolan_error *err)
{
    struct report_sink sink = {.fd = fd};
    enum portolan_status status = emit(report, form, &sink, err);

    portolan_text_clear(&sink.text);
    if (close(fd) != 0 && !sink.error)
        sink.error = errno;
    if (status == PORTOLAN_OK && sink.error)
        status = cannot_write(path, sink.error, err);
    return status;
}

/* PATH with NUMBER before its ending. */
static char *numbered(const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *dot = strrchr(name, '.');
    int stem;

    if (!number)
        return portolan_strdup(path);
    if (!dot || dot == name)
        return portolan_asprintf("%s.%u", path, number);
    stem = (int)(dot - path);
    return portolan_asprintf("%.*s.%u%s", stem, path, number, dot);
}

/* Gives the finished file at TEMPORARY the name NAME unless that exists: 0, or errno. */
static int give_name(const char *temporary, const char *name)
{
    int fd;

    if (link(temporary, name) == 0)
        return 0;
    if (errno == EEXIST)
        return EEXIST;
    /* a file system without links: the name is taken first, and filled at once */
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    close(fd);
    if (rename(temporary, name) == 0)
        return 0;
    fd = errno;
    unlink(name);
    return fd;
}

/* The first free name; TEMPORARY is gone then, or stays where there was an error. */
static enum portolan_status settle(const char *temporary, const char *path, bool overwrite,
                                   struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    int error = EEXIST;

    for (unsigned number = 0; error == EEXIST; number++) {
        char *name = numbered(path, number);

        if (!name)
            return portolan_no_memory(err);
        if (overwrite)
            error = rename(temporary, name) == 0 ? 0 : errno == EEXIST ? EIO : errno;
        else
            error = give_name(temporary, name);
        if (error && error != EEXIST)
            status = cannot_write(name, error, err);
        free(name);
    }
    return status;
}

static enum portolan_status save_new(const struct portolan_cll_report *report,
                                     enum portolan_cll_form form, const char *path, bool overwrite,
                                     struct portolan_error *err)
{
    static unsigned serial;
    char *temporary = portolan_asprintf("%s.%ld.%u.new", path, (long)getpid(),
                                        __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    enum portolan_status status;
    int fd;

    if (!temporary)
        return portolan_no_memory(err);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = cannot_write(path, errno, err);
    } else {
        status = pour(report, form, fd, path, err);
        if (status == PORTOLAN_OK)
            status = settle(temporary, path, overwrite, err);
        unlink(temporary);
    }
    free(temporary);
    return status;
}

enum portolan_status portolan_cll_report_save(const struct portolan_cll_report *report,
                                              enum portolan_cll_form form, const char *path,
                                              bool overwrite, struct portolan_error *err)
{
    struct stat is;
    int fd;

    if (stat(path, &is) != 0 || S_ISREG(is.st_mode))
        return save_new(report, form, path, overwrite, err);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* of a folder, open() says so */
    return fd < 0 ? cannot_write(path, errno, err) : pour(report, form, fd, path, err);
}
