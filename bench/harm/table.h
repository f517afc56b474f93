/* SPDX-License-Identifier: BSD-3-Clause */
/* The candidates of harm.py as tables of functions. */
#ifndef HARM_TABLE_H
#define HARM_TABLE_H

struct harm_table {
    double (*work)(int n);
};
extern struct harm_table A_table, B_table, C_table;

#endif
