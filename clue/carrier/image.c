/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an ELF file: which parts are code and data, its names, and whether it can be folded. */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns what the file stores for an address of the image; NULL: nothing. */
static const void *image_at(const struct image *image, uint64_t address, size_t size)
{
    for (size_t i = 0; i < image->n_loads; i++) {
        const Elf64_Phdr *p = image->loads[i];

        if (address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz &&
            size <= p->p_filesz - (address - p->p_vaddr))
            return image->bytes + p->p_offset + (address - p->p_vaddr);
    }
    return NULL;
}

static enum portolan_status map_file(struct image *image, struct portolan_error *err)
{
    image->bytes = portolan_file_map(image->file, &image->size);
    image->fd = image->bytes ? open(image->file, O_RDONLY | O_CLOEXEC) : -1;
    return image->fd >= 0 && image->size
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read: %s", image->file,
                                    image->fd < 0 ? strerror(errno) : "it has no content");
}

static enum portolan_status refuse(const struct image *image, struct portolan_error *err,
                                   const char *why)
{
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "'%s' %s", image->file, why);
}

static enum portolan_status check_header(const struct image *image, struct portolan_error *err)
{
    const Elf64_Ehdr *h = (const void *)image->bytes;

    if (image->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return refuse(
            image, err,
            "is not a program for this machine (not ELF); scripts: name the program itself");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_machine != PROCESSOR_MACHINE)
        return refuse(image, err, "is not a program for this machine (" PROCESSOR_NAME ")");
    if (h->e_type == ET_EXEC)
        return refuse(image, err,
                      "is linked statically or to fixed addresses (not PIE); compile and link it "
                      "with -fPIE and -pie, or, if it is not static, run it with --apart");
    if (h->e_type != ET_DYN || h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > image->size ||
        h->e_phnum > (image->size - h->e_phoff) / sizeof(Elf64_Phdr))
        return refuse(image, err, "is not a program that can be run");
    return PORTOLAN_OK;
}

/* Sorts segments into code, which comes first, and data. */
static enum portolan_status take_loads(struct image *image, struct portolan_error *err)
{
    uint64_t before = 0;

    for (size_t i = 0; i < image->n_loads; i++) {
        const Elf64_Phdr *p = image->loads[i];
        uint64_t end = p->p_vaddr + p->p_memsz;
        bool is_data = p->p_flags & PF_W;

        if (p->p_vaddr < before || end < p->p_vaddr || p->p_offset > image->size ||
            p->p_filesz > image->size - p->p_offset || p->p_filesz > p->p_memsz ||
            (!is_data && image->data))
            return refuse(
                image, err,
                "has segments in an order that is not supported for ranks in one process");
        if (!is_data)
            image->code_end = (end + PAGE - 1) / PAGE * PAGE;
        else if (!image->data)
            image->data = p->p_vaddr / PAGE * PAGE;
        if (is_data) {
            image->filled = p->p_vaddr + p->p_filesz;
            image->stored = end;
        }
        image->span = (end + PAGE - 1) / PAGE * PAGE;
        before = end;
    }
    return image->n_loads && image->code_end && image->data >= image->code_end
               ? PORTOLAN_OK
               : refuse(image, err, "has no code or no data segment of its own");
}

static const Elf64_Dyn *take_headers(struct image *image, struct portolan_error *err)
{
    const Elf64_Ehdr *h = (const void *)image->bytes;
    const Elf64_Phdr *p = (const void *)(image->bytes + h->e_phoff), *dynamic = NULL;

    for (int i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD && p[i].p_memsz && image->n_loads < MOST_LOADS)
            image->loads[image->n_loads++] = &p[i];
        if (p[i].p_type == PT_DYNAMIC)
            dynamic = &p[i];
        if (p[i].p_type == PT_TLS && p[i].p_memsz)
            image->tls = &p[i];
        if (p[i].p_type == PT_GNU_EH_FRAME)
            image->frames = &p[i];
    }
    image->entry = h->e_entry;
    if (take_loads(image, err))
        return NULL;
    if (dynamic && image_at(image, dynamic->p_vaddr, dynamic->p_filesz))
        return image_at(image, dynamic->p_vaddr, dynamic->p_filesz);
    refuse(image, err, "is linked statically; link it dynamically");
    return NULL;
}

static enum portolan_status take_dynamic(struct image *image, const Elf64_Dyn *d,
                                         struct portolan_error *err)
{
    uint64_t value[DT_NUM] = {0}, gnu_hash = 0, versions = 0, needed = 0;

    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag > 0 && d->d_tag < DT_NUM)
            value[d->d_tag] = d->d_un.d_val;
        gnu_hash = d->d_tag == DT_GNU_HASH ? d->d_un.d_ptr : gnu_hash;
        versions = d->d_tag == DT_VERSYM ? d->d_un.d_ptr : versions;
        needed = d->d_tag == DT_VERNEED ? d->d_un.d_ptr : needed;
    }
    if (value[DT_TEXTREL] || value[DT_FLAGS] & DF_TEXTREL)
        return refuse(image, err, "has code that depends on its address; compile it with -fPIC");
#ifdef DT_RELR
    if (value[DT_RELR])
        return refuse(image, err,
                      "has packed relocations; link it with "
                      "-z nopack-relative-relocs");
#endif
    image->strings = image_at(image, value[DT_STRTAB], 1);
    image->symbols = image_at(image, value[DT_SYMTAB], sizeof(Elf64_Sym));
    image->gnu_hash = gnu_hash ? image_at(image, gnu_hash, 16) : NULL;
    image->sysv_hash = value[DT_HASH] ? image_at(image, value[DT_HASH], 8) : NULL;
    image->versions = versions ? image_at(image, versions, 2) : NULL;
    image->needed_versions = needed ? image_at(image, needed, sizeof(Elf64_Verneed)) : NULL;
    image->n_rela[0] = value[DT_RELASZ] / sizeof(Elf64_Rela);
    image->rela[0] = image_at(image, value[DT_RELA], value[DT_RELASZ]);
    image->n_rela[1] = value[DT_PLTRELSZ] / sizeof(Elf64_Rela);
    image->rela[1] = image_at(image, value[DT_JMPREL], value[DT_PLTRELSZ]);
    image->init = value[DT_INIT], image->fini = value[DT_FINI];
    image->init_array = value[DT_INIT_ARRAY], image->n_init = value[DT_INIT_ARRAYSZ] / 8;
    image->fini_array = value[DT_FINI_ARRAY], image->n_fini = value[DT_FINI_ARRAYSZ] / 8;
    image->preinit_array = value[DT_PREINIT_ARRAY];
    image->n_preinit = value[DT_PREINIT_ARRAYSZ] / 8;
    image->is_symbolic = value[DT_SYMBOLIC] || value[DT_FLAGS] & DF_SYMBOLIC;
    if (!image->strings || !image->symbols || (image->n_rela[0] && !image->rela[0]) ||
        (image->n_rela[1] && !image->rela[1]))
        return refuse(image, err, "is damaged: its tables of names are not in it");
    return PORTOLAN_OK;
}

enum portolan_status clue_image_open(struct image *image, const char *file,
                                     struct portolan_error *err)
{
    const Elf64_Dyn *dynamic;
    enum portolan_status status;

    *image = (struct image){.file = file};
    status = map_file(image, err);
    if (!status)
        status = check_header(image, err);
    if (status)
        return status;
    dynamic = take_headers(image, err);
    return dynamic ? take_dynamic(image, dynamic, err) : PORTOLAN_EUNSUPPORTED;
}

void clue_image_close(struct image *image)
{
    munmap((void *)image->bytes, image->size);
    if (image->file && image->fd >= 0)
        close(image->fd);
    free(image->template);
    free(image->words);
    free(image->copies);
    *image = (struct image){0};
}

/* ------------------------------------------------- names */

static uint32_t hash_gnu(const char *name)
{
    uint32_t hash = 5381;

    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

static bool is_definition(const struct image *image, const Elf64_Sym *s, const char *name)
{
    return s->st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
           strcmp(image->strings + s->st_name, name) == 0;
}

static const Elf64_Sym *find_gnu(const struct image *image, const char *name)
{
    const uint32_t *table = image->gnu_hash;
    uint32_t n_buckets = table[0], first = table[1], n_words = table[2], hash = hash_gnu(name);
    const uint32_t *buckets = table + 4 + 2 * (size_t)n_words;
    const uint32_t *chain = buckets + n_buckets;
    uint32_t i = n_buckets ? buckets[hash % n_buckets] : 0;

    for (; i >= first && i; i++) {
        if ((chain[i - first] | 1) == (hash | 1) && is_definition(image, &image->symbols[i], name))
            return &image->symbols[i];
        if (chain[i - first] & 1)
            break;
    }
    return NULL;
}

const Elf64_Sym *clue_image_find(const struct image *image, const char *name)
{
    if (image->gnu_hash)
        return find_gnu(image, name);
    for (uint32_t i = 1; image->sysv_hash && i < image->sysv_hash[1]; i++)
        if (is_definition(image, &image->symbols[i], name))
            return &image->symbols[i];
    return NULL;
}

const char *clue_image_version(const struct image *image, uint32_t i)
{
    const Elf64_Verneed *need = image->needed_versions;
    uint16_t wanted = image->versions ? image->versions[i] & 0x7fff : 0;

    while (need && wanted > 1) {
        const Elf64_Vernaux *one = (const void *)((const uint8_t *)need + need->vn_aux);

        for (int k = 0; k < need->vn_cnt; k++) {
            if ((one->vna_other & 0x7fff) == wanted)
                return image->strings + one->vna_name;
            one = (const void *)((const uint8_t *)one + one->vna_next);
        }
        need = need->vn_next ? (const void *)((const uint8_t *)need + need->vn_next) : NULL;
    }
    return NULL;
}
