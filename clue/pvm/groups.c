/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups (libgpvm3). A real PVM has a server task that answers for all; here joining, leaving and
 * queries take no time, and operations send messages among the members.
 */
#include "internal.h"

struct group {
    struct pvm_named named;
    int *tids; /* task ids by instance; 0: free */
    int n, room;
    bool is_frozen;
    /* State of a barrier: the first to arrive sends to the others when enough have arrived. */
    int n_arrived, first;
    uint32_t barrier;
};

static int instance_of(const struct group *g, int tid)
{
    for (int i = 0; i < g->room; i++)
        if (g->tids[i] == tid)
            return i;
    return PvmNotInGroup;
}

/* Finds a group, in virtual order. Returns its code, or PvmOk and *G. */
static int find(const char *name, struct group **g)
{
    if (!name || !*name)
        return PvmNullGroup;
    clue_in_order();
    clue_assume("the group server has no timeouts in virtual time");
    *g = pvm_named(&pvm_machine()->groups, name, 0);
    return *g ? PvmOk : PvmNoGroup;
}

/* Defines a public function as an expression of the group G with NAME. */
#define PVM_OF_GROUP(function, parameters, ...)                                                    \
    PORTOLAN_API int function parameters                                                           \
    {                                                                                              \
        struct group *g;                                                                           \
        int code;                                                                                  \
                                                                                                   \
        PVM_ENTER();                                                                               \
        code = find(name, &g);                                                                     \
        return pvm_leave(code < 0 ? code : (__VA_ARGS__));                                         \
    }

static int join(const char *name)
{
    struct group *g = NULL;
    int code = find(name, &g), i = 0, tid = pvm_self()->tid;

    if (code == PvmNullGroup)
        return code;
    g = pvm_named(&pvm_machine()->groups, name, sizeof *g);
    if (instance_of(g, tid) >= 0)
        return PvmDupGroup;
    if (g->is_frozen)
        return PvmNotInGroup;
    while (i < g->room && g->tids[i])
        i++;
    if (i == g->room) {
        g->tids = pvm_share_more(g->tids, (size_t)g->room * sizeof *g->tids,
                                 (size_t)(g->room + 8) * sizeof *g->tids);
        g->room = 2 * g->room + 8;
    }
    g->tids[i] = tid;
    g->n++;
    return i;
}

PVM_CALL(pvm_joingroup, (char *name), join(name))

static void leave(struct group *g, int instance)
{
    g->tids[instance] = 0;
    g->n--;
}

/* Removes groups without members. */
static void forget_empty(void)
{
    for (struct pvm_named **at = &pvm_machine()->groups; *at;) {
        struct group *g = (struct group *)*at;

        if (g->n) {
            at = &(*at)->next;
            continue;
        }
        *at = g->named.next;
        clue_unshare(g->named.name);
        clue_unshare(g->tids);
        clue_unshare(g);
    }
}

static int leave_own(struct group *g)
{
    int i = instance_of(g, pvm_self()->tid);

    if (i < 0)
        return i;
    leave(g, i);
    forget_empty();
    return PvmOk;
}

PVM_OF_GROUP(pvm_lvgroup, (char *name), leave_own(g))

void pvm_groups_leave_all(int tid)
{
    for (struct pvm_named *n = pvm_machine()->groups; n; n = n->next) {
        int i = instance_of((struct group *)n, tid);

        if (i >= 0)
            leave((struct group *)n, i);
    }
    forget_empty();
}

PVM_OF_GROUP(pvm_getinst, (char *name, int tid), instance_of(g, tid))
PVM_OF_GROUP(pvm_gettid, (char *name, int instance),
             instance < 0 || instance >= g->room || !g->tids[instance] ? PvmNoInst
                                                                       : g->tids[instance])
PVM_OF_GROUP(pvm_gsize, (char *name), g->n)

/* Finds how many of the group are on the host, the least of their tids, and how many hosts it
 * has. */
static int look_at_host(const struct group *g, int host, int *coordinator, int *n_members,
                        int *n_hosts)
{
    for (int i = 0; i < g->room; i++) {
        int own = g->tids[i] ? pvm_tidtohost(g->tids[i]) : -1, before = 0;

        while (before < i && (!g->tids[before] || pvm_tidtohost(g->tids[before]) != own))
            before++;
        *n_hosts += own >= 0 && before == i;
        if (own != host)
            continue;
        *coordinator = *n_members && *coordinator < g->tids[i] ? *coordinator : g->tids[i];
        ++*n_members;
    }
    return *n_members ? PvmOk : PvmNoGroup;
}

/* Part of libgpvm3, though no header declares it. */
PORTOLAN_API int pvm_grphostinfo(char *name, int host, int *coordinator, int *n_members,
                                 int *n_hosts);
int pvm_grphostinfo(char *name, int host, int *coordinator, int *n_members, int *n_hosts)
{
    struct group *g;
    int code;

    PVM_ENTER();
    *coordinator = -1;
    *n_members = *n_hosts = 0;
    code = find(name, &g);
    return pvm_leave(code < 0 ? code : look_at_host(g, host, coordinator, n_members, n_hosts));
}

/* Does nothing: a real server of groups writes them into its own log. */
PORTOLAN_API int pvm_gsdump(void);
int pvm_gsdump(void)
{
    PVM_ENTER();
    clue_assume("the group server has no dump in virtual time");
    return pvm_leave(PvmOk);
}

/* ------------------------------------------------- operations */

/* Finds the group, of which the caller must be a member. */
static int find_own(const char *name, struct group **g)
{
    int code = find(name, g);

    return code < 0 ? code : instance_of(*g, pvm_self()->tid) < 0 ? PvmNotInGroup : PvmOk;
}

/* Waits until COUNT have come: the first to come receives from the others, and then sends to
 * them. */
static int hold_meeting(int count, int number)
{
    struct pvm_task *t = pvm_self();
    int *others = malloc((size_t)count * sizeof *others);

    if (!others)
        return PvmNoMem;
    for (int i = 1; i < count; i++) {
        int id = pvm_receive_from(t, CLUE_ANY, PVM_CONTEXT_GROUPS, number, -1);
        struct pvm_buffer *b = pvm_buffer_of(t, id);

        others[i] = b ? pvm_task_number(b->source) : -1;
        pvm_buffer_free(t, id);
    }
    for (int i = 1; i < count; i++)
        if (others[i] >= 0)
            pvm_signal(others[i], PVM_CONTEXT_GROUPS, number, false);
    free(others);
    return PvmOk;
}

static int meet(struct group *g, int count)
{
    int number = (int)(g->barrier & 0x3fffffff), first;
    bool is_first = g->n_arrived == 0;

    count = count < 0 ? g->n : count;
    if (count < 1)
        return PvmBadParam;
    g->first = first = is_first ? clue_self() : g->first;
    if (++g->n_arrived == count) {
        g->n_arrived = 0;
        g->barrier++;
    }
    if (is_first)
        return hold_meeting(count, number);
    pvm_signal(first, PVM_CONTEXT_GROUPS, number, false);
    pvm_await(first, PVM_CONTEXT_GROUPS, number, false);
    return PvmOk;
}

static int meet_own(const char *name, int count, bool freezes)
{
    struct group *g;
    int code = find_own(name, &g);

    if (code == PvmOk)
        code = meet(g, count);
    if (code == PvmOk && freezes)
        g->is_frozen = true;
    return code;
}

PVM_CALL(pvm_barrier, (char *name, int count), meet_own(name, count, false))
PVM_CALL(pvm_freezegroup, (char *name, int size), meet_own(name, size, true))

PORTOLAN_API int pvm_bcast(char *name, int tag)
{
    struct pvm_task *t = pvm_self();
    struct group *g;
    int code, n = 0, *tids;

    PVM_ENTER();
    if (tag < 0)
        return pvm_leave(PvmBadParam);
    code = find(name, &g);
    if (code < 0)
        return pvm_leave(code);
    if (!t->send_buffer)
        return pvm_leave(PvmNoBuf);
    tids = malloc((size_t)g->room * sizeof *tids);
    for (int i = 0; tids && i < g->room; i++)
        if (g->tids[i] && g->tids[i] != t->tid)
            tids[n++] = g->tids[i];
    code = tids ? pvm_mcast(tids, n, tag) : PvmNoMem;
    free(tids);
    return pvm_leave(code);
}

/* Returns the members of an operation by instance, as they were when the caller came: *N of them,
 * and the instances of the caller and the root. The caller frees them. */
static int members(const char *name, int root, int **tids, int *n, int *own)
{
    struct group *g;
    int code = find_own(name, &g);

    if (code < 0)
        return code;
    if (root < 0 || root >= g->room || !g->tids[root])
        return PvmNoInst;
    *own = instance_of(g, pvm_self()->tid);
    *tids = malloc((size_t)g->room * sizeof **tids);
    if (!*tids)
        return PvmNoMem;
    memcpy(*tids, g->tids, (size_t)g->room * sizeof **tids);
    *n = g->room;
    return PvmOk;
}

typedef void pvm_function(int *type, void *x, void *y, int *n, int *info);

/* Combines the root's VALUES with those of each other member, in the order of instances. */
static int combine(pvm_function *f, void *values, int count, int type, int tag, const int *tids,
                   int n, int root)
{
    void *other = malloc(pvm_bytes(type, count) + 1);
    int code = other ? PvmOk : PvmNoMem;

    for (int i = 0; i < n && code == PvmOk; i++) {
        if (!tids[i] || i == root)
            continue;
        code = pvm_precv(tids[i], tag, other, count, type, NULL, NULL, NULL);
        if (code == PvmOk)
            f(&type, values, other, &count, &code);
    }
    free(other);
    return code;
}

/* Returns the K-th of the members' parts, in the order of instances. */
static void *part(void *all, int k, int count, int type)
{
    return (char *)all + (size_t)k * pvm_bytes(type, count);
}

static int distribute(void *result, void *data, int count, int type, int tag, const int *tids,
                      int n, int root, bool is_gather)
{
    int k = 0, code = PvmOk;
    size_t bytes = pvm_bytes(type, count);

    for (int i = 0; i < n && code == PvmOk; i++) {
        if (!tids[i])
            continue;
        if (i == root && is_gather)
            memmove(part(result, k, count, type), data, bytes);
        else if (i == root)
            memmove(result, part(data, k, count, type), bytes);
        else if (is_gather)
            code = pvm_precv(tids[i], tag, part(result, k, count, type), count, type, NULL, NULL,
                             NULL);
        else
            code = pvm_psend(tids[i], tag, part(data, k, count, type), count, type);
        k++;
    }
    return code;
}

/* Exchanges data with the root. F: reduces them; NULL: gathers or scatters. */
static int exchange(pvm_function *f, void *result, void *data, int count, int type, int tag,
                    const char *name, int root, bool is_gather)
{
    int *tids = NULL, n, own, code;

    if (count < 0 || type < PVM_BYTE || type > PVM_ULONG || tag < 0)
        return PvmBadParam;
    code = members(name, root, &tids, &n, &own);
    if (code == PvmOk && own == root && f)
        code = combine(f, data, count, type, tag, tids, n, root);
    else if (code == PvmOk && own == root)
        code = distribute(result, data, count, type, tag, tids, n, root, is_gather);
    else if (code == PvmOk)
        code = is_gather ? pvm_psend(tids[root], tag, data, count, type)
                         : pvm_precv(tids[root], tag, result, count, type, NULL, NULL, NULL);
    free(tids);
    return code;
}

PVM_CALL(pvm_reduce,
         (pvm_function * f, void *values, int count, int type, int tag, char *name, int root),
         f ? exchange(f, NULL, values, count, type, tag, name, root, true) : PvmBadParam)
PVM_CALL(pvm_gather, (void *result, void *data, int count, int type, int tag, char *name, int root),
         exchange(NULL, result, data, count, type, tag, name, root, true))
PVM_CALL(pvm_scatter,
         (void *result, void *data, int count, int type, int tag, char *name, int root),
         exchange(NULL, result, data, count, type, tag, name, root, false))

/* ------------------------------------------------- functions for pvm_reduce() */

/* Complex numbers are compared by modulus. */
#define MODULUS(z) (__real__(z) * __real__(z) + __imag__(z) * __imag__(z))

#define COMBINE(number, c, expression)                                                             \
    case number:                                                                                   \
        for (int i = 0; i < *n; i++) {                                                             \
            c x = ((c *)to)[i], y = ((c *)from)[i];                                                \
            ((c *)to)[i] = (c)(expression);                                                        \
        }                                                                                          \
        break;
#define FUNCTION(name, of_reals, of_complex)                                                       \
    PORTOLAN_API void name(int *type, void *to, void *from, int *n, int *info)                     \
    {                                                                                              \
        switch (*type) {                                                                           \
            COMBINE(PVM_BYTE, char, of_reals)                                                      \
            COMBINE(PVM_SHORT, short, of_reals)                                                    \
            COMBINE(PVM_INT, int, of_reals)                                                        \
            COMBINE(PVM_FLOAT, float, of_reals)                                                    \
            COMBINE(PVM_DOUBLE, double, of_reals)                                                  \
            COMBINE(PVM_LONG, long, of_reals)                                                      \
            COMBINE(PVM_USHORT, unsigned short, of_reals)                                          \
            COMBINE(PVM_UINT, unsigned, of_reals)                                                  \
            COMBINE(PVM_ULONG, unsigned long, of_reals)                                            \
            COMBINE(PVM_CPLX, _Complex float, of_complex)                                          \
            COMBINE(PVM_DCPLX, _Complex double, of_complex)                                        \
        default:                                                                                   \
            *info = PvmBadParam;                                                                   \
        }                                                                                          \
    }
/* clang-format off */
FUNCTION(PvmMax, x > y ? x : y, MODULUS(x) > MODULUS(y) ? x : y)
FUNCTION(PvmMin, x < y ? x : y, MODULUS(x) < MODULUS(y) ? x : y)
FUNCTION(PvmSum, x + y, x + y)
FUNCTION(PvmProduct, x * y, x * y)
/* clang-format on */
