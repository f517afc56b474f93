/* SPDX-License-Identifier: BSD-3-Clause */
/* DO-NOT-DELETE splicer.begin(ft.CodedFailure._includes) */

/* DO-NOT-DELETE splicer.end(ft.CodedFailure._includes) */
        /* DO-NOT-DELETE splicer.begin(ft.CodedFailure._ctor) */
        ft_CodedFailure__set_data(self, calloc(1, sizeof(struct ft_CodedFailure__data)));
        /* DO-NOT-DELETE splicer.end(ft.CodedFailure._ctor) */
        /* DO-NOT-DELETE splicer.begin(ft.CodedFailure._dtor) */
        free(ft_CodedFailure__get_data(self));
        /* DO-NOT-DELETE splicer.end(ft.CodedFailure._dtor) */
        /* DO-NOT-DELETE splicer.begin(ft.CodedFailure.setCode) */
        ft_CodedFailure__get_data(self)->code = code;
        /* DO-NOT-DELETE splicer.end(ft.CodedFailure.setCode) */
        /* DO-NOT-DELETE splicer.begin(ft.CodedFailure.getCode) */
        return ft_CodedFailure__get_data(self)->code;
        /* DO-NOT-DELETE splicer.end(ft.CodedFailure.getCode) */
