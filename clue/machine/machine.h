/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of machine files: shared by its parts. */
#ifndef CLUE_MACHINE_INTERNAL_H
#define CLUE_MACHINE_INTERNAL_H

#include <portolan/clue_machine.h>
#include <portolan/xml.h>

enum { MOST_HOSTS = 1 << 16, MOST_CPUS = 1 << 12, MOST_CLASSES = 1 << 11 };

struct machine_reader {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    struct clue_machine_file *file;
    const char *path;
};

/* Hosts FIRST ... FIRST + N - 1. LEVEL says how specific their name is: the greater, the more. */
struct host_range {
    int first, n;
    enum host_level { LEVEL_ALL, LEVEL_TYPE, LEVEL_RANGE, LEVEL_SELF, LEVEL_HOST } level;
};

/* Returns how specific a pair is: by both sides together, then by the sender. */
static inline int machine_level(const struct host_range *from, const struct host_range *to)
{
    return (int)(from->level + to->level) * 8 + (int)from->level;
}

/* The reader: makes the file, in its own arena, from the tree of elements; reports problems. */
void machine_read_pairs(struct machine_reader *r, const struct xml_element *root);
void machine_read_network(struct machine_reader *r, const struct xml_element *root);
void machine_read_topology(struct machine_reader *r, const struct xml_element *network);
void machine_read_background(struct machine_reader *r, const struct xml_element *root);
void machine_read_changes(struct machine_reader *r, const struct xml_element *root);

/* A law of a host, or of collectives, which is an element with this name. */
struct law_member {
    const char *name;
    size_t offset; /* offset in struct clue_host, or in struct clue_machine */
    /* An attribute with this name may give the constant (CLUE_A_TIME) or the time of each byte
     * instead; CLUE_NO_QUANTITY: there is none. */
    enum clue_quantity attribute;
    enum clue_parameter parameter; /* the parameter whose error it has */
};
enum { HOST_LAWS = 2, COLLECTIVE_LAWS = 5 };
extern const struct law_member host_laws[HOST_LAWS], collective_laws[COLLECTIVE_LAWS];
static inline struct clue_law *law_of(const void *owner, const struct law_member *law)
{
    return (struct clue_law *)((char *)owner + law->offset);
}
extern const struct xml_rule network_rule, load_rule, traffic_rule, change_rule, point_rule;

/* The rules of an element that is a law. */
#define LAW .optional = XML_WORDS("k", "d"), .children = XML_RULES(&point_rule)

/* Finds the hosts that TEXT names ("node[2-5]"); false: none, and *WHY is a text of the arena. */
bool machine_find_range(const struct clue_machine_file *f, struct portolan_arena *arena,
                        const char *text, struct host_range *range, const char **why);
/* Does the same for an attribute, and reports problems. */
bool machine_read_range(struct machine_reader *r, const struct xml_element *e,
                        const char *attribute, struct host_range *range);

/* Returns whether PATTERN, which may end with '*', matches NAME. */
bool machine_is_named(const char *name, const char *pattern);

/* The law that holds from hosts to hosts: pair_table of the machine. */
struct pair_table {
    size_t n_classes;
    const uint32_t *class_of;    /* by host: all rules treat a class alike */
    const uint32_t *pair;        /* at [from class * n_classes + to class]; or NO_PAIR */
    const uint32_t *pair_itself; /* the pair of a host with itself, by class */
};
enum { NO_PAIR = UINT32_MAX };

/* Read attributes as values. A missing one leaves *VALUE as it was; problems are reported. */
void machine_read_ns(struct machine_reader *r, const struct xml_element *e, const char *attribute,
                     int64_t *ns);
/* Returns the index of the attribute's value among WORDS, up to NULL; else reports a problem. */
extern const char *const machine_yes_or_no[];
void machine_read_word(struct machine_reader *r, const struct xml_element *e, const char *attribute,
                       const char *const *words, int *value);
void machine_read_law(struct machine_reader *r, const struct xml_element *e, struct clue_law *law);
void machine_read_distribution(struct machine_reader *r, const struct xml_element *e,
                               const char *attribute, enum clue_quantity quantity,
                               struct clue_distribution *distribution);

#endif
