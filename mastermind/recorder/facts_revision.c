/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembly's text, and git's revision of its folder, read from git's own files. */
#include "facts.h"

#include <ctype.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* What FILE, a list "HASH NAME", has for NAME. */
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

/* What NAME stands for: in the working tree's own folder, else in the one all share. */
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
    bool tables = branch && !strcmp(branch, "refs/heads/.invalid"); /* how "reftable" says so */

    if (hash)
        facts_printf(f, "git revision", "%s", hash);
    else
        facts_printf(f, "git revision", "unknown: %s",
                     tables   ? "kept in a form that only git reads"
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
        return; /* not read from a file: who made it says what it is */
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
