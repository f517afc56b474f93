/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A farm whose times are known: the master sends each worker a message of 1,024 bytes, which takes
 * it the send delay, and each answers at once with 0 bytes. Prints the microseconds from the first
 * send to the last answer, and where the workers run.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2, tids[64], hosts;
    char block[1024] = {0}, *where = argc > 2 ? argv[2] : "";
    struct pvmhostinfo *info;
    struct timeval begin, end;

    if (pvm_parent() != PvmNoParent) {
        pvm_recv(pvm_parent(), 1);
        pvm_initsend(PvmDataRaw);
        pvm_send(pvm_parent(), 2);
        pvm_exit();
        return 0;
    }
    n = pvm_spawn(argv[0], NULL, *where ? PvmTaskHost : PvmTaskDefault, where, n, tids);
    gettimeofday(&begin, NULL);
    pvm_initsend(PvmDataInPlace);
    pvm_pkbyte(block, sizeof block, 1);
    pvm_mcast(tids, n, 1);
    for (int i = 0; i < n; i++)
        pvm_recv(-1, 2);
    gettimeofday(&end, NULL);
    printf("%ld us\n", (end.tv_sec - begin.tv_sec) * 1000000 + end.tv_usec - begin.tv_usec);
    pvm_config(&hosts, NULL, &info);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < hosts; h++)
            if (pvm_tidtohost(tids[i]) == info[h].hi_tid)
                printf("worker %d on %s\n", i, info[h].hi_name);
    pvm_exit();
    return n < 0;
}
