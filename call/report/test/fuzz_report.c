/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the report reader, all forms. */
#include <portolan/cll_report.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_cll_report *report, *again;

    if (portolan_cll_report_parse((const char *)data, size, "fuzz", NULL, &report, NULL) !=
        PORTOLAN_OK)
        return 0;
    /* What was accepted is accepted in each form. */
    for (int form = PORTOLAN_CLL_TEXT; form <= PORTOLAN_CLL_JSON; form++) {
        char *text;

        if (portolan_cll_report_write(report, (enum portolan_cll_form)form, &text, NULL) !=
                PORTOLAN_OK ||
            (*text && report->n_headers + report->n_experiments > 0 &&
             portolan_cll_report_parse(text, strlen(text), "written", NULL, &again, NULL) !=
                 PORTOLAN_OK))
            abort();
        if (report->n_headers + report->n_experiments > 0)
            portolan_cll_report_destroy(again);
        free(text);
    }
    portolan_cll_report_destroy(report);
    return 0;
}
