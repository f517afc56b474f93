/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * XML files as small trees in an arena, with the line and column of every tag and attribute; a
 * checker that reports to the user; writers of elements. Only xml.c sees libxml2.
 *
 * No network, no entities but XML's own five, at most 4 MiB and libxml2's own bounds on depth and
 * names. One thread at a time. These functions are linked into each library that uses them.
 */
#ifndef PORTOLAN_XML_H
#define PORTOLAN_XML_H

#include <portolan/base.h>

struct xml_attribute {
    const char *name, *value;
    int line, column;
};

struct xml_element {
    const char *name, *file;
    const char *space; /**< the namespace that it is in, or NULL */
    const char *text;  /**< up to the first child, trimmed; never NULL */
    const char *tail;  /**< between its end and the next tag, trimmed; never NULL */
    int line, column;  /**< of its start tag; columns count characters */
    int text_line;     /**< where text other than blanks begins inside; 0 = none */
    size_t n_attributes;
    struct xml_attribute *attributes;
    struct xml_element *parent, *children, *last_child, *next;
};

/**
 * What an element may hold; lists end with NULL. Children may come in any order. The user learns
 * the nearest known word from these lists, so that grammar and messages cannot differ.
 */
struct xml_rule {
    const char *name;
    const char *const *required, *const *optional; /**< attributes */
    const struct xml_rule *const *children;
    bool text; /**< character data is allowed */
    bool once; /**< at most one in its parent */
};

/** Lists of a rule. */
#define XML_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define XML_RULES(...) ((const struct xml_rule *const[]){__VA_ARGS__, NULL})

/** What a file may use of XML. */
enum xml_form {
    XML_PLAIN,      /**< UTF-8 without namespaces and document types */
    XML_NAMESPACES, /**< also namespaces, and other encodings */
    XML_FOREIGN     /**< also document types, which are passed over */
};

/**
 * Reports problems to D and then returns ESYNTAX; EIO if the file cannot be read; ENOMEM, and
 * then ARENA has `failed`. FILE is not copied: it must live as long as the tree and as D may
 * report.
 */
enum portolan_status xml_read_file(struct portolan_arena *arena, const char *file,
                                   enum xml_form form, struct portolan_diagnostics *d,
                                   struct xml_element **root, struct portolan_error *err);
/** Reads any small file as it is; the caller clears *BYTES, which begins as {0}. EIO, ENOMEM. */
enum portolan_status xml_read_bytes(const char *file, struct portolan_text *bytes,
                                    struct portolan_error *err);
enum portolan_status xml_read_text(struct portolan_arena *arena, const char *text, size_t size,
                                   const char *file, enum xml_form form,
                                   struct portolan_diagnostics *d, struct xml_element **root,
                                   struct portolan_error *err);

/** Reports everything in the tree below ROOT that RULE does not allow. */
void xml_check(const struct xml_element *root, const struct xml_rule *rule,
               struct portolan_diagnostics *d);
/** Reports to D at the place of an attribute of E, or of E itself if that is missing or NULL. */
void xml_complain(struct portolan_diagnostics *d, const struct xml_element *e,
                  const char *attribute, const char *format, ...) PORTOLAN_PRINTF(4, 5);

const struct xml_attribute *xml_attribute(const struct xml_element *e, const char *name);
/** The attribute's value, or NULL. */
const char *xml_value(const struct xml_element *e, const char *name);
/** Number of the parent's child elements with this name. */
size_t xml_count(const struct xml_element *parent, const char *name);
/** The first child of that name after PREVIOUS (NULL: from the start), or NULL. */
const struct xml_element *xml_next(const struct xml_element *parent,
                                   const struct xml_element *previous, const char *name);

/** Adds INDENT, "<NAME" and pairs of an attribute's name and value, ended by NULL. */
void xml_add_start(struct portolan_text *t, const char *indent, const char *name, ...);
/** Adds ` NAME="VALUE"`; nothing when VALUE is NULL, or a number that is not finite. */
void xml_add_attribute(struct portolan_text *t, const char *name, const char *value);
void xml_add_number(struct portolan_text *t, const char *name, double value);

#endif
