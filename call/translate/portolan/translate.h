/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * translate: C annotated with CALL's pragmas becomes C that measures itself.
 *
 * FILE.c gives FILE.cll.c, the same code with calls of <portolan/cll.h> in place of the pragmas,
 * and FILE.cll.h, the data of its experiments; job scripts that pragmas ask for are written next to
 * them. portolan-call(1) has the language. libclang, which is loaded at the first use, analyses the
 * C around a pragma (statements, scopes, types, jumps).
 *
 * After J. A. González et al., *Analysis and Tools for Performance Prediction*, 2001, section 3.
 *
 * Functions here may be called from one thread at a time. None prints or exits.
 */
#ifndef PORTOLAN_TRANSLATE_H
#define PORTOLAN_TRANSLATE_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The files to translate. Strings are borrowed for the call. */
struct portolan_translate_options {
    /** REQUIRED. The source; its name ends in ".c", and `#line` repeats it unchanged. */
    const char *file;
    /** OPTIONAL. The compiler's flags: "-I…", "-D…", "-std=…". */
    const char *const *flags;
    size_t n_flags;
    /**
     * OPTIONAL. A compile_commands.json or its folder: the flags of the entry that compiles the
     * file come before FLAGS.
     */
    const char *compile_commands;
    /** OPTIONAL. Receives notes on what is legal but probably not intended. */
    struct portolan_diagnostics *notes;
};

/** A generated file. */
struct portolan_translate_output {
    char *name; /**< without folder: "fft.cll.c" */
    char *text;
    size_t size;
    bool is_script; /**< to be made executable */
};

/** The results for one source. Start it as `{0}`, free it with portolan_translate_clear(). */
struct portolan_translate_result {
    char *packages;   /**< pkg-config's names of what to link: "portolan-call-mpi portolan-call" */
    size_t n_outputs; /**< the source, the header, scripts in the order of their pragmas */
    struct portolan_translate_output *outputs;
};

/**
 * Translates into memory. Equal input gives equal bytes.
 *
 * Every problem of the input, pragmas and C alike, is reported to DIAGNOSTICS (may be NULL) by
 * file, line and column with the remedy, in the order of the file; ERR has the first. Then *RESULT
 * is empty and the status PORTOLAN_ESYNTAX. PORTOLAN_EINVAL when the name does not end in ".c",
 * PORTOLAN_EIO when a file cannot be read, PORTOLAN_EUNSUPPORTED without libclang,
 * PORTOLAN_ENOTFOUND when the compile commands have no entry for the file, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_translate(const struct portolan_translate_options *options,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_translate_result *result,
                                        struct portolan_error *err);

/**
 * Writes the outputs of N results into FOLDER, which is made if it is missing (its parent must
 * exist); NULL: the current one. All files or none; one whose content is the same keeps its time.
 * PORTOLAN_EIO, PORTOLAN_EEXISTS when two have one name, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_translate_write(const struct portolan_translate_result *results,
                                              size_t n, const char *folder,
                                              struct portolan_error *err);

/**
 * Finds only what to link: *PACKAGES (the caller frees it) are pkg-config's names, separated by a
 * blank, for the driver that the file's parallel pragma names. The C code is parsed only if there
 * are several such pragmas, between `#if`s; errors as above.
 */
enum portolan_status portolan_translate_packages(const struct portolan_translate_options *options,
                                                 struct portolan_diagnostics *diagnostics,
                                                 char **packages, struct portolan_error *err);

/** Frees what RESULT holds and empties it. */
void portolan_translate_clear(struct portolan_translate_result *result);

#ifdef __cplusplus
}
#endif
#endif
