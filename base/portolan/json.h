/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: writing JSON (RFC 8259) into a text. The writer sets commas, blanks and escapes; a failed
 * allocation shows in the text. A writer is used by one thread at a time.
 */
#ifndef PORTOLAN_JSON_H
#define PORTOLAN_JSON_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Start it with `out` set; the rest is the writer's own. */
struct portolan_json {
    struct portolan_text *out;
    bool is_compact; /**< no blanks and no line ends; else the outer two levels have lines */
    bool has_value;  /**< the open object or array is not empty */
    int depth;
};

/** BRACKET is '{' or '[' to open, '}' or ']' to close. KEY is NULL inside arrays and at the top. */
PORTOLAN_API void portolan_json_open(struct portolan_json *j, const char *key, char bracket);
PORTOLAN_API void portolan_json_close(struct portolan_json *j, char bracket);
/** TEXT NULL is null. */
PORTOLAN_API void portolan_json_text(struct portolan_json *j, const char *key, const char *text);
/** A number that is not finite is null; else the shortest text that reads as X again. */
PORTOLAN_API void portolan_json_number(struct portolan_json *j, const char *key, double x);
PORTOLAN_API void portolan_json_bool(struct portolan_json *j, const char *key, bool x);
/** An object of N numbers. */
PORTOLAN_API void portolan_json_numbers(struct portolan_json *j, const char *key,
                                        const char *const *names, const double *values, size_t n);

/** A number as portolan_json_number() writes it, at the end of any text. */
PORTOLAN_API void portolan_text_add_number(struct portolan_text *t, double x);

/**
 * WORD as a shell reads it back, for commands that are printed to be copied: in quotes if it needs
 * some. NULL, and what is longer than there is room for, becomes "WORD".
 */
struct portolan_shell_word {
    char text[1024];
};
PORTOLAN_API struct portolan_shell_word portolan_shell_word(const char *word);

#ifdef __cplusplus
}
#endif
#endif
