/* SPDX-License-Identifier: BSD-3-Clause */
        /* DO-NOT-DELETE splicer.begin(ft.Child.getName) */
        char *name = super_getName(self, _ex), *all = sidl_String_concat2(name, "!");

        sidl_String_free(name);
        return all;
        /* DO-NOT-DELETE splicer.end(ft.Child.getName) */
        /* DO-NOT-DELETE splicer.begin(ft.Child.call) */
        if (x < 0)
            SIDL_THROW(*_ex, ft_Failure, "called back");
        return 2 * x;
        EXIT:
        return 0;
        /* DO-NOT-DELETE splicer.end(ft.Child.call) */
