/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of page/ as texts; embed.sh makes them. */
#ifndef PORTOLAN_REPORT_PAGE_FILES_H
#define PORTOLAN_REPORT_PAGE_FILES_H

extern const char report_file_template[], report_file_style[], report_file_scripts[],
    report_file_d3_licence[], report_file_watch[];

#endif
