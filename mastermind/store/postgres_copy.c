/* SPDX-License-Identifier: BSD-3-Clause */
/* Values in the binary formats of PostgreSQL, which are big-endian, and many rows of them (COPY).
 */
#include "postgres.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COPY_BYTES = 256 * 1024 };

int postgres_encode(char type, const union backend_value *value, char number[8], const char **bytes)
{
    uint64_t bits = htobe64((uint64_t)value->i); /* of a double, too: VALUE is a union */

    *bytes = type == 't' ? value->t : number;
    if (type == 't')
        return value->t ? (int)strlen(value->t) : -1;
    memcpy(number, &bits, sizeof bits);
    return (type == 'd' && isnan(value->d)) || (type == 'k' && !value->i) ? -1 : 8;
}

static void put_bytes(struct portolan_text *t, const void *bytes, size_t n)
{
    portolan_text_add_bytes(t, bytes, n);
}

static void put_length(struct portolan_text *t, int32_t length)
{
    uint32_t bits = htobe32((uint32_t)length);

    put_bytes(t, &bits, sizeof bits);
}

static void put_value(struct portolan_text *t, char type, const union backend_value *value)
{
    char number[8];
    const char *bytes;
    int length = postgres_encode(type, value, number, &bytes);

    put_length(t, length);
    if (length > 0)
        put_bytes(t, bytes, (size_t)length);
}

static void put_row(struct portolan_text *t, const char *types, uint16_t n,
                    const union backend_value *values)
{
    uint16_t bits = htobe16(n);

    put_bytes(t, &bits, sizeof bits);
    for (int i = 0; i < n; ++i)
        put_value(t, types[i], &values[i]);
}

/* Sends the buffered rows; if that fails, COPY reports why at its end. */
static bool flush(PGconn *connection, struct portolan_text *rows)
{
    bool good = !rows->failed &&
                libpq.putCopyData(connection, rows->bytes, (int)rows->length) == 1 &&
                postgres_flush(connection, POSTGRES_LONG_MS);

    rows->length = 0;
    return good;
}

/* TROUBLE: on our side; then nothing is stored. */
static enum portolan_status end_copy(PGconn *connection, const char *trouble,
                                     struct portolan_error *err)
{
    PGresult *r =
        postgres_answer(connection, libpq.putCopyEnd(connection, trouble) == 1, POSTGRES_LONG_MS);
    enum portolan_status status = PORTOLAN_OK;

    if (!postgres_is_good(r))
        status = postgres_failed(connection, r, err);
    else
        libpq.clear(r);
    if (!status && libpq.status(connection) != CONNECTION_OK)
        status = postgres_lost(connection, err);
    return status;
}

enum portolan_status postgres_put_rows(PGconn *connection, struct portolan_text *rows,
                                       const char *table, const char *types, size_t n,
                                       backend_fill_fn fill, void *arg, struct portolan_error *err)
{
    static const char header[19] = "PGCOPY\n\377\r\n"; /* and zeros: no flags, no extension */
    char text[100];
    PGresult *r;
    uint16_t columns = (uint16_t)strlen(types), last = 0xffff;
    bool good = true;

    snprintf(text, sizeof text, "COPY %s FROM STDIN (FORMAT binary)", table);
    r = postgres_answer(connection, libpq.sendQuery(connection, text), POSTGRES_LONG_MS);
    if (libpq.resultStatus(r) != PGRES_COPY_IN)
        return postgres_failed(connection, r, err);
    libpq.clear(r);
    put_bytes(rows, header, sizeof header);
    for (size_t i = 0; i < n && good; ++i) {
        union backend_value values[BACKEND_VALUES_MAX];

        fill(arg, i, values);
        put_row(rows, types, columns, values);
        if (rows->length >= COPY_BYTES)
            good = flush(connection, rows);
    }
    put_bytes(rows, &last, sizeof last);
    good = good && flush(connection, rows);
    if (rows->failed) {
        portolan_text_clear(rows);
        end_copy(connection, "out of memory", NULL);
        return portolan_no_memory(err);
    }
    rows->length = 0;
    return end_copy(connection, NULL, err);
}

void postgres_put_array(struct portolan_text *t, char type, Oid element, size_t n, int width,
                        const union backend_value *values)
{
    put_length(t, 1); /* dimension */
    put_length(t, 0); /* without NULL */
    put_length(t, (int32_t)element);
    put_length(t, (int32_t)n);
    put_length(t, 1); /* first index */
    for (size_t i = 0; i < n; ++i, values += width)
        put_value(t, type, values);
}
