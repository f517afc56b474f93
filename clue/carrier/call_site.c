/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where a call stands in the source, by binutils' addr2line, if there are debug data. */
#include "apart.h"
#include "fortran_site.h"

#include <portolan/command.h>
#include <portolan/list.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cache of addr2line's answers, which take a while. */
struct known_place {
    const char *file;
    uint64_t address;
    char *text;
};
static struct known_place *known;
static size_t n_known;

/* Turns "main\n/home/…/ring.c:12\n" into "ring.c:12 (main)"; NULL: both are unknown. */
static char *shorten(const char *said)
{
    const char *line = strchr(said, '\n'), *slash;
    size_t length;

    if (!line)
        return NULL;
    length = (size_t)(line - said);
    line++;
    for (slash = line; (slash = strchr(slash, '/'));)
        line = ++slash;
    if (strncmp(line, "??", 2) == 0)
        return strncmp(said, "??", 2) == 0 ? NULL : portolan_asprintf("%.*s()", (int)length, said);
    return portolan_asprintf("%.*s (%.*s)", (int)strcspn(line, " \n"), line, (int)length, said);
}

static char *ask(const char *file, uint64_t address)
{
    struct portolan_arena arena = {0};
    struct portolan_words words = {0};
    const char *text = NULL, *folder = portolan_temporary_folder(&arena, NULL);
    char *place = NULL, *answer = portolan_arena_printf(&arena, "%s/where", folder ? folder : "");
    size_t size;

    portolan_words_append(
        &arena, &words,
        PORTOLAN_WORDS("addr2line", "-f", "-C", "-e", file,
                       portolan_arena_printf(&arena, "0x%llx", (long long)address)));
    if (folder && !portolan_command_run(&arena, &words, answer, NULL) &&
        !portolan_file_read(&arena, answer, &text, &size, NULL))
        place = shorten(text);
    if (folder)
        portolan_folder_remove(folder);
    portolan_arena_clear(&arena);
    return place;
}

static char *look_up(const char *file, uint64_t address)
{
    struct known_place place = {file, address, NULL};
    char *text;

    for (size_t i = 0; i < n_known; i++)
        if (known[i].file == file && known[i].address == address)
            return portolan_strdup(known[i].text);
    place.text = ask(file, address);
    text = portolan_strdup(place.text);
    if (!portolan_append(&known, &n_known, &place, sizeof place))
        free(place.text);
    return text;
}

static char *where_apart(const struct rank *rank, const void *site)
{
    const struct apart_place *place = apart_place_of(rank, site);

    return place->file && (place->is_program || clue_is_own(place->file))
               ? look_up(place->file, place->address - 1)
               : NULL;
}

static const struct image *image_of(const struct rank *rank, const void *code, uint64_t *at)
{
    const struct image_set *set = &rank->program->set;

    *at = (uint64_t)((const uint8_t *)code - rank->base);
    for (size_t i = 0; i < set->n; i++)
        if (*at - set->images[i].offset < set->images[i].code_end)
            return &set->images[i];
    return NULL;
}

bool caller_is_binding(const void *code, uint64_t *key)
{
    const struct rank *rank = clue_carrier.current;
    const struct image *image = rank ? image_of(rank, code, key) : NULL;

    return image && image->is_binding;
}

static char *where_folded(const struct rank *rank, const void *site)
{
    uint64_t at;
    const struct image *image = image_of(rank, site, &at);

    return image ? look_up(image->file, at - image->offset - 1) : NULL; /* within the call
                                                                         * instruction */
}

char *clue_where(const struct rank *rank, const void *site)
{
    return !site ? NULL : rank->apart ? where_apart(rank, site) : where_folded(rank, site);
}
