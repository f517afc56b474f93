/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared objects: where they are, and what made those that hold components. */
#include "facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ what an object says of itself
 */

struct object {
    int fd;
    Elf *elf;
};

static bool open_object(const char *file, struct object *o)
{
    *o = (struct object){.fd = -1};
    if (elf_version(EV_CURRENT) == EV_NONE || (o->fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
        return false;
    o->elf = elf_begin(o->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    return o->elf && elf_kind(o->elf) == ELF_K_ELF;
}

static void close_object(struct object *o)
{
    elf_end(o->elf);
    if (o->fd >= 0)
        close(o->fd);
}

/* The section's bytes, uncompressed; NULL when there is none. */
static Elf_Data *section(struct object *o, const char *name)
{
    size_t names;

    if (elf_getshdrstrndx(o->elf, &names))
        return NULL;
    for (Elf_Scn *s = elf_nextscn(o->elf, NULL); s; s = elf_nextscn(o->elf, s)) {
        GElf_Shdr header;
        const char *found =
            gelf_getshdr(s, &header) ? elf_strptr(o->elf, names, header.sh_name) : NULL;

        if (!found || strcmp(found, name))
            continue;
        if (header.sh_flags & SHF_COMPRESSED && elf_compress(s, 0, 0) < 0)
            return NULL;
        return elf_getdata(s, NULL);
    }
    return NULL;
}

/* DW_AT_producer's texts are told by their beginnings: gcc's have all flags, clang's none. */
static bool is_producer(const char *text)
{
    static const char *const beginnings[] = {
        "GNU C",          "GNU Fortran",           "GNU F",
        "clang version ", "Debian clang version ", "Ubuntu clang version "};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Every different text of the section for which WANTED (NULL: any) holds, up to a length. */
static void add_texts(const Elf_Data *data, bool (*wanted)(const char *), struct portolan_text *to)
{
    const char *bytes = data ? data->d_buf : NULL;
    size_t size = bytes ? data->d_size : 0;

    for (size_t at = 0; at < size && to->length < 900;) {
        size_t length = strnlen(bytes + at, size - at);

        if (at + length < size && length && (!wanted || wanted(bytes + at)) &&
            (!to->bytes || !strstr(to->bytes, bytes + at)))
            portolan_text_add(to, "%s%.900s", to->length ? "; " : "", bytes + at);
        at += length + 1;
    }
}

void facts_put_compiler(struct portolan_facts *f, const char *name, const char *file)
{
    struct portolan_text made = {0};
    char *fact = portolan_asprintf("compiled %s", name);
    struct object o;

    if (open_object(file, &o)) {
        add_texts(section(&o, ".debug_str"), is_producer, &made);
        if (!made.length) {
            add_texts(section(&o, ".comment"), NULL, &made);
            if (made.length)
                portolan_text_add(&made, ", flags unknown (no debug information)");
        }
    }
    close_object(&o);
    f->failed = f->failed || !fact || made.failed;
    if (fact)
        portolan_facts_put(f, fact, made.length ? made.bytes : "unknown");
    portolan_text_clear(&made);
    free(fact);
}

static bool has_component(struct object *o)
{
    for (Elf_Scn *s = elf_nextscn(o->elf, NULL); s; s = elf_nextscn(o->elf, s)) {
        GElf_Shdr header;
        GElf_Sym symbol;
        Elf_Data *data;

        if (!gelf_getshdr(s, &header) || header.sh_type != SHT_DYNSYM)
            continue;
        data = elf_getdata(s, NULL);
        for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
            const char *name = elf_strptr(o->elf, header.sh_link, symbol.st_name);

            if (symbol.st_shndx != SHN_UNDEF && name &&
                !strncmp(name, "portolan_component_", strlen("portolan_component_")))
                return true;
        }
    }
    return false;
}

bool facts_is_component(const char *file)
{
    struct object o;
    bool found = open_object(file, &o) && has_component(&o);

    close_object(&o);
    return found;
}

/* ------------------------------------------------------------------ what is loaded */

static bool is_known(const struct portolan_facts *f, const char *name)
{
    for (size_t i = 0; i < f->n; ++i)
        if (!strcmp(f->pairs[i].name, name))
            return true;
    return false;
}

static int put_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *slash = strrchr(info->dlpi_name, '/'), *base;
    struct portolan_facts *f = arg;
    char *real, *name;

    (void)size;
    if (!slash) /* the program itself and the kernel's page have no path */
        return 0;
    base = slash + 1;
    real = realpath(info->dlpi_name, NULL);
    name = portolan_asprintf("object %s", base);
    f->failed = f->failed || !name;
    if (name && !is_known(f, name)) {
        portolan_facts_put(f, name, real ? real : info->dlpi_name);
        if (!strncmp(base, "libmpi", 6))
            portolan_facts_put(f, "MPI library", real ? real : info->dlpi_name);
        if (facts_is_component(info->dlpi_name))
            facts_put_compiler(f, base, info->dlpi_name);
    }
    free(name);
    free(real);
    return 0;
}

void portolan_facts_put_objects(struct portolan_facts *f)
{
    if (facts_is_component("/proc/self/exe"))
        facts_put_compiler(f, "program", "/proc/self/exe");
    dl_iterate_phdr(put_object, f);
}
