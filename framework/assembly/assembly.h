/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_FRAMEWORK_ASSEMBLY_H
#define PORTOLAN_FRAMEWORK_ASSEMBLY_H

#include <portolan/assembly.h>
#include <portolan/palette.h>

#include <portolan/xml.h>

/* The private data of an assembly, to which portolan_assembly.impl points. */
struct assembly_impl {
    struct portolan_arena arena;
};

extern const struct xml_rule assembly_rule, applies_rule, applies_class_rule, model_rule;
extern const struct xml_rule layout_rule, data_rule, paradigm_rule, instance_rule, program_rule;

/* Checks references between the elements of an assembly, whatever the classes are. */
void assembly_check_references(const struct portolan_assembly *a, struct portolan_diagnostics *d);

/* The instance of that name; NULL after a complaint. WHERE ("<pair of>") says what names it. */
const struct portolan_assembly_instance *assembly_known_instance(const struct portolan_assembly *a,
                                                                 struct portolan_diagnostics *d,
                                                                 const char *name, int line,
                                                                 const char *where);

const struct portolan_assembly_parameter *
assembly_parameter(const struct portolan_assembly_alternative *alternative, const char *name);

/* Returns whether the parameter is from the instance element itself, so that all alternatives have
 * it. */
bool assembly_is_inherited(const struct portolan_assembly_instance *instance,
                           const struct portolan_assembly_parameter *parameter);

/* The type of an instance's parameter in any alternative, or NULL when none states it. */
const struct portolan_assembly_parameter *
assembly_any_parameter(const struct portolan_assembly_instance *instance, const char *name);

/* Returns whether ATTRIBUTE of E is "yes"; without it, it is not. */
bool assembly_read_flag(const struct xml_element *e, const char *attribute,
                        struct portolan_diagnostics *d);

/* The attribute "stateful" of E. */
enum portolan_stateful assembly_read_stateful(const struct xml_element *e,
                                              struct portolan_diagnostics *d);

/* An assembly on its way from a file. */
struct assembly_reader {
    struct portolan_assembly *a;
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
};

/* Complains about attributes of E, but "value" and "words", that are empty. */
void assembly_require_text(struct assembly_reader *r, const struct xml_element *e);

/* Sets *VALUE if E has ATTRIBUTE, a number that is not negative. */
void assembly_read_double(struct assembly_reader *r, const struct xml_element *e,
                          const char *attribute, double *value);

/* When memory runs out while these functions read, the arena's `failed` is set. */

/* Reads all <instance>. */
void assembly_read_instances(struct assembly_reader *r, const struct xml_element *root);

/* Reads one <parameter>. */
void assembly_read_parameter(struct assembly_reader *r, const struct xml_element *e,
                             struct portolan_assembly_parameter *p);

/* Reads <program>: the instances that were read become its options. Once all is read, _finish
 * checks that nothing in the assembly contradicts it, and makes the combination as written. */
void assembly_read_program(struct assembly_reader *r, const struct xml_element *root);
void assembly_finish_program(struct assembly_reader *r);
/* portolan_options_settle(), also while ARENA does not belong to the assembly yet. */
enum portolan_status assembly_settle_options(struct portolan_assembly *a,
                                             struct portolan_arena *arena,
                                             struct portolan_error *err);
/* Complains about words of instances, where there is no program. */
void assembly_refuse_words(struct assembly_reader *r, const struct xml_element *root);
void assembly_write_program(struct portolan_text *b, const struct portolan_assembly *a);
/* Calls VISIT with each placeholder's name, which is not terminated, in TEXT (NULL: none). */
void assembly_visit_places(const char *text,
                           void (*visit)(void *arg, const char *name, size_t length), void *arg);

/* Reads <cases>. */
void assembly_read_cases(struct portolan_assembly *a, struct portolan_arena *arena,
                         const struct xml_element *e, struct portolan_diagnostics *d);

/* Checks the values of the cases and what they refer to, after everything else is read. */
void assembly_check_cases(const struct portolan_assembly *a, struct portolan_diagnostics *d);

/* "(LEFT) and (RIGHT)", or the one that is not NULL. */
static inline const char *assembly_join_conditions(struct portolan_arena *arena, const char *left,
                                                   const char *right)
{
    return !left || !right ? left ? left : right
                           : portolan_arena_printf(arena, "(%s) and (%s)", left, right);
}

/*
 * Joins the conditions of E's <applies> children, whose form is checked, to CONDITION (NULL: none).
 * LINE, unless it is set, becomes the line of the first child.
 */
void assembly_read_applies(struct portolan_arena *arena, const struct xml_element *e,
                           struct portolan_diagnostics *d, const char **condition, int *line);

/* The path of a file that the assembly names relative to its folder; NULL when memory runs out. */
const char *assembly_beside(const struct portolan_assembly *a, struct portolan_arena *arena,
                            const char *name);

/* Reads the <model> children of E, after those of BASE (may be NULL) if the class is the same. */
void assembly_read_models(const struct portolan_assembly *a, struct portolan_arena *arena,
                          const struct xml_element *e, struct portolan_diagnostics *d,
                          const struct portolan_assembly_alternative *base,
                          struct portolan_assembly_alternative *out);

/* Reads the <layout> children and the memory of E, after those of BASE, as the models. */
void assembly_read_layouts(struct portolan_arena *arena, const struct xml_element *e,
                           const struct portolan_assembly_alternative *base,
                           struct portolan_assembly_alternative *out);

/* Reads all <data>. */
void assembly_read_data(struct portolan_assembly *a, struct portolan_arena *arena,
                        const struct xml_element *root, struct portolan_diagnostics *d);

/* Checks what <data> and <layout> refer to. */
void assembly_check_data(const struct portolan_assembly *a, struct portolan_diagnostics *d);

/* Writes them again. */
void assembly_write_data(struct portolan_text *b, const struct portolan_assembly *a);

/* The same for <paradigm>. */
void assembly_read_paradigm(struct portolan_assembly *a, struct portolan_arena *arena,
                            const struct xml_element *e, struct portolan_diagnostics *d);
void assembly_check_paradigm(const struct portolan_assembly *a, struct portolan_diagnostics *d);
void assembly_write_paradigm(struct portolan_text *b, const char *indent,
                             const struct portolan_assembly_paradigm *p);

/* Selects another alternative if the selected one may not run. */
void assembly_leave_excluded(struct portolan_assembly_instance *i);

/* Checks that the parameters that conditions name exist. */
void assembly_check_applies(const struct portolan_assembly *a, struct portolan_diagnostics *d);

/* Reports that no alternative of the instance states the parameter, with the nearest name. */
enum portolan_status assembly_unknown_parameter(const struct portolan_assembly_instance *i,
                                                const char *name, struct portolan_error *err);

const char *assembly_nearest_instance(const struct portolan_assembly *a, const char *name);

/* Loads the class and returns its descriptor's `applies`; NULL, with a warning in the log, if the
 * descriptor has none. Set by core/instances.c: NULL in programs that treat assemblies and palettes
 * as mere data, which load no classes. */
typedef portolan_applies_fn assembly_query_fn(const struct portolan_class_description *class);
extern assembly_query_fn *assembly_find_query;

#endif
