/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the compiler and related tools with the settings that Portolan's build recorded; lists of
 * words; writes generated files.
 */
#include <portolan/command.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool portolan_words_add(struct portolan_arena *arena, struct portolan_words *w, const char *text)
{
    const char **grown = text ? portolan_arena_grow(arena, w->word, w->n, sizeof *grown) : NULL;

    if (!grown)
        return false;
    w->word = grown;
    w->word[w->n++] = text;
    return true;
}

bool portolan_words_split(struct portolan_arena *arena, struct portolan_words *w, const char *text)
{
    static const char blanks[] = " \t\r\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);

        if (!portolan_words_add(arena, w, portolan_arena_strndup(arena, text, length)))
            return false;
        text += length;
    }
    return true;
}

bool portolan_words_append(struct portolan_arena *arena, struct portolan_words *w,
                           const struct portolan_words *more)
{
    for (size_t i = 0; i < more->n; i++)
        if (!portolan_words_add(arena, w, more->word[i]))
            return false;
    return true;
}

bool portolan_words_have(const struct portolan_words *w, const char *text)
{
    for (size_t i = 0; i < w->n; i++)
        if (!strcmp(w->word[i], text))
            return true;
    return false;
}

/* Starts the command with its output in FILE; returns an errno. */
static int start_command(const struct portolan_words *command, const char *file, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, command->word[0], &actions, NULL, (char *const *)command->word,
                             environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    remove(path);
    return 0;
}

void portolan_folder_remove(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

char *portolan_temporary_folder(struct portolan_arena *arena, struct portolan_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = portolan_arena_printf(arena, "%s/portolan-XXXXXX", tmp && *tmp ? tmp : "/tmp");

    if (!folder) {
        portolan_no_memory(err);
        return NULL;
    }
    if (mkdtemp(folder))
        return folder;
    portolan_error_set(err, PORTOLAN_EIO, "%s: cannot create a temporary folder: %s", folder,
                       strerror(errno));
    return NULL;
}

bool portolan_is_program(const char *file)
{
    struct stat info;

    return stat(file, &info) == 0 && S_ISREG(info.st_mode) && access(file, X_OK) == 0;
}

const char *portolan_program_find(struct portolan_arena *arena, const char *name)
{
    const char *path = getenv("PATH");
    int error = ENOENT;

    if (strchr(name, '/'))
        return name;
    path = path ? path : "/bin:/usr/bin";
    for (;;) {
        size_t length = strcspn(path, ":");
        const char *file =
            portolan_arena_printf(arena, "%.*s%s%s", (int)length, path, length ? "/" : "", name);

        if (file && portolan_is_program(file))
            return file;
        if (file && access(file, F_OK) == 0)
            error = EACCES;
        if (!path[length])
            break;
        path += length + 1;
    }
    errno = error;
    return NULL;
}

enum portolan_status portolan_command_run(struct portolan_arena *arena,
                                          struct portolan_words *command, const char *file,
                                          struct portolan_error *err)
{
    const char **grown = portolan_arena_grow(arena, command->word, command->n, sizeof *grown);
    int error, status = 0;
    pid_t pid;

    if (!grown || arena->failed)
        return portolan_no_memory(err);
    command->word = grown;
    command->word[command->n] = NULL;
    if ((error = start_command(command, file, &pid)) != 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", command->word[0],
                                  strerror(error));
    while (waitpid(pid, &status, 0) == -1)
        if (errno != EINTR)
            return portolan_error_set(err, PORTOLAN_EFOREIGN, "cannot wait for '%s': %s",
                                      command->word[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' failed", command->word[0]);
}

enum portolan_status portolan_file_read(struct portolan_arena *arena, const char *file,
                                        const char **text, size_t *size, struct portolan_error *err)
{
    struct portolan_text t = {.arena = arena};
    enum portolan_status status;
    char *taken;

    if (!portolan_text_add_file(&t, file, SIZE_MAX) && !t.failed)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read: %s%s", file,
                                  strerror(errno), portolan_did_you_mean_file(file).text);
    *size = t.length;
    status = portolan_text_take(&t, &taken, err);
    if (status == PORTOLAN_OK)
        *text = taken;
    return status;
}

/* -- Lists of words as arrays. -- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum portolan_status portolan_words_take(struct portolan_words *w, char ***words, size_t *n,
                                         struct portolan_error *err)
{
    size_t size = 0, kept = 0;
    char *at;

    *n = 0;
    if (w->n)
        qsort(w->word, w->n, sizeof *w->word, compare_words);
    for (size_t i = 0; i < w->n; i++)
        if (!kept || strcmp(w->word[kept - 1], w->word[i]) != 0) {
            w->word[kept++] = w->word[i];
            size += strlen(w->word[i]) + 1;
        }
    w->n = kept;
    *words = portolan_calloc(1, (kept + 1) * sizeof **words + size);
    if (!*words)
        return portolan_no_memory(err);
    at = (char *)(*words + kept + 1);
    for (size_t i = 0; i < kept; i++) {
        (*words)[i] = at;
        at = stpcpy(at, w->word[i]) + 1;
    }
    *n = kept;
    return PORTOLAN_OK;
}

/* -- The files in which Portolan's build tells how it was made: lines KEY = VALUE. -- */

struct settings_reader {
    struct portolan_arena *arena;
    const char *file;
    size_t folder_length; /* of the folder in the file's name, with the slash */
    const struct portolan_setting *settings;
    size_t n;
};

static const struct portolan_setting *find_setting(const struct settings_reader *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->settings[i].key, key))
            return &r->settings[i];
    return NULL;
}

static bool add_path(struct settings_reader *r, struct portolan_words *list, const char *path)
{
    return portolan_words_add(
        r->arena, list,
        *path == '/'
            ? portolan_arena_strdup(r->arena, path)
            : portolan_arena_printf(r->arena, "%.*s%s", (int)r->folder_length, r->file, path));
}

static enum portolan_status read_line(struct settings_reader *r, const char *line, int number,
                                      struct portolan_error *err)
{
    const char *value = strchr(line, '=');
    const struct portolan_setting *s;
    char key[40];

    if (sscanf(line, " %39[^ =]", key) != 1 || key[0] == '#')
        return PORTOLAN_OK;
    if (!value || !(s = find_setting(r, key)))
        return portolan_error_set(
            err, PORTOLAN_ESYNTAX,
            "%s:%d: '%s' is not a setting; the file must be that of this Portolan's build", r->file,
            number, key);
    value += 1 + strspn(value + 1, " \t");
    if (s->is_path ? add_path(r, s->list, value) : portolan_words_split(r->arena, s->list, value))
        return PORTOLAN_OK;
    return portolan_no_memory(err);
}

enum portolan_status portolan_settings_read(struct portolan_arena *arena, const char *file,
                                            const struct portolan_setting *settings, size_t n,
                                            struct portolan_error *err)
{
    const char *slash = strrchr(file, '/');
    struct settings_reader r = {arena, file, slash ? (size_t)(slash + 1 - file) : 0, settings, n};
    enum portolan_status status;
    const char *text;
    char *lines, *line;
    size_t size;
    int number = 0;

    if ((status = portolan_file_read(arena, file, &text, &size, err)) != PORTOLAN_OK)
        return status;
    if (!(lines = portolan_arena_strdup(arena, text)))
        return portolan_no_memory(err);
    while (status == PORTOLAN_OK && (line = strsep(&lines, "\n")))
        status = read_line(&r, line, ++number, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        if (settings[i].is_needed && !settings[i].list->n)
            status = portolan_error_set(err, PORTOLAN_ESYNTAX,
                                        "%s:%d: '%s' is missing; the file "
                                        "must be that of this Portolan's build",
                                        file, number, settings[i].key);
    return status;
}

enum portolan_status portolan_settings_find(const char *name, const char *installed, char **file,
                                            struct portolan_error *err)
{
    const char *const places[] = {name, installed};
    struct portolan_arena arena = {0};
    const char *self = portolan_program_file(&arena), *path = NULL;
    enum portolan_status status = PORTOLAN_ENOTFOUND;

    *file = NULL;
    for (size_t i = 0; self && status && i < sizeof places / sizeof *places; i++) {
        path = portolan_file_beside(&arena, self, places[i]);
        if (path && access(path, R_OK) == 0)
            status = PORTOLAN_OK;
    }
    if (!path || (!status && !(*file = portolan_strdup(path))))
        status = portolan_no_memory(err);
    else if (status)
        portolan_error_set(err, status,
                           "there is no %s; in a build folder run make, which builds it, otherwise "
                           "install all packages of Portolan",
                           path);
    portolan_arena_clear(&arena);
    return status;
}

/* -- Writes generated files: all or none, and only those whose content changes. -- */

static bool is_content(const struct portolan_made_file *f)
{
    struct portolan_text old = {0};
    bool same = portolan_text_add_file(&old, f->path, f->size) && old.length == f->size &&
                (!f->size || memcmp(old.bytes, f->bytes, f->size) == 0);

    portolan_text_clear(&old);
    return same;
}

/* A file to be written: it has another name until all files are complete. */
struct file {
    const struct portolan_made_file *made;
    const char *new_path;
};

static enum portolan_status cannot_write(const struct file *f, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", f->made->path, strerror(errno));
}

static enum portolan_status write_new(const struct file *f, struct portolan_error *err)
{
    FILE *out = fopen(f->new_path, "wb");
    struct stat info;
    bool good;

    if (!out)
        return cannot_write(f, err);
    good = fwrite(f->made->bytes, 1, f->made->size, out) == f->made->size;
    if (f->made->is_script && fstat(fileno(out), &info) == 0) /* whoever may read it may run it */
        good =
            fchmod(fileno(out), (info.st_mode & 0777) | ((info.st_mode & 0444) >> 2)) == 0 && good;
    good = fclose(out) == 0 && good;
    return good ? PORTOLAN_OK : cannot_write(f, err);
}

static enum portolan_status rename_all(const struct file *files, size_t n,
                                       struct portolan_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (rename(files[i].new_path, files[i].made->path) != 0)
            return cannot_write(&files[i], err);
    return PORTOLAN_OK;
}

static enum portolan_status write_all(const struct file *files, size_t n,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && status == PORTOLAN_OK; i++)
        status = write_new(&files[i], err);
    if (status == PORTOLAN_OK)
        status = rename_all(files, n, err);
    for (size_t i = 0; i < n && status != PORTOLAN_OK; i++)
        unlink(files[i].new_path);
    return status;
}

enum portolan_status portolan_files_write(struct portolan_arena *arena, const char *folder,
                                          const struct portolan_made_file *made, size_t n_made,
                                          struct portolan_error *err)
{
    enum portolan_status status;
    struct file *files = NULL;
    size_t n = 0;
    bool is_new;

    for (size_t i = 0; i < n_made; i++) {
        if (is_content(&made[i]))
            continue;
        files = portolan_arena_grow(arena, files, n, sizeof *files);
        if (files)
            files[n++] = (struct file){
                &made[i], portolan_arena_printf(arena, "%s.portolan-new", made[i].path)};
    }
    if (arena->failed)
        return portolan_no_memory(err);
    is_new = mkdir(folder, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s%s", folder, strerror(errno),
                                  errno == ENOENT ? "; create its folder" : "");
    status = write_all(files, n, err);
    if (status != PORTOLAN_OK && is_new)
        rmdir(folder);
    return status;
}
