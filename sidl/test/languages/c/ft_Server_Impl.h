/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.Server._data) */
    char *name;
    /* DO-NOT-DELETE splicer.end(ft.Server._data) */
