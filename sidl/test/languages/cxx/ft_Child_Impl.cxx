/* SPDX-License-Identifier: BSD-3-Clause */
    /* DO-NOT-DELETE splicer.begin(ft.Child.getName) */
    return super.getName() + "!";
    /* DO-NOT-DELETE splicer.end(ft.Child.getName) */
    /* DO-NOT-DELETE splicer.begin(ft.Child.call) */
    if (x < 0)
        sidl::throw_new<Failure>("called back");
    return 2 * x;
    /* DO-NOT-DELETE splicer.end(ft.Child.call) */
