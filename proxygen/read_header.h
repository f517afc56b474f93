/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a header: read_header.c parses it, collects what holds for every kind of port, and hands
 * it to the reader of the port's kind.
 */
#ifndef PROXYGEN_READ_HEADER_H
#define PROXYGEN_READ_HEADER_H

#include "declare.h"

/* ------------------------------------------------------------------ the readers */

/* A struct with a pointer to a table of functions, or that holds its functions itself. */
enum portolan_status proxygen_read_struct(struct header *h);
/* The functions whose names match options->functions. */
enum portolan_status proxygen_read_functions(struct header *h);

/* The struct WORD becomes the run's port; ASKED is where it is asked for, NULL: by the options. */
enum portolan_status proxygen_read_object(struct header *h, const char *word,
                                          const struct place *asked);
/* The structs that the side file says methods hand out. */
enum portolan_status proxygen_read_given(struct header *h);

/* An abstract class of C++. */
enum portolan_status proxygen_read_class(struct header *h);

/* ------------------------------------------------------------------ for all of them */

/*
 * Parses the header again with MORE behind it, reports what is wrong as the header's (with TRIAL:
 * as a proxy's of the port), and leaves the result, which is the caller's, in *UNIT (NULL on
 * failure). Without TRIAL what is private counts as public.
 */
enum portolan_status proxygen_header_parse_more(struct header *h, const char *more, bool trial,
                                                CXTranslationUnit *unit);

/*
 * Reads the run's header again, as it was read, with MORE behind it and FLAG behind the flags. *H
 * is to be closed; MORE begins in line *LINE of the main file. What is wrong is not reported.
 */
enum portolan_status proxygen_header_again(struct run *run, const char *more, const char *flag,
                                           struct header *h, int *line);
void proxygen_header_close(struct header *h);
/* PLACE is in the main file, which includes the header. */
bool proxygen_header_is_main(const struct place *place);

/*
 * True for declarations that count: those of the header itself, or of the files that options->from
 * names. What a user names (a port's struct) is taken from anywhere.
 */
bool proxygen_header_counts(struct header *h, CXCursor cursor);

/* How generated code includes the header: by the shortest name the flags' folders allow. */
const char *proxygen_header_include(struct header *h);

/* Keeps what the flags define for the generated file. */
void proxygen_record_flags(struct header *h);

/* The word of options->port: what stands before '=', without a leading "struct ". */
const char *proxygen_header_word(struct header *h);
/* The port type that options->port asks for: what stands behind '=', or the word. */
const char *proxygen_header_type(struct header *h);

/* ------------------------------------------------------------------ attributes */

struct annotations {
    struct header *h;
    bool context, accuracy, destroys, status;
};
struct annotations proxygen_read_annotations(struct header *h, CXCursor cursor);

/* The declaration CURSOR as clang writes it if it has attributes that libclang does not name. */
const char *proxygen_print_attributes(struct header *h, CXCursor cursor);

/* A diagnostic says that an attribute at LOCATION is unknown; TEXT has its name in quotes. */
void proxygen_note_unknown_attribute(struct header *h, CXSourceLocation location, const char *text);
/* One that the declaration CURSOR, or a typedef behind it, has; NULL: none. */
const struct unknown_attribute *proxygen_unknown_attribute(struct header *h, CXCursor cursor);

/* ------------------------------------------------------------------ methods of structs */

/* True for a pointer, const or not, to the port's struct OBJECT. */
bool proxygen_is_object(struct header *h, CXType type, CXType object);

/*
 * Reads the function type FUNCTION of CURSOR (a member or a function) into M, which is zeroed.
 * OBJECT is the port's struct; of kind CXType_Invalid where there is none, as in lists of
 * functions.
 */
enum portolan_status proxygen_read_method(struct header *h, CXCursor cursor, CXType function,
                                          CXType object, struct method *m);

/* Notes the inline functions and macros that work on OBJECT, when the methods are known. */
void proxygen_read_unseen(struct header *h, CXType object);

/*
 * Makes the model's methods of the members of the table of operations; PATHS is how they are
 * reached from it.
 */
enum portolan_status proxygen_read_methods(struct header *h, const CXCursor *fields,
                                           const char *const *paths, size_t n_fields,
                                           CXType object);

#endif
