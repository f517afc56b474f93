/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads facts from files: the places of shared objects, and the compilers of those with components;
 * the assembly's text, and git's revision of its folder, from git's own files. */
#include "recorder_internal.h"

#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <libgen.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ what an object says */

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

/* Returns whether TEXT is one of DW_AT_producer, by its beginning: gcc's have all flags, clang's
 * none. */
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

/* Adds every different text of the section for which WANTED (NULL: any) holds, up to a length. */
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

/* ------------------------------------------------------------------ the revision */

enum { REFERENCES = 5 /* that name each other, at most */, HASH_MIN = 40 };

/* The file's first line without what follows the last visible character; NULL: none. */
static char *read_line(const char *file)
{
    FILE *f = fopen(file, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length = f ? getline(&line, &room, f) : -1;

    if (f)
        fclose(f);
    if (length < 0) {
        free(line);
        return NULL;
    }
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}

static char *join(const char *folder, const char *name)
{
    return name[0] == '/' ? portolan_strdup(name) : portolan_asprintf("%s/%s", folder, name);
}

/* The first line of NAME in FOLDER. */
static char *read_in(const char *folder, const char *name)
{
    char *file = join(folder, name), *line = file ? read_line(file) : NULL;

    free(file);
    return line;
}

static bool is_hash(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");

    return length >= HASH_MIN && !text[length];
}

/* FOLDER/.git: a folder, or (in worktrees and submodules) a file that names one. */
static char *find_git(const char *folder)
{
    char *git = join(folder, ".git"), *named = NULL;
    struct stat st;

    if (!git || stat(git, &st)) {
        free(git);
        return NULL;
    }
    if (S_ISDIR(st.st_mode))
        return git;
    if ((named = read_line(git)) && !strncmp(named, "gitdir: ", 8)) {
        free(git);
        git = join(folder, named + 8);
    } else {
        free(git);
        git = NULL;
    }
    free(named);
    return git;
}

/* The hash of NAME in FOLDER/packed-refs, a list of "HASH NAME"; NULL: none. */
static char *find_packed(const char *folder, const char *name)
{
    char *file = join(folder, "packed-refs"), *line = NULL, *found = NULL;
    FILE *f = file ? fopen(file, "re") : NULL;
    size_t room = 0;

    while (f && !found && getline(&line, &room, f) >= 0) {
        char *blank = strchr(line, ' ');

        if (!blank)
            continue;
        *blank = '\0';
        blank[1 + strcspn(blank + 1, "\r\n")] = '\0';
        if (is_hash(line) && !strcmp(blank + 1, name))
            found = portolan_strdup(line);
    }
    if (f)
        fclose(f);
    free(line);
    free(file);
    return found;
}

/* The line for NAME: from the working tree's own folder, from the shared one, or a packed one. */
static char *read_reference(const char *git, const char *common, const char *name)
{
    char *line = read_in(git, name);

    if (!line && common)
        line = read_in(common, name);
    return line ? line : find_packed(common ? common : git, name);
}

/* From HEAD to a hash; *BRANCH is the last name on the way. NULL: not found. */
static char *resolve(const char *git, const char *common, char **branch)
{
    char *line = read_in(git, "HEAD");

    for (int i = 0; line && !strncmp(line, "ref: ", 5) && i < REFERENCES; ++i) {
        free(*branch);
        if (!(*branch = portolan_strdup(line + 5))) {
            free(line);
            return NULL;
        }
        free(line);
        line = read_reference(git, common, *branch);
    }
    if (line && is_hash(line))
        return line;
    free(line);
    return NULL;
}

static void put_from(struct portolan_facts *f, const char *git)
{
    char *named = read_in(git, "commondir"), *common = named ? join(git, named) : NULL;
    char *branch = NULL, *hash = resolve(git, common, &branch);
    bool tables = branch && !strcmp(branch, "refs/heads/.invalid"); /* written for "reftable" */

    if (hash)
        facts_printf(f, "git revision", "%s", hash);
    else
        facts_printf(f, "git revision", "unknown: %s",
                     tables   ? "in a form that only git can read"
                     : branch ? "nothing is committed yet"
                              : "HEAD cannot be read");
    if (branch && !tables)
        portolan_facts_put(f, "git branch",
                           strncmp(branch, "refs/heads/", 11) ? branch : branch + 11);
    portolan_facts_put(f, "git changes", "unknown: git is not run");
    free(hash);
    free(branch);
    free(common);
    free(named);
}

void facts_put_revision(struct portolan_facts *f, const char *folder)
{
    char *at = realpath(folder, NULL), *git = NULL;

    while (at && !(git = find_git(at)) && at[1])
        *(strrchr(at, '/') == at ? at + 1 : strrchr(at, '/')) = '\0';
    if (git)
        put_from(f, git);
    free(git);
    free(at);
}

void facts_put_assembly(struct portolan_facts *f, const struct portolan_assembly *a)
{
    char *text = NULL, *shown = NULL, *folder;

    if (!a->file || !*a->file)
        return; /* not read from a file: whoever made it says what it is */
    portolan_facts_put(f, "assembly file", a->file);
    if (!portolan_assembly_write(a, NULL, &text, NULL) && (shown = facts_without_secrets(text)))
        portolan_facts_put(f, "assembly xml", shown);
    folder = portolan_strdup(a->file);
    if (folder)
        facts_put_revision(f, dirname(folder));
    f->failed = f->failed || !shown || !folder;
    free(folder);
    free(shown);
    free(text);
}
