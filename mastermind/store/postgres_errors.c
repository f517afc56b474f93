/* SPDX-License-Identifier: BSD-3-Clause */
/* What a PostgreSQL server says, and what would help. */
#include "postgres.h"

#include <stdio.h>
#include <string.h>

enum portolan_status postgres_lost(PGconn *c, struct portolan_error *err)
{
    char line[400];
    const char *text = PQerrorMessage(c);

    snprintf(line, sizeof line, "%s", text + strspn(text, " \n"));
    line[strcspn(line, "\n")] = '\0';
    return portolan_error_set(err, PORTOLAN_EIO,
                              "the connection to the server was lost (%s); what was stored is "
                              "intact",
                              line);
}

/* By the class of the code, https://www.postgresql.org/docs/15/errcodes-appendix.html */
static enum portolan_status explain(const char *code, const char *text, struct portolan_error *err)
{
    if (!strcmp(code, "55P03") || !strncmp(code, "40", 2))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "another program holds it locked; try again when it has ended");
    if (!strcmp(code, "53100"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no space is left on the server (%s); free some, what was stored "
                                  "is intact",
                                  text);
    if (!strncmp(code, "58", 2) || !strncmp(code, "XX", 2))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "%s (SQLSTATE %s); see to the server's disk and its quota, what "
                                  "was stored is intact",
                                  text, code);
    if (!strcmp(code, "53200"))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "the server is out of memory");
    if (!strncmp(code, "23", 2))
        return portolan_error_set(err, PORTOLAN_EINVAL, "contradicts what is stored (%s)", text);
    if (!strcmp(code, "22021"))
        return portolan_error_set(err, PORTOLAN_EINVAL, "texts must be UTF-8 (%s)", text);
    if (!strcmp(code, "42501"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "may not be written by this user (%s); its owner can GRANT that, "
                                  "or make a data base with this user as owner",
                                  text);
    if (!strcmp(code, "25006"))
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written (%s)", text);
    if (!strncmp(code, "57P", 3))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "the server is going down (%s); what was stored is intact", text);
    return portolan_error_set(err, PORTOLAN_EIO, "%s (SQLSTATE %s)", text, code);
}

enum portolan_status postgres_failed(PGconn *c, PGresult *r, struct portolan_error *err)
{
    const char *code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    enum portolan_status status;

    if (code && text)
        status = explain(code, text, err);
    else if (PQstatus(c) != CONNECTION_OK)
        status = postgres_lost(c, err);
    else if (!r)
        status = portolan_no_memory(err);
    else
        status = portolan_error_set(err, PORTOLAN_EIO,
                                    "the server gave an answer that was not "
                                    "expected");
    PQclear(r);
    return status;
}

bool postgres_is_good(const PGresult *r)
{
    return PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK;
}

enum portolan_status postgres_execute(PGconn *c, const char *text, struct portolan_error *err)
{
    PGresult *r = PQexec(c, text);

    if (!postgres_is_good(r))
        return postgres_failed(c, r, err);
    PQclear(r);
    return PORTOLAN_OK;
}
