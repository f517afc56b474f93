/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images: ELF files of which each rank has its own data, and the memory of ranks. Code is mapped
 * from the file, so that all ranks run the same pages of it, which stay in the caches when ranks
 * change; data are copied. Names are looked up once; a rank's copy only gets the words that depend
 * on where it lies.
 */
#ifndef PORTOLAN_CLUE_IMAGE_H
#define PORTOLAN_CLUE_IMAGE_H

#include <portolan/base.h>

#include "processor.h"

#include <unistd.h>

/* AArch64 has larger ones, too. */
#define PAGE ((uint64_t)getpagesize())
enum { MOST_LOADS = 16 };

/* A word of an image's data that depends on the rank: its address, and what it is of the rank. */
struct moved_word {
    uint64_t at;   /* in the image */
    uint32_t base; /* image that it points into, or CLUE_RANK_BLOCK */
    bool is_call;  /* what the function there returns (IRELATIVE) */
    int64_t value; /* where in it */
};
/* Data of a library that the executable has a copy of (RELOCATE_COPY). */
struct copied_data {
    uint64_t at, size;
    const char *name;
    uint32_t base; /* image, or CLUE_ABSOLUTE */
    uint64_t from;
};
enum { CLUE_ABSOLUTE = UINT32_MAX, CLUE_RANK_BLOCK = UINT32_MAX - 1 };

struct image {
    const char *file;
    int fd;
    const uint8_t *bytes; /* the file */
    size_t size;
    const Elf64_Phdr *loads[MOST_LOADS];
    size_t n_loads;
    uint64_t span;                 /* of addresses, whole pages */
    uint64_t code_end;             /* up to here it is mapped from the file */
    uint64_t data, filled, stored; /* its data begin; end of what is stored in the file; of all */
    uint64_t entry;
    const char *strings;
    const Elf64_Sym *symbols;
    const uint16_t *versions;
    const Elf64_Verneed *needed_versions;
    const uint32_t *gnu_hash, *sysv_hash;
    const Elf64_Rela *rela[2];
    size_t n_rela[2];
    uint64_t init, fini;
    uint64_t init_array, n_init, fini_array, n_fini, preinit_array, n_preinit;
    bool is_symbolic;
    bool is_binding; /* of Fortran: calls that it makes are those of its caller */
    const Elf64_Phdr *tls, *frames;
    int64_t tls_offset; /* of its thread-locals from the thread pointer */
    /* What relocation made. */
    uint8_t *template; /* its data from `data` to `filled`; thread-locals' image is in it */
    struct moved_word *words;
    size_t n_words, room_words;
    struct copied_data *copies;
    size_t n_copies;
    uint64_t offset; /* in the memory of a rank */
};

/* Maps FILE and finds its parts. ESYNTAX, EUNSUPPORTED: it is not for folding, and why. */
enum portolan_status clue_image_open(struct image *image, const char *file,
                                     struct portolan_error *err);
void clue_image_close(struct image *image);
/* The definition of NAME that others see; NULL: none. */
const Elf64_Sym *clue_image_find(const struct image *image, const char *name);
/* The version of symbol I that another object must have; NULL: any. */
const char *clue_image_version(const struct image *image, uint32_t i);

/* ------------------------------------------------- all that ranks have of their own */

struct image_set {
    struct image *images; /* the program, then libraries in the order in which they are searched */
    size_t n;
    int64_t tls_bytes; /* of all, between the thread pointer and their end */
};
/* What carrier puts in the place of a name, or NULL; *BASE says what the address is relative to. */
typedef bool clue_override_fn(const char *name, uint32_t *base, uint64_t *value);
/* May put something in the place of a function that an image of SET takes from another. */
typedef void clue_front_fn(const struct image_set *set, const char *name, uint32_t *base,
                           uint64_t *value);
/* Looks all names up. EINVAL: a name is nowhere. */
enum portolan_status clue_images_link(struct image_set *set, clue_override_fn *override,
                                      clue_front_fn *front, struct portolan_error *err);

/* Makes a rank's copy at BASE, where memory is reserved; BLOCK is the rank's own data.
 * Thread-locals go to where they are from THREAD. */
enum portolan_status clue_images_copy(const struct image_set *set, uint8_t *base, void *block,
                                      uint8_t *thread, struct portolan_error *err);

#endif
