/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks and hosts of the virtual machine. */
#include "internal.h"

#include <pvmtev.h>
#include <signal.h>
#include <unistd.h>

#define ARCHITECTURE "LINUX64"
/* Properties that a real PVM reports for this kind of machine. */
enum { ARCHITECTURE_CODE = 0x408c41, SPEED = 1000, TASK_IS_CONNECTED = 4 };

int pvm_tid_of(int task)
{
    return pvm_host_tid(clue_host_of(task)) | (task + 1);
}

int pvm_task_number(int tid)
{
    int task = (tid & PVM_LOCAL_MASK) - 1;

    return tid > 0 && task >= 0 && clue_is_known(task) && pvm_tid_of(task) == tid ? task : -1;
}

static bool *has_left(void)
{
    return &pvm_known(clue_self())->has_left;
}

static void task_ends(struct pvm_task *t, int tid);

static void end_this(void)
{
    if (!*has_left())
        task_ends(pvm_self(), pvm_self()->tid);
}

struct pvm_task *pvm_self(void)
{
    void **own = clue_own(CLUE_PVM);
    struct pvm_task *t = *own;

    if (t)
        return t;
    t = calloc(1, sizeof *t);
    if (!t)
        clue_fail("no memory");
    *own = t;
    t->tid = pvm_tid_of(clue_self());
    t->parent = pvm_known(clue_self())->parent;
    t->options[PvmRoute] = PvmAllowDirect;
    t->options[PvmAutoErr] = 1;
    t->options[PvmFragSize] = 4080;
    t->options[PvmShowTids] = 1;
    clue_at_exit(CLUE_PVM, end_this);
    return t;
}

PVM_CALL(pvm_mytid, (void), (*has_left() = false, pvm_self()->tid))

PORTOLAN_API int pvm_parent(void)
{
    PVM_ENTER();
    /* A missing task is an answer, and no mistake. */
    pvm_leave(PvmOk);
    return pvm_self()->parent ? pvm_self()->parent : PvmNoParent;
}

PORTOLAN_API int pvm_exit(void)
{
    struct pvm_task *t = pvm_self();

    PVM_ENTER();
    if (!*has_left())
        task_ends(t, t->tid);
    *has_left() = true;
    return pvm_leave(PvmOk);
}

/* ------------------------------------------------- notices of ends */

struct notice {
    int of, who, tag, context;
};
static void send_notice(struct pvm_task *t, const struct notice *n)
{
    int id = pvm_buffer_with(t, PvmDataDefault, &n->of, PVM_INT, 1);

    if (id > 0 && pvm_task_number(n->who) >= 0)
        pvm_send_to(t, pvm_task_number(n->who), n->context, n->tag, id);
    pvm_buffer_free(t, id);
}

/* Notifies the tasks that wait for the end of TID, in the order in which they asked. */
static void notify_ends(struct pvm_task *t, int tid)
{
    struct pvm_machine *m = pvm_machine();
    size_t kept = 0;

    for (size_t i = 0; i < m->n_notices; i++) {
        struct notice n = m->notices[i];

        if (n.of == tid)
            send_notice(t, &n);
        else
            m->notices[kept++] = n;
    }
    m->n_notices = kept;
}

/* Removes the task TID from groups and mailboxes, and notifies those who asked for it. */
static void task_ends(struct pvm_task *t, int tid)
{
    clue_in_order();
    pvm_groups_leave_all(tid);
    pvm_mailboxes_leave(tid);
    notify_ends(t, tid);
}

static int notify(struct pvm_task *t, int kind, int tag, int n, const int *tids)
{
    bool is_cancel = kind & PvmNotifyCancel;
    struct pvm_machine *m = pvm_machine();

    kind &= ~PvmNotifyCancel;
    if (kind < PvmTaskExit || kind > PvmRouteDelete || tag < 0)
        return PvmBadParam;
    if (kind != PvmTaskExit)
        return PvmOk; /* hosts are neither added nor deleted */
    clue_in_order();
    for (int i = 0; i < n; i++) {
        struct notice new = {tids[i], t->tid, tag, t->context};
        int task = pvm_task_number(tids[i]);

        if (is_cancel || task < 0 || !clue_is_alive(task) || pvm_known(task)->has_left) {
            send_notice(t, &new);
            continue;
        }
        m->notices = pvm_share_more(m->notices, m->n_notices * sizeof new, sizeof new);
        m->notices[m->n_notices++] = new;
    }
    return PvmOk;
}

PVM_CALL(pvm_notify, (int kind, int tag, int n, int *tids), notify(pvm_self(), kind, tag, n, tids))

PORTOLAN_API int pvm_kill(int tid)
{
    struct pvm_task *t = pvm_self();
    int task = pvm_task_number(tid);

    PVM_ENTER();
    if (task < 0)
        return pvm_leave(tid <= 0 ? PvmBadParam : PvmNoTask);
    clue_in_order();
    if (task == clue_self())
        clue_abort(1);
    if (!clue_is_alive(task))
        return pvm_leave(PvmNoTask);
    clue_kill(task);
    if (!pvm_known(task)->has_left)
        task_ends(t, tid);
    return pvm_leave(PvmOk);
}

PVM_CALL(pvm_sendsig, (int tid, int signal),
         signal == SIGKILL || signal == SIGTERM ? pvm_kill(tid) : PvmNotImpl)

/* ------------------------------------------------- spawning */

/* Finds PROGRAM as pvmd does, and in the present folder as well; "": it is nowhere. */
static void find_program(const char *program, char *path, size_t size)
{
    const char *home = getenv("HOME");

    snprintf(path, size, "%s", program);
    if (*program == '/') {
        if (access(path, X_OK) != 0)
            *path = '\0';
        return;
    }
    snprintf(path, size, "%s/pvm3/bin/" ARCHITECTURE "/%s", home ? home : "", program);
    if (access(path, X_OK) != 0)
        snprintf(path, size, "./%s", program);
    if (access(path, X_OK) != 0)
        *path = '\0';
}

/* Returns whether WHERE ("node[3]", "node", ".", "host:folder") names HOST. */
static bool is_named(int host, const char *where)
{
    size_t n = strcspn(where, ":");
    const char *name = clue_host_name(host), *type = clue_host_type(host);

    if (n == 1 && *where == '.')
        return host == clue_host_of(clue_self());
    return (strlen(name) == n && !strncmp(name, where, n)) ||
           (strlen(type) == n && !strncmp(type, where, n));
}

static bool is_allowed(int host, int flags, const char *where)
{
    bool is = true;

    if (flags & PvmTaskHost)
        is = is_named(host, where);
    else if (flags & PvmTaskArch)
        is = !strcmp(where, ARCHITECTURE);
    return is != ((flags & PvmHostCompl) != 0 && (flags & (PvmTaskHost | PvmTaskArch)) != 0);
}

/* Returns the next host after the last one that was used, among those allowed; -1: none is. */
static int next_host(int flags, const char *where)
{
    int *last = &pvm_machine()->last_host, n = clue_n_hosts();

    for (int i = 1; i <= n; i++)
        if (is_allowed((*last + i) % n, flags, where))
            return *last = (*last + i) % n;
    return -1;
}

static void remember(const char *program, int parent, const int *tids, int n)
{
    for (int i = 0; i < n; i++) {
        struct pvm_known *k = pvm_known(pvm_task_number(tids[i]));

        *k = (struct pvm_known){.program = pvm_share_text(program),
                                .parent = parent,
                                .siblings = clue_share((size_t)n * sizeof *tids),
                                .n_siblings = n};
        memcpy(k->siblings, tids, (size_t)n * sizeof *tids);
    }
}

static int spawn(struct pvm_task *t, const char *program, char **arguments, int flags,
                 const char *where, int n, int *tids)
{
    char path[4096], *none[] = {NULL};
    int *hosts = malloc((size_t)n * sizeof *hosts), started = 0;
    size_t n_arguments = 0;
    char **all;

    for (char **a = arguments ? arguments : none; *a; a++)
        n_arguments++;
    all = calloc(n_arguments + 2, sizeof *all);
    if (!hosts || !all)
        clue_fail("no memory");
    find_program(program, path, sizeof path);
    clue_in_order();
    for (int i = 0; i < n; i++)
        hosts[i] = next_host(flags, where ? where : "");
    all[0] = path;
    memcpy(all + 1, arguments ? arguments : none, n_arguments * sizeof *all);
    if (hosts[0] >= 0 && *path)
        started = clue_spawn(path, all, hosts, n, tids);
    for (int i = 0; i < n; i++)
        tids[i] = i < started ? pvm_tid_of(tids[i]) : hosts[i] < 0 ? PvmNoHost : PvmNoFile;
    remember(program, flags & PvmNoSpawnParent ? 0 : t->tid, tids, started);
    free(hosts);
    free(all);
    return started;
}

PORTOLAN_API int pvm_spawn(char *program, char **arguments, int flags, char *where, int n,
                           int *tids)
{
    int *own = NULL, code;

    PVM_ENTER();
    if (n < 1 || !program || ((flags & (PvmTaskHost | PvmTaskArch)) && !where))
        return pvm_leave(PvmBadParam);
    if (!tids)
        tids = own = malloc((size_t)n * sizeof *own);
    code = tids ? spawn(pvm_self(), program, arguments, flags, where, n, tids) : PvmNoMem;
    free(own);
    return pvm_leave(code);
}

PORTOLAN_API int pvm_siblings(int **tids)
{
    struct pvm_known *k;

    PVM_ENTER();
    k = pvm_known(clue_self());
    if (!k->n_siblings) {
        *tids = &pvm_self()->tid;
        return pvm_leave(1);
    }
    *tids = k->siblings;
    return pvm_leave(k->n_siblings);
}

/* ------------------------------------------------- what there is */

PORTOLAN_API int pvm_tidtohost(int tid)
{
    int host = (tid >> PVM_HOST_SHIFT) - 1;

    return tid > 0 && host >= 0 && host < clue_n_hosts() ? pvm_host_tid(host) : PvmBadParam;
}

PORTOLAN_API int pvm_config(int *n_hosts, int *n_architectures, struct pvmhostinfo **hosts)
{
    struct pvm_task *t = pvm_self();
    int n = clue_n_hosts();

    PVM_ENTER();
    if (!t->hosts)
        t->hosts = calloc((size_t)n, sizeof *t->hosts);
    if (!t->hosts)
        return pvm_leave(PvmNoMem);
    for (int i = 0; i < n; i++)
        t->hosts[i] = (struct pvmhostinfo){pvm_host_tid(i), (char *)clue_host_name(i),
                                           (char *)ARCHITECTURE, SPEED, ARCHITECTURE_CODE};
    if (n_hosts)
        *n_hosts = n;
    if (n_architectures)
        *n_architectures = 1;
    if (hosts)
        *hosts = t->hosts;
    return pvm_leave(PvmOk);
}

/* Returns whether the task is at WHERE, which is 0, a host or a task. */
static bool is_at(int task, int where)
{
    return !where || where == pvm_tid_of(task) || where == pvm_host_tid(clue_host_of(task));
}

PORTOLAN_API int pvm_tasks(int where, int *n_tasks, struct pvmtaskinfo **tasks)
{
    struct pvm_task *t = pvm_self();
    const struct pvm_known *known;
    int n = 0, n_known;

    PVM_ENTER();
    clue_in_order();
    known = pvm_machine()->known;
    n_known = pvm_machine()->n_known;
    free(t->tasks);
    t->tasks = calloc((size_t)n_known + 1, sizeof *t->tasks);
    if (!t->tasks)
        return pvm_leave(PvmNoMem);
    for (int i = 0; i < n_known && clue_is_known(i); i++)
        if (clue_is_alive(i) && is_at(i, where) && !known[i].has_left)
            t->tasks[n++] = (struct pvmtaskinfo){pvm_tid_of(i),
                                                 known[i].parent,
                                                 pvm_host_tid(clue_host_of(i)),
                                                 TASK_IS_CONNECTED,
                                                 known[i].program ? known[i].program : (char *)"",
                                                 (int)getpid()};
    if (where && !n && pvm_tidtohost(where) != where)
        return pvm_leave(PvmNoTask);
    if (n_tasks)
        *n_tasks = n;
    if (tasks)
        *tasks = t->tasks;
    return pvm_leave(PvmOk);
}

static int host_of_name(const char *name)
{
    for (int i = 0; i < clue_n_hosts(); i++)
        if (!strcmp(clue_host_name(i), name))
            return i;
    return -1;
}

PVM_VALUE(pvm_mstat, (char *host), host_of_name(host) < 0 ? PvmNoHost : PvmOk)

PORTOLAN_API int pvm_pstat(int tid)
{
    int task = pvm_task_number(tid);

    PVM_ENTER();
    if (tid <= 0)
        return pvm_leave(PvmBadParam);
    clue_in_order();
    /* A task that is gone is an answer, and no mistake. */
    pvm_leave(PvmOk);
    return task >= 0 && clue_is_alive(task) ? PvmOk : PvmNoTask;
}

/* Refuses to change hosts: the virtual machine is that of the machine file. */
static int refuse_hosts(char **names, int n, int *codes, int code)
{
    for (int i = 0; codes && i < n; i++)
        codes[i] = host_of_name(names[i]) < 0 ? PvmNoHost : code;
    return n < 1 ? PvmBadParam : 0;
}

PVM_CALL(pvm_addhosts, (char **names, int n, int *codes), refuse_hosts(names, n, codes, PvmDupHost))
PVM_CALL(pvm_delhosts, (char **names, int n, int *codes), refuse_hosts(names, n, codes, PvmNotImpl))

PVM_VALUE(pvm_archcode, (char *architecture),
          strcmp(architecture, ARCHITECTURE) ? PvmBadParam : ARCHITECTURE_CODE)

PORTOLAN_API int pvm_hostsync(int host, struct timeval *clock, struct timeval *difference)
{
    int64_t us;

    PVM_ENTER();
    if (pvm_tidtohost(host) != host)
        return pvm_leave(PvmNoHost);
    us = clue_now() / 1000;
    if (clock)
        *clock = (struct timeval){us / 1000000, us % 1000000};
    if (difference)
        *difference = (struct timeval){0, 0};
    return pvm_leave(PvmOk);
}

PORTOLAN_API int pvm_halt(void)
{
    PVM_ENTER();
    clue_in_order();
    clue_abort(0);
}

/* ------------------------------------------------- options */

/* Returns whether an option exists. Polling is for shared memory only. */
static bool is_option(int what)
{
    return what >= PvmRoute && what < PVM_OPTIONS && what != PvmPollType && what != PvmPollTime;
}

PVM_CALL(pvm_getopt, (int what), !is_option(what) ? PvmBadParam : pvm_self()->options[what])

PORTOLAN_API int pvm_setopt(int what, int value)
{
    int old;

    PVM_ENTER();
    if (!is_option(what))
        return pvm_leave(PvmBadParam);
    old = pvm_self()->options[what];
    pvm_self()->options[what] = value;
    return pvm_leave(old);
}

/* Does nothing: PVM_EXPORT lists variables for spawned tasks; here all have one environment. */
static int change_export(const char *name, bool is_added)
{
    const char *old = getenv("PVM_EXPORT");
    char *copy = strdup(old ? old : ""), *state = NULL,
         *new = copy ? calloc(1, strlen(copy) + strlen(name) + 2) : NULL;

    if (!copy || !new)
        clue_fail("no memory");
    for (char *word = strtok_r(copy, ":", &state); word; word = strtok_r(NULL, ":", &state))
        if (strcmp(word, name) != 0)
            sprintf(new + strlen(new), "%s%s", *new ? ":" : "", word);
    if (is_added)
        sprintf(new + strlen(new), "%s%s", *new ? ":" : "", name);
    setenv("PVM_EXPORT", new, 1);
    free(copy);
    free(new);
    return PvmOk;
}

PVM_VALUE(pvm_export, (char *name), change_export(name, true))
PVM_VALUE(pvm_unexport, (char *name), change_export(name, false))

/* Tasks write to the same output as their parent does. */
PORTOLAN_API int pvm_catchout(FILE *file)
{
    PVM_ENTER();
    if (file && file != stdout)
        clue_assume("output of children goes to stdout, not to the file of pvm_catchout()");
    return pvm_leave(PvmOk);
}

PORTOLAN_API int pvm_getfds(int **fds)
{
    static int none;

    *fds = &none;
    return 0;
}

PORTOLAN_API int pvm_getnoresets(int **tids, int *n)
{
    static int none;

    *tids = &none;
    *n = 0;
    return PvmOk;
}

/* Not supported: tracing is Portolan's own, and other daemons' parts cannot be replaced. */
#define NOT_SERVED(name, ...)                                                                      \
    PORTOLAN_API int name(__VA_ARGS__)                                                             \
    {                                                                                              \
        PVM_ENTER();                                                                               \
        return pvm_leave(PvmNotImpl);                                                              \
    }
/* clang-format off */
NOT_SERVED(pvm_reg_hoster, void)
NOT_SERVED(pvm_reg_tasker, void)
NOT_SERVED(pvm_reg_rm, struct pvmhostinfo **h PVM_UNUSED)
NOT_SERVED(pvm_reg_tracer, int a PVM_UNUSED, int b PVM_UNUSED, int c PVM_UNUSED, int d PVM_UNUSED, char *e PVM_UNUSED, int f PVM_UNUSED, int g PVM_UNUSED)
NOT_SERVED(pvm_gettmask, int a PVM_UNUSED, Pvmtmask b PVM_UNUSED)
NOT_SERVED(pvm_settmask, int a PVM_UNUSED, Pvmtmask b PVM_UNUSED)
NOT_SERVED(pvm_tickle, int a PVM_UNUSED, int *b PVM_UNUSED, int *c PVM_UNUSED, int *d PVM_UNUSED)
NOT_SERVED(pvm_start_pvmd, int a PVM_UNUSED, char **b PVM_UNUSED, int c PVM_UNUSED)
/* clang-format on */
