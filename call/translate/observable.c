/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which names can be observed. The clocks of the run time and PAPI's presets are known here; native
 * events are only where the program runs, but have the name of their component or unit in front.
 */
#include "pragma.h"

#include <string.h>

static const char *const known[] = {
    "CLOCK", "CPUTIME", "USER", "SYSTEM",
    /* Presets of processors in PAPI 7.0. */
    "PAPI_BRU_IDL", "PAPI_BR_CN", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_BR_NTK", "PAPI_BR_PRC",
    "PAPI_BR_TKN", "PAPI_BR_UCN", "PAPI_BTAC_M", "PAPI_CA_CLN", "PAPI_CA_INV", "PAPI_CA_ITV",
    "PAPI_CA_SHR", "PAPI_CA_SNP", "PAPI_CSR_FAL", "PAPI_CSR_SUC", "PAPI_CSR_TOT", "PAPI_DP_OPS",
    "PAPI_FAD_INS", "PAPI_FDV_INS", "PAPI_FMA_INS", "PAPI_FML_INS", "PAPI_FNV_INS", "PAPI_FPU_IDL",
    "PAPI_FP_INS", "PAPI_FP_OPS", "PAPI_FP_STAL", "PAPI_FSQ_INS", "PAPI_FUL_CCY", "PAPI_FUL_ICY",
    "PAPI_FXU_IDL", "PAPI_HW_INT", "PAPI_INT_INS", "PAPI_L1_DCA", "PAPI_L1_DCH", "PAPI_L1_DCM",
    "PAPI_L1_DCR", "PAPI_L1_DCW", "PAPI_L1_ICA", "PAPI_L1_ICH", "PAPI_L1_ICM", "PAPI_L1_ICR",
    "PAPI_L1_ICW", "PAPI_L1_LDM", "PAPI_L1_STM", "PAPI_L1_TCA", "PAPI_L1_TCH", "PAPI_L1_TCM",
    "PAPI_L1_TCR", "PAPI_L1_TCW", "PAPI_L2_DCA", "PAPI_L2_DCH", "PAPI_L2_DCM", "PAPI_L2_DCR",
    "PAPI_L2_DCW", "PAPI_L2_ICA", "PAPI_L2_ICH", "PAPI_L2_ICM", "PAPI_L2_ICR", "PAPI_L2_ICW",
    "PAPI_L2_LDM", "PAPI_L2_STM", "PAPI_L2_TCA", "PAPI_L2_TCH", "PAPI_L2_TCM", "PAPI_L2_TCR",
    "PAPI_L2_TCW", "PAPI_L3_DCA", "PAPI_L3_DCH", "PAPI_L3_DCM", "PAPI_L3_DCR", "PAPI_L3_DCW",
    "PAPI_L3_ICA", "PAPI_L3_ICH", "PAPI_L3_ICM", "PAPI_L3_ICR", "PAPI_L3_ICW", "PAPI_L3_LDM",
    "PAPI_L3_STM", "PAPI_L3_TCA", "PAPI_L3_TCH", "PAPI_L3_TCM", "PAPI_L3_TCR", "PAPI_L3_TCW",
    "PAPI_LD_INS", "PAPI_LST_INS", "PAPI_LSU_IDL", "PAPI_MEM_RCY", "PAPI_MEM_SCY", "PAPI_MEM_WCY",
    "PAPI_PRF_DM", "PAPI_REF_CYC", "PAPI_RES_STL", "PAPI_SP_OPS", "PAPI_SR_INS", "PAPI_STL_CCY",
    "PAPI_STL_ICY", "PAPI_SYC_INS", "PAPI_TLB_DM", "PAPI_TLB_IM", "PAPI_TLB_SD", "PAPI_TLB_TL",
    "PAPI_TOT_CYC", "PAPI_TOT_IIS", "PAPI_TOT_INS", "PAPI_VEC_DP", "PAPI_VEC_INS", "PAPI_VEC_SP"};

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* "perf::PAGE-FAULTS", "INST_RETIRED:ANY_P"; and the presets of a component, which PAPI adds. */
static bool is_left_to_papi(const char *name)
{
    return (*name != ':' && strchr(name, ':')) || begins_with(name, "PAPI_CUDA_");
}

void observable_check(struct reader *r, struct words w)
{
    static const char *const gone[] = {"NWS", "GANGLIA", "NGMPI"};
    const char *near;

    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (begins_with(w.text, gone[i])) {
            problem_at(r->t, w.at,
                       "there is no driver of observable %s here: CLOCK, USER, SYSTEM and the "
                       "events of PAPI can be observed",
                       w.text);
            reader_fail(r);
            return;
        }
    if (is_left_to_papi(w.text))
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(w.text, known[i]) == 0)
            return;
    near = portolan_nearest_word(w.text, known, sizeof known / sizeof *known);
    problem_at(r->t, w.at,
               "unknown observable '%s'; known are CLOCK, CPUTIME, USER, SYSTEM, PAPI's presets "
               "(PAPI_TOT_CYC) and native events with their component (perf::PAGE-FAULTS)%s",
               w.text, portolan_did_you_mean(near).text);
    reader_fail(r);
}
