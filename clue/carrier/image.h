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

/* AArch64 has larger pages, too. */
#define PAGE ((uint64_t)getpagesize())
enum { MOST_LOADS = 16 };

/* A word of an image's data that depends on the rank, and how its value is computed. */
struct moved_word {
    uint64_t at;   /* its address in the image */
    uint32_t base; /* the image that it points into, or CLUE_RANK_BLOCK */
    bool is_call;  /* the function there returns the value (IRELATIVE) */
    int64_t value; /* offset in the base */
};
/* A library's data that the executable has a copy of (RELOCATE_COPY). */
struct copied_data {
    uint64_t at, size;
    const char *name;
    uint32_t base; /* the image, or CLUE_ABSOLUTE */
    uint64_t from;
};
enum { CLUE_ABSOLUTE = UINT32_MAX, CLUE_RANK_BLOCK = UINT32_MAX - 1 };

struct image {
    const char *file;
    int fd;
    const uint8_t *bytes; /* contents of the file */
    size_t size;
    const Elf64_Phdr *loads[MOST_LOADS];
    size_t n_loads;
    uint64_t span;                 /* bytes of addresses, in whole pages */
    uint64_t code_end;             /* addresses below are mapped from the file */
    uint64_t data, filled, stored; /* begin of the data; end of those that the file stores; of
                                    * all */
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
    bool is_binding; /* belongs to Fortran's bindings: its calls are attributed to its caller */
    const Elf64_Phdr *tls, *frames;
    int64_t tls_offset; /* of its thread-locals, relative to the thread pointer */
    /* The results of relocation. */
    uint8_t *template; /* data from `data` to `filled`, with thread-locals */
    struct moved_word *words;
    size_t n_words, room_words;
    struct copied_data *copies;
    size_t n_copies;
    uint64_t offset; /* its place in the memory of a rank */
};

/* Maps FILE and finds its parts. ESYNTAX, EUNSUPPORTED: it cannot be folded; ERR says why. */
enum portolan_status clue_image_open(struct image *image, const char *file,
                                     struct portolan_error *err);
void clue_image_close(struct image *image);
/* Returns the definition of NAME that others see; NULL: none. */
const Elf64_Sym *clue_image_find(const struct image *image, const char *name);
/* Returns the version that another object must have of symbol I; NULL: any. */
const char *clue_image_version(const struct image *image, uint32_t i);

/* ------------------------------------------------- images of a program */

struct image_set {
    struct image *images; /* the program, then libraries in the order in which they are searched */
    size_t n;
    int64_t tls_bytes; /* bytes of thread-locals of all images */
};
/* Returns whether carrier replaces a name; fills in its address, relative to *BASE. */
typedef bool clue_override_fn(const char *name, uint32_t *base, uint64_t *value);
/* May replace a function that an image of SET takes from another. */
typedef void clue_front_fn(const struct image_set *set, const char *name, uint32_t *base,
                           uint64_t *value);
/* Looks up all names. EINVAL: a name is defined nowhere. */
enum portolan_status clue_images_link(struct image_set *set, clue_override_fn *override,
                                      clue_front_fn *front, struct portolan_error *err);

/* Makes a rank's copy at BASE, where memory is reserved; BLOCK is the rank's own data.
 * Thread-locals are placed relative to THREAD. */
enum portolan_status clue_images_copy(const struct image_set *set, uint8_t *base, void *block,
                                      uint8_t *thread, struct portolan_error *err);

#endif
