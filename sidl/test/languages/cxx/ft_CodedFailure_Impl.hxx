/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.CodedFailure._implementation) */
    int32_t code_ = 0;
    /* DO-NOT-DELETE splicer.end(ft.CodedFailure._implementation) */
