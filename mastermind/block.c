/* SPDX-License-Identifier: BSD-3-Clause */
#include "block.h"

#include <stdlib.h>
#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

uint32_t block_add_text(struct block *b, const char *text)
{
    size_t at = b->text.length;

    portolan_text_add_bytes(&b->text, text, strlen(text) + 1);
    return (uint32_t)at;
}

const char *block_peek_text(const struct block *b, uint32_t offset)
{
    return offset < b->head.text_bytes ? b->text.bytes + offset : "";
}

enum portolan_status block_join(struct block *b, size_t row_bytes, void **bytes, size_t *size)
{
    size_t rows_bytes = b->head.n * row_bytes;
    char *at;

    b->head.text_bytes = b->text.length;
    *size = sizeof b->head + b->head.piece_bytes + rows_bytes + aligned(b->text.length);
    if (b->text.failed || !(*bytes = at = portolan_calloc(*size, 1)))
        return PORTOLAN_ENOMEM;
    memcpy(at, &b->head, sizeof b->head);
    at += sizeof b->head;
    if (b->head.piece_bytes)
        memcpy(at, b->piece, b->head.piece_bytes);
    at += b->head.piece_bytes;
    memcpy(at, b->rows, rows_bytes);
    if (b->text.length)
        memcpy(at + rows_bytes, b->text.bytes, b->text.length);
    return PORTOLAN_OK;
}

void block_clear(struct block *b)
{
    free(b->piece);
    free(b->rows);
    portolan_text_clear(&b->text);
}

static bool find_parts(struct block *b, const char *bytes, size_t size, size_t row_bytes)
{
    *b = (struct block){0};
    if (size < sizeof b->head)
        return false;
    memcpy(&b->head, bytes, sizeof b->head);
    if (b->head.piece_bytes > size || b->head.n > size || b->head.text_bytes > size ||
        sizeof b->head + b->head.piece_bytes + b->head.n * row_bytes +
                aligned(b->head.text_bytes) !=
            size)
        return false;
    b->piece = (char *)bytes + sizeof b->head;
    b->rows = (char *)b->piece + b->head.piece_bytes;
    b->text.bytes = (char *)b->rows + b->head.n * row_bytes;
    return !b->head.text_bytes || !b->text.bytes[b->head.text_bytes - 1];
}

enum portolan_status block_look(struct block *b, int rank, const void *bytes, size_t size,
                                size_t row_bytes, struct portolan_error *err)
{
    if (!find_parts(b, bytes, size, row_bytes))
        return portolan_error_set(err, PORTOLAN_EINTERNAL, "rank %d sent a broken block", rank);
    return PORTOLAN_OK;
}
