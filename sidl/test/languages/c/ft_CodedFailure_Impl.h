/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.CodedFailure._data) */
    int32_t code;
    /* DO-NOT-DELETE splicer.end(ft.CodedFailure._data) */
