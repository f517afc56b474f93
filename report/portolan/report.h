/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * report: a study as one JSON document (docs/report.schema.json), as one HTML page made of it, and
 * as lines of text. The page needs no network, and no scripts for its tables and static pictures.
 *
 * Nothing here prints. One thread at a time uses a source.
 */
#ifndef PORTOLAN_REPORT_H
#define PORTOLAN_REPORT_H

#include <portolan/assembly.h>
#include <portolan/plan.h>
#include <portolan/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The subject of a report. All is borrowed; NULL members: there is none. */
struct portolan_report_source {
    struct portolan_store *store;
    const char *store_name;
    /** Its parameters change during a call, to find what would be chosen elsewhere. */
    struct portolan_assembly *assembly;
    const struct portolan_palette *palette;
    struct portolan_plan *plan;                  /**< of the assembly as it is */
    const char *no_plan;                         /**< why there is none */
    const struct portolan_sample_set *data;      /**< that the plan was made from, … */
    const struct portolan_plan_options *options; /**< … and how */
    const char *machine;                         /**< the virtual machine that trials ran on */
    const struct portolan_trial_list *trials;    /**< by id; the newest run is shown */
    const struct portolan_trial_list *before;    /**< the trials are compared with these */
    int columns; /**< of a terminal that takes blocks: bars are added to the text; 0: no bars */
};

/** Adds the document to OUT. A store without trials is no error. Errors: those of the store,
 * ENOMEM. */
enum portolan_status portolan_report_write_json(const struct portolan_report_source *source,
                                                struct portolan_text *out,
                                                struct portolan_error *err);

struct portolan_report_page {
    const char *d3; /**< file with D3's script; NULL: where Debian has it */
    bool follows;   /**< it follows the events of its server (<portolan/page_server.h>) */
};

/**
 * Adds a whole page with DOCUMENT, a text that portolan_report_write_json() made. Without D3 it has
 * tables and static pictures, and says what to install. Errors: EINVAL (no such document), ENOMEM.
 */
enum portolan_status portolan_report_write_page(const char *document,
                                                const struct portolan_report_page *page,
                                                struct portolan_text *out,
                                                struct portolan_error *err);

/**
 * Adds predicted against measured times, and each fixed assembly, as lines. The source has an
 * assembly. Errors: ENOTFOUND (no run to report), those of the store, ENOMEM.
 */
enum portolan_status portolan_report_write_text(const struct portolan_report_source *source,
                                                struct portolan_text *out,
                                                struct portolan_error *err);

/**
 * Adds the times of the TRIAL's steps and the shares of its longest call paths as bars of blocks
 * (UTF-8), for a terminal of so many COLUMNS; nothing if there are no steps or paths. Errors: those
 * of the store, ENOMEM.
 */
enum portolan_status portolan_report_add_bars(struct portolan_store *store, int64_t trial,
                                              int columns, struct portolan_text *out,
                                              struct portolan_error *err);

/** Decisions of a run as members "decisions" and "expectations" of an object; ONLY one decision, or
 * NULL: all. */
struct portolan_json;
void portolan_report_write_decisions(struct portolan_json *j, const struct portolan_reason_set *set,
                                     const struct portolan_reason *only);

#ifdef __cplusplus
}
#endif
#endif
