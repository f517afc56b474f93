/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links the images of a program, as the dynamic linker does, but once for all ranks.
 *
 * Names are looked up in the carrier's replacements first, then in the images, then in the
 * libraries that all ranks share. A relocation whose value is the same for all ranks is written
 * into the image's template, that is its data as they are before any rank has them. One whose value
 * depends on where a rank's images lie becomes a moved word, which clue_images_copy() computes for
 * each rank after it has copied the template.
 *
 * A rank's code is mapped from the file, so all ranks run the same pages. Data that the program has
 * copies of (RELOCATE_COPY), and functions that return an address (IRELATIVE), are handled after
 * the words of all libraries, since they read these.
 *
 * Thread-locals of images all lie at fixed distances from the thread pointer, so every way to reach
 * them works (ELF Handling for Thread-Local Storage, 2013; System V ABI, AMD64 supplement; ELF for
 * the Arm 64-bit Architecture).
 */
#include "image.h"

#include <portolan/list.h>

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

/* The definition of a name. */
struct target {
    uint32_t base; /* an image, CLUE_RANK_BLOCK or CLUE_ABSOLUTE */
    uint64_t value;
    bool is_indirect; /* an IFUNC: the function returns the address */
    int64_t tls;      /* of a thread-local: its distance from the thread pointer */
};

struct linking {
    struct image_set *set;
    clue_override_fn *override;
    clue_front_fn *front;
    struct portolan_error *err;
    struct portolan_text missing;
    int n_missing;
};

static bool target_in(const struct image_set *set, size_t i, const Elf64_Sym *symbol,
                      struct target *t)
{
    *t = (struct target){(uint32_t)i, symbol->st_value, false, 0};
    if (symbol->st_shndx == SHN_ABS)
        t->base = CLUE_ABSOLUTE;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
        t->tls = set->images[i].tls_offset + (int64_t)symbol->st_value;
    t->is_indirect = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
    return true;
}

static const char in_carrier;

/* Looks a name up in the shared libraries: carrier's replacement first, then the wanted version. */
static bool target_shared(const struct image *image, uint32_t i, const char *name, struct target *t)
{
    const char *version = clue_image_version(image, i);
    void *address = dlsym(RTLD_DEFAULT, name), *other;
    Dl_info own, where;

    if (version && address && dladdr(address, &where) && dladdr(&in_carrier, &own) &&
        where.dli_fbase != own.dli_fbase && (other = dlvsym(RTLD_DEFAULT, name, version)))
        address = other;
    *t = (struct target){CLUE_ABSOLUTE, (uint64_t)(uintptr_t)address, false, 0};
    if (ELF64_ST_TYPE(image->symbols[i].st_info) == STT_TLS)
        t->tls = (char *)address - (char *)__builtin_thread_pointer();
    return address || ELF64_ST_BIND(image->symbols[i].st_info) == STB_WEAK;
}

static bool is_imported_function(const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);

    return symbol->st_shndx == SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE);
}

static bool target_of(struct linking *l, size_t own, uint32_t i, bool is_copy, struct target *t)
{
    const struct image *image = &l->set->images[own];
    const Elf64_Sym *symbol = &image->symbols[i], *found = NULL;
    const char *name = image->strings + symbol->st_name;

    if (i == 0)
        return target_in(l->set, own, &(Elf64_Sym){.st_shndx = 1}, t);
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
        (image->is_symbolic && symbol->st_shndx != SHN_UNDEF && !is_copy))
        return target_in(l->set, own, symbol, t);
    *t = (struct target){0};
    if (!is_copy && l->override(name, &t->base, &t->value))
        return true;
    for (size_t k = is_copy ? 1 : 0; k < l->set->n && !found; k++)
        if ((found = clue_image_find(&l->set->images[k], name)))
            target_in(l->set, k, found, t);
    if (!found && !target_shared(image, i, name, t) && l->n_missing++ < 5)
        portolan_text_add(&l->missing, "%s'%s'", l->n_missing > 1 ? ", " : "", name);
    if (is_imported_function(symbol) && t->value && !t->is_indirect)
        l->front(l->set, name, &t->base, &t->value);
    return true;
}

static bool add_word(struct image *image, uint64_t at, const struct target *t, int64_t addend)
{
    struct moved_word word = {at, t->base, t->is_indirect, (int64_t)t->value + addend};

    if (!portolan_reserve(&image->words, &image->room_words, image->n_words + 1, sizeof word))
        return false;
    image->words[image->n_words++] = word;
    return true;
}

static bool add_copy(struct image *image, const Elf64_Rela *r, const struct target *t)
{
    const Elf64_Sym *symbol = &image->symbols[ELF64_R_SYM(r->r_info)];
    struct copied_data copy = {r->r_offset, symbol->st_size, image->strings + symbol->st_name,
                               t->base, t->value};

    return portolan_append(&image->copies, &image->n_copies, &copy, sizeof copy);
}

static bool relocate(struct linking *l, size_t own, const Elf64_Rela *r)
{
    struct image *image = &l->set->images[own];
    unsigned type = ELF64_R_TYPE(r->r_info);
    uint64_t *place = (uint64_t *)(image->template + (r->r_offset - image->data));
    struct target t;

    if (type == RELOCATE_NONE)
        return true;
    if (!target_of(l, own, ELF64_R_SYM(r->r_info), type == RELOCATE_COPY, &t))
        return false;
    if (type == RELOCATE_COPY)
        return add_copy(image, r, &t);
    if (r->r_offset < image->data || r->r_offset > image->filled - 8) {
        portolan_error_set(l->err, PORTOLAN_EUNSUPPORTED,
                           "'%s' is damaged: it relocates what is "
                           "not its data",
                           image->file);
        return false;
    }
    switch (type) {
    case RELOCATE_WORD:
    case RELOCATE_GLOBAL:
    case RELOCATE_JUMP:
    case RELOCATE_RELATIVE:
    case RELOCATE_CALL:
        t.is_indirect |= type == RELOCATE_CALL;
        if (t.base != CLUE_ABSOLUTE || t.is_indirect)
            return add_word(image, r->r_offset, &t,
                            type == RELOCATE_GLOBAL || type == RELOCATE_JUMP ? 0 : r->r_addend);
        *place = t.value + (type == RELOCATE_WORD ? (uint64_t)r->r_addend : 0);
        return true;
    case RELOCATE_TLS_OFFSET:
        *place = (uint64_t)((t.tls ? t.tls : image->tls_offset) + r->r_addend);
        return true;
    case RELOCATE_TLS_MODULE: /* clue_tls_address() adds both words to the thread pointer */
        *place = ELF64_R_SYM(r->r_info) ? 0 : (uint64_t)image->tls_offset;
        return true;
    case RELOCATE_TLS_PLACE:
        *place = (uint64_t)(t.tls + r->r_addend);
        return true;
    case RELOCATE_TLS_DESCRIPTOR:
        place[0] = (uint64_t)(uintptr_t)clue_tls_descriptor;
        place[1] = (uint64_t)((t.tls ? t.tls : image->tls_offset) + r->r_addend);
        return true;
    default:
        portolan_error_set(
            l->err, PORTOLAN_EUNSUPPORTED,
            "'%s' has a relocation of type %u, which is not supported for ranks in one process",
            image->file, type);
        return false;
    }
}

/* Makes the image's data as they are before any rank has them. */
static bool make_template(struct image *image)
{
    size_t bytes = image->filled - image->data;

    image->template = portolan_calloc(1, bytes + 16);
    for (size_t i = 0; image->template && i < image->n_loads; i++) {
        const Elf64_Phdr *p = image->loads[i];

        if (p->p_flags & PF_W)
            memcpy(image->template + (p->p_vaddr - image->data), image->bytes + p->p_offset,
                   p->p_filesz);
    }
    return image->template != NULL;
}

/* Places the thread-locals of all images, the program's first: its code contains the distance. */
static void place_thread_locals(struct image_set *set)
{
    int64_t used = TLS_RESERVED;

    for (size_t i = 0; i < set->n; i++) {
        const Elf64_Phdr *tls = set->images[i].tls;
        int64_t align, bytes;

        if (!tls)
            continue;
        align = tls->p_align ? (int64_t)tls->p_align : 1;
        bytes = (int64_t)tls->p_memsz;
        if (TLS_IS_BELOW) {
            used = (used + bytes + align - 1) / align * align;
            set->images[i].tls_offset = -used;
        } else {
            set->images[i].tls_offset = (used + align - 1) / align * align;
            used = set->images[i].tls_offset + bytes;
        }
    }
    set->tls_bytes = used;
}

enum portolan_status clue_images_link(struct image_set *set, clue_override_fn *override,
                                      clue_front_fn *front, struct portolan_error *err)
{
    struct linking l = {.set = set, .override = override, .front = front, .err = err};
    bool is_done = true;

    place_thread_locals(set);
    for (size_t i = 0; i < set->n && is_done; i++) {
        struct image *image = &set->images[i];

        is_done = make_template(image);
        for (int table = 0; table < 2; table++)
            for (size_t k = 0; k < image->n_rela[table] && is_done; k++)
                is_done = relocate(&l, i, &image->rela[table][k]);
    }
    if (is_done && l.n_missing)
        portolan_error_set(err, PORTOLAN_EINVAL, "'%s' needs %s%s, which no library has",
                           set->images[0].file, l.missing.bytes ? l.missing.bytes : "names",
                           l.n_missing > 5 ? " and others" : "");
    portolan_text_clear(&l.missing);
    return is_done && !l.n_missing ? PORTOLAN_OK
           : err->status           ? err->status
                                   : portolan_no_memory(err);
}

/* ------------------------------------------------- a rank's copy */

static enum portolan_status map_image(const struct image *image, int fd, uint8_t *at,
                                      struct portolan_error *err)
{
    size_t data_bytes = image->span - image->data;

    for (size_t i = 0; i < image->n_loads && !(image->loads[i]->p_flags & PF_W); i++) {
        const Elf64_Phdr *p = image->loads[i];
        const Elf64_Phdr *last = p;
        uint64_t start = p->p_vaddr / PAGE * PAGE;

        /* Maps segments that are as far apart in the file as in memory together, since a process
         * may have few maps (vm.max_map_count). */
        while (i + 1 < image->n_loads && !(image->loads[i + 1]->p_flags & PF_W) &&
               image->loads[i + 1]->p_vaddr - p->p_vaddr ==
                   image->loads[i + 1]->p_offset - p->p_offset)
            last = image->loads[++i];
        if (mmap(at + start, last->p_vaddr + last->p_memsz - start, PROT_READ | PROT_EXEC,
                 MAP_PRIVATE | MAP_FIXED, fd, (off_t)(p->p_offset / PAGE * PAGE)) == MAP_FAILED)
            return portolan_error_set(err, PORTOLAN_ENOMEM,
                                      "no room for another rank's code (vm.max_map_count?)");
    }
    if (mprotect(at + image->data, data_bytes, PROT_READ | PROT_WRITE) != 0)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no room for another rank's data");
    memcpy(at + image->data, image->template, image->filled - image->data);
    return PORTOLAN_OK;
}

static uint64_t address_in(const struct image_set *set, uint8_t *base, void *block, uint32_t in,
                           uint64_t value)
{
    if (in == CLUE_ABSOLUTE)
        return value;
    return (uint64_t)(uintptr_t)(in == CLUE_RANK_BLOCK ? (uint8_t *)block
                                                       : base + set->images[in].offset) +
           value;
}

static void move_words(const struct image_set *set, const struct image *image, uint8_t *base,
                       void *block, bool is_call)
{
    uint8_t *at = base + image->offset;

    for (size_t i = 0; i < image->n_words; i++) {
        const struct moved_word *w = &image->words[i];
        uint64_t value;

        if (w->is_call != is_call)
            continue;
        value = address_in(set, base, block, w->base, (uint64_t)w->value);
        *(uint64_t *)(at + w->at) = is_call ? ((uint64_t(*)(void))(uintptr_t)value)() : value;
    }
}

enum portolan_status clue_images_copy(const struct image_set *set, uint8_t *base, void *block,
                                      uint8_t *thread, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = set->n; i-- > 0 && !status;)
        status = map_image(&set->images[i], set->images[i].fd, base + set->images[i].offset, err);
    for (size_t i = set->n; i-- > 0 && !status;)
        move_words(set, &set->images[i], base, block, false);
    for (size_t i = set->n; i-- > 0 && !status;) {
        const struct image *image = &set->images[i];
        uint8_t *at = base + image->offset;

        move_words(set, image, base, block, true);
        for (size_t k = 0; k < image->n_copies; k++)
            memcpy(at + image->copies[k].at,
                   (const void *)(uintptr_t)address_in(set, base, block, image->copies[k].base,
                                                       image->copies[k].from),
                   image->copies[k].size);
        if (image->tls)
            memcpy(thread + image->tls_offset, at + image->tls->p_vaddr, image->tls->p_filesz);
    }
    return status;
}
