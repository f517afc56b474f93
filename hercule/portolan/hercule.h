/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hercule: why a parallel program is slow, in terms of its paradigm, after Li and Malony,
 * "Automatic Performance Diagnosis of Parallel Computations with Compositional Models" (IPDPS
 * 2007).
 *
 * A paradigm is a way to compute in parallel (master-worker, pipeline …); a file of knowledge
 * describes it (portolan-paradigm(5)): behaviour, performance, metrics, inference. Knowledge is
 * read and composed by one thread; then many may read it. No function here prints or exits.
 */
#ifndef PORTOLAN_HERCULE_H
#define PORTOLAN_HERCULE_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_knowledge;

/**
 * *KNOWLEDGE: the paradigms that come with Portolan, then those of the files *.clp in the FOLDERS,
 * in their order; a paradigm replaces the one of the same name in a folder before. All mistakes are
 * reported. The caller destroys it. PORTOLAN_ESYNTAX (any mistake), PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_read(const char *const *folders,
                                                          size_t n_folders,
                                                          struct portolan_diagnostics *diagnostics,
                                                          struct portolan_knowledge **knowledge,
                                                          struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_knowledge_destroy(struct portolan_knowledge *knowledge);

/** The paradigms, sorted by name: name and one line about it. Borrowed; NULL beyond the last. */
PORTOLAN_API const char *portolan_knowledge_peek_name(const struct portolan_knowledge *knowledge,
                                                      size_t i);
PORTOLAN_API const char *portolan_knowledge_peek_text(const struct portolan_knowledge *knowledge,
                                                      size_t i);

/**
 * Adds the paradigm that TEXT describes, as a file would; LINE of FILE is where it begins, for
 * messages. So a composition is declared: "(deffacts d (paradigm (name NAME) (is-a HOST)) (nest
 * (component C) (paradigm P)))". As portolan_knowledge_read(); on failure KNOWLEDGE is as before.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_add(struct portolan_knowledge *knowledge,
                                                         const char *text, const char *file,
                                                         int line,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_error *err);

enum portolan_tree_format { PORTOLAN_TREE_TEXT, PORTOLAN_TREE_DOT };
/**
 * *TEXT: the tree of PARADIGM, from symptoms to causes, with the metric of each node, the paradigm
 * that it came from, and links to where a delay shows. malloc'ed. PORTOLAN_ENOTFOUND tells the
 * nearest name; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_knowledge_tree(const struct portolan_knowledge *knowledge, const char *paradigm,
                        enum portolan_tree_format format, char **text, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
