/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_CLI_REPORT_WORDS_H
#define PORTOLAN_CLI_REPORT_WORDS_H

#include "cli.h"

#include <portolan/report_source.h>

/* Options and words for a struct report_request. */
extern const struct cli_option report_request_table[];

#endif
