/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * ccaffeine: scripts of the Ccaffeine framework (.rc, .bld): read, run, and converted to XML
 * assemblies and back. The language is that of Ccaffeine, the CCA forum's framework, as
 * docs/portolan-ccaffeine.5 documents it.
 *
 * Everything here is used by one thread at a time. Nothing prints: what a command shows goes to a
 * function of the caller.
 */
#ifndef PORTOLAN_CCAFFEINE_H
#define PORTOLAN_CCAFFEINE_H

#include <portolan/assembly.h>
#include <portolan/base.h>
#include <portolan/palette.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One command of a script; its words were separated by blanks. */
struct portolan_script_command {
    int line; /**< where it begins */
    size_t n_words;
    const char *const *words;
};

/** A script as it is written; its commands have not been checked yet. */
struct portolan_script {
    const char *file;
    bool is_bld; /**< what Ccaffeine's GUI saved: no `#!ccaffeine` in its first line */
    size_t n_commands;
    const struct portolan_script_command *commands;
    const char *name;  /**< the name after "assembly=" in its first line, or NULL */
    size_t n_comments; /**< number of comment lines left out, without the head */
    int last_line;
    void *impl; /**< private to the reader */
};

/**
 * Returns whether FILE, which begins with these SIZE bytes, is a script: by its first eleven
 * characters
 * ("#!ccaffeine") or by its name (.bld).
 */
bool portolan_script_is(const char *file, const char *bytes, size_t size);

/**
 * Reads a script from memory; FILE only names it. A backslash joins lines; comments are
 * dropped; `#!eof` ends it. Problems go to D.
 * *S, which owns its strings, is the caller's to destroy. Errors: ESYNTAX when D received anything,
 * ENOMEM; then *S is NULL.
 */
enum portolan_status portolan_script_read_text(const char *text, size_t size, const char *file,
                                               struct portolan_diagnostics *d,
                                               struct portolan_script **s,
                                               struct portolan_error *err);

/** The same from a file. Errors: also EIO. */
enum portolan_status portolan_script_read(const char *file, struct portolan_diagnostics *d,
                                          struct portolan_script **s, struct portolan_error *err);

/**
 * Collective: rank 0 reads FILE; all ranks get the same script, or NULL when FILE is not a script
 * (and is not read any further). Problems go to D, which on other ranks may report to nobody.
 * Errors: those of portolan_script_read(), on all ranks.
 */
enum portolan_status portolan_script_share(struct portolan_cohort *cohort, const char *file,
                                           struct portolan_diagnostics *d,
                                           struct portolan_script **s, struct portolan_error *err);

/** NULL is legal. */
void portolan_script_destroy(struct portolan_script *s);

/* -- running ------------------------------------------------------------------------------- */

struct portolan_interpreter;

struct portolan_interpreter_options {
    /** Folders that come before those of the script and the default ones; NULL: none. */
    const char *path;
    /** The ranks, which all run the same commands; NULL: one process. */
    struct portolan_cohort *cohort;
    /** Prints what a command shows, in whole lines; called on rank 0 only. May be NULL. */
    void (*print)(void *arg, const char *text);
    /** A warning that is not a failure; called on rank 0 only. May be NULL. */
    void (*warn)(void *arg, const char *text);
    /** `debug` and `nodebug`. May be NULL. */
    void (*debug)(void *arg, bool on);
    /** `shell`: runs a command of the operating system on rank 0. NULL: such commands fail. */
    int (*shell)(void *arg, const char *command);
    /**
     * Brings the ranks to one verdict after go(), which may have failed on some ranks while others
     * wait for them inside it. NULL: portolan_cohort_agree().
     */
    enum portolan_status (*settle)(void *arg, enum portolan_status status,
                                   struct portolan_error *err);
    void *arg;
    bool quiet;       /**< commands that only do something print nothing */
    bool keeps_going; /**< portolan_interpreter_run() continues after a command that failed */
};

/** The options' texts are copied; COHORT must outlive the interpreter. Errors: ENOMEM. */
enum portolan_status portolan_interpreter_create(const struct portolan_interpreter_options *options,
                                                 struct portolan_interpreter **in,
                                                 struct portolan_error *err);

/** The framework that the commands work on, to offer services in it. Owned by the interpreter. */
struct portolan_framework;
struct portolan_framework *portolan_interpreter_peek_framework(struct portolan_interpreter *in);

/**
 * Destroys the instances in reverse order of their creation, and warns about properties of
 * instances that were never created. NULL is legal.
 */
void portolan_interpreter_destroy(struct portolan_interpreter *in);

/**
 * Collective: runs a script to its end, its `exit`, or, unless the interpreter keeps going, its
 * first command that fails. Failures go to D with the command's line, on every rank. A command that
 * failed has changed nothing, except `nuke all`, which goes as far as it can. If it failed on some
 * ranks only, the others have changed; then the interpreter has ended, with 1. All ranks get the
 * same status and, on failure, the same text.
 * Errors: that of the first command that failed.
 */
enum portolan_status portolan_interpreter_run(struct portolan_interpreter *in,
                                              const struct portolan_script *s,
                                              struct portolan_diagnostics *d,
                                              struct portolan_error *err);

/** Returns whether `exit` was met; *CODE (may be NULL) becomes its argument, 0 without one. 1 when
 * the ranks had to end. */
bool portolan_interpreter_has_ended(const struct portolan_interpreter *in, int *code);

/* -- converting ---------------------------------------------------------------------------- */

/** Receives reports on constructs that the other form cannot express. Start it as `{.report = …,
 * .arg = …}`. */
struct portolan_conversion {
    /**
     * LOSES: the omission changes the program; else it only affects the display. LINE 0: no line.
     * May be NULL.
     */
    void (*report)(void *arg, const char *file, int line, bool loses, const char *text);
    void *arg;
    int losses;    /**< counted by the converter */
    bool is_exact; /**< class names that only the palette could complete are errors */
};

/**
 * Adds to PALETTE the classes of the folders that a script's `path` names, if these
 * exist; errors in them are ignored.
 */
void portolan_script_add_path(const struct portolan_script *s, struct portolan_palette *palette);

/**
 * Converts a script to an XML assembly by following its commands one by one up to its `go`. OUT is
 * the assembly's file (search paths are relative to it, and it names the assembly); NULL: a file in
 * the current folder. PALETTE (may be NULL) helps with shortened class names, types of parameters
 * and an unnamed go port. Commands that cannot work go to D. The caller frees *XML. Errors: ESYNTAX
 * when D received anything, ENOMEM.
 */
enum portolan_status portolan_script_to_assembly(const struct portolan_script *s,
                                                 const struct portolan_palette *palette,
                                                 const char *out, struct portolan_conversion *c,
                                                 struct portolan_diagnostics *d, char **xml,
                                                 struct portolan_error *err);

/**
 * The script that makes the assembly with its selected alternatives; AS_BLD: as Ccaffeine's GUI
 * saves it. OUT is the script's file, or NULL. The caller frees *TEXT. Errors: ENOMEM.
 */
enum portolan_status portolan_assembly_to_script(const struct portolan_assembly *a,
                                                 const struct portolan_palette *palette,
                                                 bool as_bld, const char *out,
                                                 struct portolan_conversion *c, char **text,
                                                 struct portolan_error *err);

/** The forms of a file: a script, one as Ccaffeine's GUI saves it, an XML assembly. */
enum portolan_form { PORTOLAN_FORM_RC, PORTOLAN_FORM_BLD, PORTOLAN_FORM_XML };

/** What is converted. Strings are borrowed for the call. */
struct portolan_convert_options {
    const char *in;
    const char *out;  /**< what the result will be; NULL: no file. It is not written */
    const char *path; /**< folders of components, before all others; or NULL */
    enum portolan_form from, to;
};

/**
 * Reads the file and converts it; a script becomes another one by way of an assembly. The caller
 * frees *TEXT, which is NULL on failure. Problems go to D, losses to C. Errors: those of reading
 * and of the conversions above.
 */
enum portolan_status portolan_convert(const struct portolan_convert_options *o,
                                      struct portolan_conversion *c, struct portolan_diagnostics *d,
                                      char **text, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
