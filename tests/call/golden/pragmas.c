/* SPDX-License-Identifier: BSD-3-Clause */
#pragma cll parallel PVM
#pragma cll parallel mpi
#pragma cll parallel SEQ gbsp
#pragma cll parallel PUB BSP_MACHIN = "&bsp"
#pragma cll parallel PUB
#pragma cll parallel PUB gbsp
#pragma cll uses NWS
#pragma cll uses PAPY
#pragma cll
#pragma cll 3
#pragma ccl report all
#pragma CLL report all
#pragma cll script 7 skel shell
#pragma cll script job.sh skel cray
#pragma cll script job.sh skel shell sed
#define TIMED _Pragma("cll t") work(); _Pragma("cll end t")
void work(void);
int main(void)
{
#pragma cll PAPI_L1_DCM,=a[0]
#pragma cll a PAPI_L1_DCM, = a[0]
    work();
#pragma cll end a
#pragma cll b PAPI_L1_DCM CLOCK = b[0]
    work();
#pragma cll end b b
#pragma cll c CLOCK, CLOCK = c[0]
    work();
#pragma cll end c
#pragma cll s CLOKC, NWS_LBW = s[0]
    work();
#pragma cll end s
#pragma cll sync
#pragma cll sync(gbsp d d[0]
#pragma cll sync(gbsp; d) e e[0]
    work();
#pragma cll end e
#pragma cll for (int n = 0; n < 4)
#pragma cll report
#pragma cll report all now
#pragma cll end
#pragma cll reprot all
    return 0;
}
#if 0
#pragma cll parallel PVM
#pragma cll end never
#endif
