/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A master and its workers use all of PVM. The output is the same under a real pvmd, since it does
 * not depend on time. `everything` spawns itself.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* Part of libgpvm3, though no header declares it. */
int pvm_grphostinfo(char *group, int host, int *coordinator, int *n_members, int *n_hosts);

enum { WORKERS = 3, TASK = 1, RESULT, DONE, GONE, LATE, MARK, FORWARD };

static void worker(void)
{
    int master = pvm_parent(), number, n, *siblings;
    double x[4], sum = 0;
    char name[32];

    pvm_recv(master, TASK);
    pvm_upkint(&number, 1, 1);
    pvm_upkstr(name);
    pvm_upkdouble(x, 4, 1);
    for (int i = 0; i < 4; i++)
        sum += x[i] * (number + 1);
    n = pvm_siblings(&siblings);
    pvm_initsend(PvmDataDefault);
    pvm_packf("%d %s %lf %d", number, name, sum, n);
    pvm_send(master, RESULT);

    /* Groups: instances join in the order of numbers, one after the other. */
    pvm_recv(master, MARK);
    number = pvm_joingroup("workers");
    pvm_initsend(PvmDataRaw);
    pvm_pkint(&number, 1, 1);
    pvm_send(master, MARK);
    pvm_freezegroup("workers", WORKERS);
    for (int i = 0; i < 4; i++)
        x[i] = number * 10 + i;
    pvm_reduce(PvmSum, x, 4, PVM_DOUBLE, 77, "workers", 0);
    if (number == 0)
        pvm_psend(master, RESULT, x, 4, PVM_DOUBLE);
    int part[2], all[2 * WORKERS] = {0};
    if (number == 1)
        for (int i = 0; i < 2 * WORKERS; i++)
            all[i] = 100 + i;
    pvm_scatter(part, all, 2, PVM_INT, 78, "workers", 1);
    part[0]++;
    pvm_gather(all, part, 2, PVM_INT, 79, "workers", 2);
    if (number == 2)
        pvm_psend(master, RESULT, all, 2 * WORKERS, PVM_INT);
    pvm_barrier("workers", WORKERS);
    if (number == 0) {
        int here = pvm_tidtohost(pvm_mytid()), speaker, n_here, n_hosts, host[3];

        host[0] = pvm_grphostinfo("workers", here, &speaker, &n_here, &n_hosts);
        host[1] = pvm_getinst("workers", speaker);
        host[2] = pvm_tidtohost(speaker) == here && n_here >= 1 && n_here + n_hosts == WORKERS + 1;
        pvm_psend(master, RESULT, host, 3, PVM_INT);
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    if (number == 0)
        pvm_bcast("workers", FORWARD);
    else
        pvm_recv(pvm_gettid("workers", 0), FORWARD);
    pvm_barrier("workers", WORKERS);
    pvm_lvgroup("workers");

    /* The master's mailbox; the last worker waits to be killed. */
    pvm_recvinfo("settings", 0, PvmMboxWaitForInfo);
    pvm_upkint(&n, 1, 1);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&n, 1, 1);
    pvm_send(master, DONE);
    if (number == 2)
        pvm_recv(-1, LATE);
    pvm_exit();
}

static int counted;
static int count(int buffer)
{
    int value;

    (void)buffer;
    pvm_upkint(&value, 1, 1);
    return counted += value;
}

/* Accepts odd tags from the one that is asked for on. */
static int is_odd(int buffer, int tid, int tag)
{
    int bytes, has, from;

    (void)tid;
    pvm_bufinfo(buffer, &bytes, &has, &from);
    return has >= tag && has % 2 == 1;
}

static void send_self(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(pvm_mytid(), tag);
}

static void alone(void)
{
    struct timeval soon = {0, 10000}, at_once = {0, 1};
    int value = 0, id, other, bytes;

    printf("trecv %d\n", pvm_trecv(-1, 99, &soon));
    id = pvm_addmhf(-1, 150, pvm_getcontext(), count);
    printf("handler again %d\n", pvm_addmhf(-1, 150, pvm_getcontext(), count));
    send_self(150, 5);
    send_self(150, 6);
    send_self(151, 7);
    pvm_recv(-1, 151);
    pvm_upkint(&value, 1, 1);
    printf("handled %d, then %d; removed %d\n", counted, value, pvm_delmhf(id));
    printf("removed again %d\n", pvm_delmhf(id));
    send_self(200, 1);
    send_self(202, 2);
    send_self(203, 3);
    pvm_recvf(is_odd);
    pvm_recv(-1, 200);
    pvm_upkint(&value, 1, 1);
    pvm_recvf(NULL);
    pvm_recv(-1, 200);
    pvm_upkint(&other, 1, 1);
    printf("odd %d, then %d\n", value, other);
    pvm_recv(-1, 202);
    pvm_recvf(is_odd);
    printf("no odd one in 1 us: %d\n", pvm_trecv(-1, 99, &at_once));
    pvm_recvf(NULL);
    /* This uses a context of its own, and a message in a message. */
    value = pvm_setcontext(pvm_newcontext());
    printf("context was %d; nothing there: %d\n", value, pvm_nrecv(-1, -1));
    pvm_setcontext(value);
    send_self(300, 42);
    id = pvm_recv(-1, 300);
    pvm_setrbuf(0);
    pvm_initsend(PvmDataDefault);
    pvm_pkmesg(id);
    pvm_send(pvm_mytid(), 301);
    pvm_recv(-1, 301);
    id = pvm_upkmesg();
    pvm_setrbuf(id);
    pvm_upkint(&value, 1, 1);
    printf("message in a message: %d\n", value);
    pvm_initsend(PvmDataDefault);
    pvm_pkmesg(pvm_mkbuf(PvmDataDefault));
    pvm_send(pvm_mytid(), 302);
    pvm_recv(-1, 302);
    pvm_bufinfo(pvm_upkmesg(), &bytes, NULL, NULL);
    printf("an empty one: %d bytes\n", bytes);
}

int main(int argc, char **argv)
{
    int tids[WORKERS], value, number, n;
    double x[4] = {1, 2, 3, 4}, sum;
    int all[2 * WORKERS];
    char name[32];

    (void)argc;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pvm_parent() != PvmNoParent) {
        worker();
        return 0;
    }
    printf("spawned %d\n", pvm_spawn(argv[0], NULL, PvmTaskDefault, "", WORKERS, tids));
    printf("notify %d\n", pvm_notify(PvmTaskExit, GONE, WORKERS, tids));
    for (int i = 0; i < WORKERS; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&i, 1, 1);
        pvm_pkstr("worker");
        pvm_pkdouble(x, 4, 1);
        pvm_send(tids[i], TASK);
    }
    for (int i = 0; i < WORKERS; i++) {
        pvm_recv(tids[i], RESULT);
        pvm_unpackf("%d %s %lf %d", &number, name, &sum, &n);
        printf("%s %d: %g, %d siblings\n", name, number, sum, n);
    }
    for (int i = 0; i < WORKERS; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_send(tids[i], MARK);
        pvm_recv(tids[i], MARK);
        pvm_upkint(&value, 1, 1);
        printf("instance %d\n", value);
    }
    pvm_precv(tids[0], RESULT, x, 4, PVM_DOUBLE, NULL, NULL, NULL);
    printf("reduced %g %g %g %g\n", x[0], x[1], x[2], x[3]);
    pvm_precv(tids[2], RESULT, all, 2 * WORKERS, PVM_INT, NULL, NULL, &n);
    printf("gathered %d %d %d %d %d %d, %d bytes\n", all[0], all[1], all[2], all[3], all[4], all[5],
           n);
    pvm_precv(tids[0], RESULT, all, 3, PVM_INT, NULL, NULL, NULL);
    printf("host info %d: member %d speaks, %d\n", all[0], all[1], all[2]);
    pvm_initsend(PvmDataDefault);
    value = 12;
    pvm_pkint(&value, 1, 1);
    printf("put %d\n", pvm_putinfo("settings", pvm_getsbuf(), PvmMboxDefault));
    for (int i = 0; i < WORKERS; i++) {
        pvm_recv(tids[i], DONE);
        pvm_upkint(&value, 1, 1);
        printf("worker %d read %d\n", i, value);
    }
    printf("removed %d\n", pvm_delinfo("settings", 0, 0));
    printf("gone %d\n", pvm_recvinfo("settings", 0, PvmMboxDefault));
    printf("killed %d\n", pvm_kill(tids[2]));
    for (int i = 0; i < WORKERS; i++) {
        pvm_recv(-1, GONE);
        pvm_upkint(&value, 1, 1);
        for (number = 0; number < WORKERS && tids[number] != value; number++)
            ;
        x[i] = number;
    }
    printf("gone: %g\n", x[0] + x[1] + x[2]);
    alone();
    printf("exit %d\n", pvm_exit());
    return 0;
}
