/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.Server._implementation) */
    std::string name_;
    /* DO-NOT-DELETE splicer.end(ft.Server._implementation) */
