/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * command: runs the compiler and related tools, with the settings that Portolan's build recorded,
 * and writes what generators made. A static library of its own, so that it is not linked into
 * measured programs.
 *
 * Results are in the arena that is given, whose `failed` says when memory was out. One thread at a
 * time.
 */
#ifndef PORTOLAN_COMMAND_H
#define PORTOLAN_COMMAND_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A list of texts; start it as `{0}`. */
struct portolan_words {
    size_t n;
    const char **word;
};
/** A list of these texts, for _append. */
#define PORTOLAN_WORDS(...)                                                                        \
    (&(const struct portolan_words){sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *),  \
                                    (const char *[]){__VA_ARGS__}})

/**
 * _add adds TEXT itself (not a copy), _split the words of TEXT, which blanks separate, _append all
 * of MORE. False when memory runs out, or a text to be added is NULL.
 */
bool portolan_words_add(struct portolan_arena *arena, struct portolan_words *w, const char *text);
bool portolan_words_split(struct portolan_arena *arena, struct portolan_words *w, const char *text);
bool portolan_words_append(struct portolan_arena *arena, struct portolan_words *w,
                           const struct portolan_words *more);

/** Whether TEXT is one of W's words. */
bool portolan_words_have(const struct portolan_words *w, const char *text);

/**
 * W's words sorted and without duplicates (so is W afterwards), as an array that ends with NULL,
 * with *N of them: one block, which the caller frees. Errors: ENOMEM.
 */
enum portolan_status portolan_words_take(struct portolan_words *w, char ***words, size_t *n,
                                         struct portolan_error *err);

/** A key of a settings file. */
struct portolan_setting {
    const char *key;
    struct portolan_words *list; /**< gets the value's words, after those of earlier lines */
    bool is_path; /**< the value is one path, absolute or relative to the file's folder */
    bool is_needed;
};

/**
 * Reads lines KEY = VALUE; '#' begins a comment. PORTOLAN_EIO when FILE cannot be read,
 * PORTOLAN_ESYNTAX with file and line for other keys and for a needed key that is missing,
 * PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_settings_read(struct portolan_arena *arena, const char *file,
                                            const struct portolan_setting *settings, size_t n,
                                            struct portolan_error *err);

/**
 * A file of the build that the running program belongs to, such as its settings: NAME next to the
 * program or, if that is not there, INSTALLED, relative to the program's folder. The caller frees
 * *FILE. PORTOLAN_ENOTFOUND, with the remedy; PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_settings_find(const char *name, const char *installed, char **file,
                                            struct portolan_error *err);

/** The whole file, NUL-terminated; *SIZE bytes without the NUL. PORTOLAN_EIO, PORTOLAN_ENOMEM. */
enum portolan_status portolan_file_read(struct portolan_arena *arena, const char *file,
                                        const char **text, size_t *size,
                                        struct portolan_error *err);

/** What a generator made. */
struct portolan_made_file {
    const char *path, *bytes;
    size_t size;
    bool is_script; /**< to be executable, too */
};

/**
 * Writes all files, or none if one cannot be written. Makes FOLDER, in which they are, if it is
 * missing; a file whose content is the same keeps its time. PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_files_write(struct portolan_arena *arena, const char *folder,
                                          const struct portolan_made_file *made, size_t n_made,
                                          struct portolan_error *err);

/**
 * Makes a new folder for this process alone, in TMPDIR or /tmp; NULL, with ERR set to EIO or
 * ENOMEM, on failure. The path is the arena's, the folder the caller's to remove.
 */
char *portolan_temporary_folder(struct portolan_arena *arena, struct portolan_error *err);

/** Removes FOLDER and its contents, as far as possible. */
void portolan_folder_remove(const char *folder);

/** Whether FILE is a regular file that may be executed. */
bool portolan_is_program(const char *file);

/**
 * The file of the program NAME as execvp(3) finds it: NAME itself if it has a slash, which need not
 * be there, else in the arena; NULL, with errno, if no folder of PATH has it.
 */
const char *portolan_program_find(struct portolan_arena *arena, const char *name);

/**
 * Runs COMMAND, found by PATH, and waits; its input is empty, and its output and errors go to FILE.
 * PORTOLAN_ENOTFOUND when it cannot be started or FILE cannot be opened, PORTOLAN_EFOREIGN when it
 * does not exit with 0, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_command_run(struct portolan_arena *arena,
                                          struct portolan_words *command, const char *file,
                                          struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
