/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/block.h>

#include <stdlib.h>
#include <string.h>

void portolan_block_open(struct portolan_block *b, const void *bytes, size_t size)
{
    *b = (struct portolan_block){.is_read = true, .at = bytes, .end = (const char *)bytes + size};
    if (!bytes)
        b->at = b->end = "";
}

void portolan_block_fail(struct portolan_block *b, enum portolan_status status)
{
    if (!b->status)
        b->status = status;
    b->at = b->end;
}

void portolan_block_carry(struct portolan_block *b, void *value, size_t size)
{
    if (!size)
        return;
    if (!b->is_read) {
        portolan_text_add_bytes(&b->written, value, size);
    } else if ((size_t)(b->end - b->at) < size) {
        portolan_block_fail(b, PORTOLAN_EINTERNAL);
        memset(value, 0, size);
    } else {
        memcpy(value, b->at, size);
        b->at += size;
    }
}

void portolan_block_carry_count(struct portolan_block *b, size_t *n, size_t item_bytes)
{
    uint64_t count = *n;

    portolan_block_carry(b, &count, sizeof count);
    if (b->is_read && count > (size_t)(b->end - b->at) / item_bytes) {
        portolan_block_fail(b, PORTOLAN_EINTERNAL);
        count = 0;
    }
    *n = (size_t)count;
}

void portolan_block_carry_items(struct portolan_block *b, void *array, size_t *n, size_t item_bytes)
{
    void *items;

    portolan_block_carry_count(b, n, item_bytes);
    if (b->is_read) {
        if (!(items = portolan_calloc(*n + 1, item_bytes))) {
            portolan_block_fail(b, PORTOLAN_ENOMEM);
            *n = 0;
        }
        memcpy(array, &items, sizeof items);
    }
    memcpy(&items, array, sizeof items);
    portolan_block_carry(b, items, *n * item_bytes);
}

/* ------------------------------------------------------------------ texts */

/* A text is written as its number; the text itself follows when the number is new. */

struct wanted_text {
    const struct portolan_block *in;
    const char *text;
};

static bool same_address(const void *wanted, size_t i)
{
    const struct wanted_text *w = wanted;

    return w->in->texts[i] == w->text;
}

static bool add_text(struct portolan_block *b, const char *text)
{
    if (b->n_texts == b->room) {
        size_t room = b->room ? 2 * b->room : 32;
        const char **texts = portolan_reallocarray(b->texts, room, sizeof *texts);

        if (!texts) {
            portolan_block_fail(b, PORTOLAN_ENOMEM);
            return false;
        }
        b->texts = texts;
        b->room = room;
    }
    b->texts[b->n_texts++] = text;
    return true;
}

static void write_text(struct portolan_block *b, const char *text)
{
    const struct wanted_text wanted = {b, text};
    uint64_t hash = portolan_hash(&text, sizeof text, 0);
    size_t at = portolan_index_find(&b->index, hash, same_address, &wanted);
    uint32_t number = (uint32_t)(at == SIZE_MAX ? b->n_texts : at);

    portolan_block_carry(b, &number, sizeof number);
    if (at != SIZE_MAX)
        return;
    portolan_block_carry(b, (char *)text, strlen(text) + 1);
    if (add_text(b, text) && !portolan_index_add(&b->index, hash, number))
        portolan_block_fail(b, PORTOLAN_ENOMEM);
}

static const char *read_text(struct portolan_block *b)
{
    uint32_t number = 0;
    const char *text, *end;

    portolan_block_carry(b, &number, sizeof number);
    if (b->status)
        return "";
    if (number < b->n_texts)
        return b->texts[number];
    text = b->at;
    end = memchr(text, '\0', (size_t)(b->end - text));
    if (number > b->n_texts || !end) {
        portolan_block_fail(b, PORTOLAN_EINTERNAL);
        return "";
    }
    b->at = end + 1;
    add_text(b, text);
    return text;
}

void portolan_block_carry_text(struct portolan_block *b, const char **text)
{
    if (b->is_read)
        *text = read_text(b);
    else
        write_text(b, *text ? *text : "");
}

/* ------------------------------------------------------------------ the end */

static void clear(struct portolan_block *b)
{
    portolan_text_clear(&b->written);
    portolan_index_clear(&b->index);
    free(b->texts);
    *b = (struct portolan_block){0};
}

enum portolan_status portolan_block_take(struct portolan_block *b, void **bytes, size_t *size,
                                         struct portolan_error *err)
{
    enum portolan_status status = b->status;

    *bytes = NULL;
    *size = 0;
    if (status || b->written.failed) {
        status = portolan_no_memory(err);
    } else {
        *bytes = b->written.bytes;
        *size = b->written.length;
        b->written = (struct portolan_text){0};
    }
    clear(b);
    return status;
}

enum portolan_status portolan_block_finish(struct portolan_block *b, struct portolan_error *err)
{
    enum portolan_status status = b->status;

    if (b->is_read && !status && b->at < b->end)
        status = PORTOLAN_EINTERNAL;
    clear(b);
    if (status == PORTOLAN_ENOMEM)
        return portolan_no_memory(err);
    return status ? portolan_error_set(err, status, "a rank sent a broken block") : PORTOLAN_OK;
}
