/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH's rules are a tree in JSON: objects in objects, whose keys are conditions; the first that
 * holds is entered. The default is MPICH 4.0.2's own rules, in collective_rules_default.h; files of
 * the same form, which environment variables or the machine file name, replace them.
 */
#include "collective.h"

#include <portolan/list.h>

#include <ctype.h>
#include <errno.h>

enum fact {
    COMM_TYPE,
    COMM_SIZE,
    COMM_HIERARCHY,
    COMM_AVG_PPN,
    IS_NODE_CONSECUTIVE,
    AVG_MSG_SIZE,
    TOTAL_MSG_SIZE,
    COUNT,
    IS_COMMUTATIVE,
    IS_OP_BUILT_IN,
    IS_BLOCK_REGULAR,
    IS_SENDBUF_INPLACE,
    IS_MULTI_THREADED,
    FACTS,
    POW2,
    NODE_COMM_SIZE,
    NUMBERS
};
static const char *const fact_names[] = {
    "comm_type",           "comm_size",      "comm_hierarchy",   "comm_avg_ppn",
    "is_node_consecutive", "avg_msg_size",   "total_msg_size",   "count",
    "is_commutative",      "is_op_built_in", "is_block_regular", "is_sendbuf_inplace",
    "is_multi_threaded",
};
#define KIND_NAME(kind, name) #name,
static const char *const kind_names[] = {COLLECTIVE_KINDS(KIND_NAME)};

/* A condition; or, if ALGORITHM is set, the choice. */
struct rule {
    enum fact fact;
    enum { EQUAL, LESS, AT_MOST, ANYTHING } relation;
    enum fact than; /* for POW2, NODE_COMM_SIZE; other facts are compared with VALUE */
    int64_t value;
    const struct algorithm *algorithm;
    uint32_t inside, next; /* indices of rules; 0: none */
};

/* Shared by all ranks. */
static struct rule *rules;
static size_t n_rules, rules_room;
/* The first rules of collectives, and of their nonblocking forms. */
static uint32_t roots[RULES_LAYERS][2][COLLECTIVES];
static bool is_read, is_device_used;

static const char *const default_rules[] = {
#include "collective_rules_default.h"
};

/* ---------------------------------------------------------------- algorithms by name */

/* Compositions that ch4 names though there is only one; and neighbours', which have no rules. */
static const struct algorithm flat = {.name = "flat", .run = collective_run_flat};

static bool has_name(const char *names, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* Finds an algorithm; NAME NULL: the first of its collective. */
static const struct algorithm *find_algorithm(enum collective_kind kind, bool is_inter,
                                              const char *name)
{
    static const struct algorithm *const tables[] = {data_algorithms, reduce_algorithms,
                                                     inter_algorithms, node_algorithms};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct algorithm *a = tables[i]; a->run; a++)
            if (a->kind == kind && (a->where == BETWEEN) == is_inter &&
                (!name || has_name(a->name, name)))
                return a;
    return NULL;
}

/* Reads names: "MPIR_Iallreduce_intra_sched_recursive_doubling" means recursive_doubling. */
static const struct algorithm *read_algorithm(enum collective_kind kind, const char *name)
{
    static const char *const before[] = {"_intra_", "_inter_", "_allcomm_", "_mpi_"};
    static const char *const ways[] = {"sched_", "gentran_", "tsp_"};
    const char *at, *tail = name;
    bool is_inter = strstr(name, "_inter_") != NULL;
    const struct algorithm *a;

    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if ((at = strstr(name, before[i])))
            tail = at + strlen(before[i]);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(tail, ways[i], strlen(ways[i])) == 0)
            tail += strlen(ways[i]);
    if (strncmp(name, "MPIDI_POSIX", 11) == 0)
        tail = "release_gather";
    a = find_algorithm(kind, is_inter, tail);
    if (!a)
        a = find_algorithm(kind, !is_inter, tail);
    if (!a && (kind >= NEIGHBOR_ALLGATHER || strncmp(tail, "composition_", 12) == 0))
        a = &flat;
    return a;
}

/* ---------------------------------------------------------------- reading */

struct reader {
    const char *at;
    const char *where; /* name of the file */
    enum collective_kind kind;
};

static void __attribute__((noreturn)) misread(const struct reader *r, const char *what)
{
    clue_fail("%s: %s at '%.30s', expected rules of MPICH's form {\"collective=bcast\":{...}}",
              r->where, what, r->at);
}

static bool next_is(struct reader *r, char c)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* Reads a quoted key, without its blanks. */
static void read_key(struct reader *r, char *key, size_t size)
{
    size_t n = 0;

    if (!next_is(r, '"'))
        misread(r, "no key");
    for (; *r->at && *r->at != '"'; r->at++)
        if (!isspace((unsigned char)*r->at) && n + 1 < size)
            key[n++] = *r->at;
    key[n] = '\0';
    if (!next_is(r, '"') || !next_is(r, ':'))
        misread(r, "a key has no end");
}

static bool read_value(struct rule *rule, const char *text)
{
    static const struct {
        const char *text;
        int64_t value;
    } values[] = {{"yes", 1},    {"no", 0},   {"intra", 0},      {"inter", 1},
                  {"parent", 1}, {"node", 2}, {"node_roots", 3}, {"flat", 4}};
    char *end;

    rule->than = FACTS;
    if (strcmp(text, "any") == 0)
        rule->relation = ANYTHING;
    else if (strcmp(text, "pow2") == 0)
        rule->than = POW2;
    else if (strcmp(text, "node_comm_size") == 0)
        rule->than = NODE_COMM_SIZE;
    else {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            if (strcmp(text, values[i].text) == 0) {
                rule->value = values[i].value;
                return true;
            }
        rule->value = strtoll(text, &end, 10);
        return end != text && !*end;
    }
    return true;
}

static void read_condition(struct reader *r, struct rule *rule, const char *key)
{
    size_t n = strcspn(key, "<=");
    const char *value = key + n;

    for (rule->fact = 0; rule->fact < FACTS; rule->fact++)
        if (strlen(fact_names[rule->fact]) == n && strncmp(fact_names[rule->fact], key, n) == 0)
            break;
    rule->relation = strncmp(value, "<=", 2) == 0 ? AT_MOST : *value == '<' ? LESS : EQUAL;
    if (rule->fact == FACTS || !*value ||
        !read_value(rule, value + (rule->relation == AT_MOST ? 2 : 1)))
        clue_fail("%s: unknown condition '%s'", r->where, key);
}

static void read_action(struct reader *r, struct rule *rule, const char *name)
{
    rule->algorithm = read_algorithm(r->kind, name);
    if (!rule->algorithm)
        clue_fail("%s: unknown algorithm '%s'", r->where, name);
}

static uint32_t new_rule(const struct rule *rule)
{
    if (!portolan_reserve(&rules, &rules_room, n_rules + 2, sizeof *rules))
        clue_fail("out of memory");
    if (!n_rules)
        n_rules = 1; /* 0 means none */
    rules[n_rules] = *rule;
    return (uint32_t)n_rules++;
}

/* Reads an object; returns the first of its rules, 0: it is empty. */
static uint32_t read_object(struct reader *r)
{
    uint32_t first = 0, last = 0;

    if (!next_is(r, '{'))
        misread(r, "no '{'");
    while (!next_is(r, '}')) {
        struct rule rule = {0};
        char key[160];
        uint32_t i;

        read_key(r, key, sizeof key);
        if (strncmp(key, "algorithm=", 10) == 0 || strncmp(key, "composition=", 12) == 0)
            read_action(r, &rule, strchr(key, '=') + 1);
        else
            read_condition(r, &rule, key);
        rule.inside = read_object(r);
        i = new_rule(&rule);
        if (last)
            rules[last].next = i;
        else
            first = i;
        last = i;
        next_is(r, ',');
    }
    return first;
}

static void read_rules(enum rules_layer layer, const char *text, const char *where)
{
    struct reader r = {.at = text, .where = where};

    if (!next_is(&r, '{'))
        misread(&r, "no '{'");
    while (!next_is(&r, '}')) {
        char key[160];
        const char *name = key + strlen("collective=");
        bool is_request;

        read_key(&r, key, sizeof key);
        if (strncmp(key, "collective=", strlen("collective=")) != 0)
            misread(&r, "no collective");
        for (r.kind = 0; r.kind < COLLECTIVES; r.kind++)
            if (strcmp(name, kind_names[r.kind]) == 0 ||
                (*name == 'i' && strcmp(name + 1, kind_names[r.kind]) == 0))
                break;
        if (r.kind == COLLECTIVES)
            clue_fail("%s: unknown collective '%s'", where, name);
        is_request = strcmp(name, kind_names[r.kind]) != 0;
        roots[layer][is_request][r.kind] = read_object(&r);
        next_is(&r, ',');
    }
}

static void read_file(enum rules_layer layer, const char *path)
{
    struct portolan_text file = {0};
    char *text;

    if (!path || !*path)
        return;
    if (!portolan_text_add_file(&file, path, 1 << 22) ||
        portolan_text_take(&file, &text, NULL) != PORTOLAN_OK)
        clue_fail("%s: error: cannot read rules of collectives: %s", path, strerror(errno));
    read_rules(layer, text, path);
    free(text);
}

static void read_all(void)
{
    const char *device = getenv("MPIR_CVAR_DEVICE_COLLECTIVES");

    is_read = true;
    is_device_used = !device || strcmp(device, "none") != 0;
    for (int i = 0; i < (int)(sizeof default_rules / sizeof *default_rules); i++)
        read_rules(i < RULES_FLAT ? i : RULES_FLAT, default_rules[i], "rules of clue/mpi");
    read_file(RULES_FLAT, clue_collectives_file());
    read_file(RULES_FLAT, getenv("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"));
    read_file(RULES_NODES, getenv("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"));
    read_file(RULES_SHARED_MEMORY, getenv("MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"));
}

bool rules_use_device(void)
{
    if (!is_read)
        read_all();
    return is_device_used;
}

/* ---------------------------------------------------------------- choosing */

static MPI_Count sum_of(const struct blocks *b, int n)
{
    MPI_Count sum = 0;

    if (!b->counts)
        return n * b->count;
    for (int i = 0; i < n; i++)
        sum += b->counts[i];
    return sum;
}

/* Returns the size as in MPICH's rules: for some collectives it multiplies elements, not bytes. */
static int64_t total_size(const struct collective *c)
{
    int partners = c->remote ? c->remote->n : c->p->n;

    switch (c->kind) {
    case ALLGATHER:
    case ALLGATHERV:
        return sum_of(&c->receive, partners) * c->receive.type->size;
    case REDUCE_SCATTER:
        return sum_of(&c->receive, c->p->n) * c->type->size;
    case REDUCE_SCATTER_BLOCK:
        return sum_of(&c->receive, c->p->n) * (c->s->is_stored ? 1 : c->type->size);
    case GATHER:
        return c->root == MPI_ROOT ? c->receive.count * partners : c->send.count * c->p->n;
    case SCATTER:
        return c->root == MPI_ROOT ? c->send.count * partners : c->receive.count * c->p->n;
    case ALLTOALL:
        return c->receive.count * c->receive.type->size * c->p->n;
    default:
        return c->count * c->type->size * c->p->n;
    }
}

static bool is_regular(const struct collective *c)
{
    for (int i = 1; c->receive.counts && i < c->p->n; i++)
        if (c->receive.counts[i] != c->receive.counts[0])
            return false;
    return true;
}

static int64_t number(const struct collective *c, enum fact fact)
{
    const struct nodes *nodes = c->state ? c->state->nodes : NULL;

    switch (fact) {
    case COMM_TYPE:
        return c->remote != NULL;
    case COMM_SIZE:
        return c->p->n;
    case COMM_HIERARCHY:
        return c->is_on_node ? 2 : c->is_whole && nodes && nodes->is_hierarchy ? 1 : 4;
    case COMM_AVG_PPN:
        return nodes ? (c->p->n + nodes->n_nodes - 1) / nodes->n_nodes : 1;
    case IS_NODE_CONSECUTIVE:
        return c->is_whole && nodes && nodes->is_consecutive;
    case AVG_MSG_SIZE:
        return c->kind == ALLTOALL ? c->receive.count * c->receive.type->size
                                   : c->count * c->type->size;
    case TOTAL_MSG_SIZE:
        return total_size(c);
    case COUNT:
        return c->count;
    case IS_COMMUTATIVE:
        return c->s->op && c->s->op->is_commutative;
    case IS_OP_BUILT_IN:
        return c->s->op && c->s->op->is_builtin;
    case IS_BLOCK_REGULAR:
        return is_regular(c);
    case IS_SENDBUF_INPLACE:
        return is_in_place(c);
    case POW2:
        return power_of_two_below(c->p->n);
    case NODE_COMM_SIZE:
        return c->is_whole && nodes ? c->state->node.n : c->p->n;
    default:
        return 0;
    }
}

static bool holds(const struct rule *rule, const struct collective *c)
{
    int64_t value, than;

    if (rule->relation == ANYTHING)
        return true;
    value = number(c, rule->fact);
    than = rule->than == FACTS ? rule->value : number(c, rule->than);
    return rule->relation == EQUAL     ? value == than
           : rule->relation == AT_MOST ? value <= than
                                       : value < than;
}

/* Returns false where MPICH's rules choose an algorithm that is wrong: scans over mixed nodes. */
static bool fits(const struct algorithm *a, const struct collective *c)
{
    if ((a->where == BETWEEN) != (c->remote != NULL) || (a->where == OVER_NODES && !c->is_whole))
        return false;
    return a->where != OVER_NODES || c->kind != SCAN || c->state->nodes->is_consecutive;
}

/* Returns the first algorithm from rule I on whose conditions hold; NULL: none. */
static const struct algorithm *search(uint32_t i, const struct collective *c)
{
    const struct algorithm *found = NULL;

    for (; i && !found; i = rules[i].next)
        if (rules[i].algorithm && fits(rules[i].algorithm, c))
            found = rules[i].algorithm;
        else if (!rules[i].algorithm && holds(&rules[i], c))
            found = search(rules[i].inside, c);
    return found;
}

const struct algorithm *rules_choose(enum rules_layer layer, const struct collective *c)
{
    const struct algorithm *found;
    uint32_t root;

    if (!is_read)
        read_all();
    root = roots[layer][c->s->is_stored][c->kind];
    found = search(root ? root : roots[layer][false][c->kind], c);
    if (!found && layer == RULES_FLAT)
        found = find_algorithm(c->kind, c->remote != NULL, NULL);
    return found;
}
