/* SPDX-License-Identifier: BSD-3-Clause */
void work(void);
int main(void)
{
#pragma cll own CLOCK, CPUTIME, USER, SYSTEM = own[0]
    work();
#pragma cll end own
#pragma cll presets PAPI_TOT_INS, PAPI_L3_TCM, PAPI_CUDA_FP64_FMA = presets[0]
    work();
#pragma cll end presets
#pragma cll native perf::PAGE-FAULTS, rapl:::PACKAGE_ENERGY:PACKAGE0, INST_RETIRED:ANY_P = native[0]
    work();
#pragma cll end native
#pragma cll a FLOPS = a[0]
    work();
#pragma cll end a
#pragma cll b CLOCK, clock, CPUTIMES = b[0]
    work();
#pragma cll end b
#pragma cll c PAPI_TOT_INX = c[0]
    work();
#pragma cll end c
#pragma cll d PAPI_ENERGY, :USER, \
    RETIRED_INSTRUCTIONS = d[0]
    work();
#pragma cll end d
#pragma cll sync e NGMPI_LBW, WATTS = e[0]
    work();
#pragma cll end e
    return 0;
}
