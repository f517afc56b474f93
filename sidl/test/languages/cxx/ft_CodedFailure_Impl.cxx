/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.CodedFailure.setCode) */
    code_ = code;
    /* DO-NOT-DELETE splicer.end(ft.CodedFailure.setCode) */
    /* DO-NOT-DELETE splicer.begin(ft.CodedFailure.getCode) */
    return code_;
    /* DO-NOT-DELETE splicer.end(ft.CodedFailure.getCode) */
