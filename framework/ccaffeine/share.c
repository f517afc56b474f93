/* SPDX-License-Identifier: BSD-3-Clause */
/* A script on all ranks, of which one reads the file. */
#include <portolan/ccaffeine.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_called_script(const char *file)
{
    size_t length = strlen(file);

    return length > 3 && !strcmp(file + length - 3, ".rc");
}

/* The whole content of a file if it is a script (otherwise *TEXT stays NULL). */
static enum portolan_status load_script(const char *file, char **text, size_t *size,
                                        struct portolan_error *err)
{
    struct portolan_text t = {0};
    enum portolan_status status = PORTOLAN_OK;
    char bytes[8192];
    FILE *f = fopen(file, "re");
    size_t n;

    *text = NULL;
    *size = 0;
    if (!f)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s%s", file, strerror(errno),
                                  portolan_did_you_mean_file(file).text);
    for (bool first = true; (n = fread(bytes, 1, sizeof bytes, f)); first = false) {
        if (first && !portolan_script_is(file, bytes, n))
            break;
        portolan_text_add_bytes(&t, bytes, n);
    }
    if (ferror(f))
        status = portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    fclose(f);
    *size = t.length;
    if (status == PORTOLAN_OK && (t.length || portolan_script_is(file, "", 0)))
        return portolan_text_take(&t, text, err);
    portolan_text_clear(&t);
    if (status == PORTOLAN_OK && is_called_script(file))
        return portolan_error_set(
            err, PORTOLAN_ESYNTAX,
            "'%s' is not a script; its first line must begin with '#!ccaffeine'", file);
    return status;
}

enum portolan_status portolan_script_share(struct portolan_cohort *cohort, const char *file,
                                           struct portolan_diagnostics *d,
                                           struct portolan_script **s, struct portolan_error *err)
{
    char *text = NULL;
    size_t size = 0;
    enum portolan_status status =
        cohort->rank == 0 ? load_script(file, &text, &size, err) : PORTOLAN_OK;

    *s = NULL;
    status = portolan_cohort_share(cohort, &text, &size, status, err);
    if (status == PORTOLAN_OK && text) {
        status = portolan_script_read_text(text, size, file, d, s, err);
        if (status == PORTOLAN_ESYNTAX) {
            *err = (struct portolan_error){0}; /* the error was reported */
            portolan_error_set(err, status, "%d error%s in '%s'", d->count,
                               d->count == 1 ? "" : "s", file);
        }
        status = portolan_cohort_agree(cohort, status, err);
    }
    free(text);
    return status;
}
