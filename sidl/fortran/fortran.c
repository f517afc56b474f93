/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the Fortran modules need from C: descriptors of arrays, and the text of an exception that
 * stops the program. Part of libportolan_fortran.a, which libportolan.so does not know.
 */
#include <ISO_Fortran_binding.h>
#include <portolan/base.h>

#include <stdlib.h>

#include "sidl.h"
#include "sidl_BaseException.h"
#include "sidl_LangSpecificException.h"
#include "sidl_NotImplementedException.h"

/* A module variable of sidl_base, which stubs store in the arrays that they describe. */
extern const void *sidl_fortran_vtables[12];

__attribute__((constructor)) static void fill_vtables(void)
{
    for (size_t i = 0; i < 12; i++)
        sidl_fortran_vtables[i] = &sidl__array_vtables[i];
}

/* Makes the pointer VIEW one to the elements of ARRAY, of the same rank and element size. */
void sidl_fortran_view(const struct sidl__array *array, CFI_cdesc_t *view);

void sidl_fortran_view(const struct sidl__array *array, CFI_cdesc_t *view)
{
    const ptrdiff_t size = (ptrdiff_t)array->d_vtable->d_element_size_bytes;

    memcpy(&view->base_addr, array + 1, sizeof view->base_addr);
    view->elem_len = (size_t)size;
    for (int32_t i = 0; i < array->d_dimen; i++) {
        view->dim[i].lower_bound = array->d_lower[i];
        view->dim[i].extent = sidlLength(array, i);
        view->dim[i].sm = array->d_stride[i] * size;
    }
}

/* Completes ARRAY, in which all but strides and the first element are set, by those of VIEW. */
void sidl_fortran_strides(const CFI_cdesc_t *view, struct sidl__array *array);

void sidl_fortran_strides(const CFI_cdesc_t *view, struct sidl__array *array)
{
    for (int32_t i = 0; i < array->d_dimen; i++)
        array->d_stride[i] = (int32_t)(view->dim[i].sm / (ptrdiff_t)view->elem_len);
    sidl__array_set_first(array, view->base_addr);
}

/* Returns "CLASS: NOTE" and the trace, a string of SIDL; releases the exception. */
char *sidl_fortran_report(sidl_BaseInterface exception);

char *sidl_fortran_report(sidl_BaseInterface exception)
{
    sidl_BaseException base = sidl_BaseException__cast(exception, NULL);
    sidl_BaseInterface ex = NULL;
    char *note = base ? sidl_BaseException_getNote(base, &ex) : NULL;
    char *trace = base ? sidl_BaseException_getTrace(base, &ex) : NULL;
    char *text = portolan_asprintf("%s: %s\n%s", sidl_reference_class_name(exception),
                                   note ? note : "", trace ? trace : "");

    SIDL_CLEAR(ex);
    sidl_String_free(note);
    sidl_String_free(trace);
    sidl_reference_delete(base, NULL);
    sidl_reference_delete(exception, NULL);
    return text;
}

/* A new exception with that note: IS_WRONG_USE chooses between the two classes. */
sidl_BaseInterface sidl_fortran_misuse(int is_wrong_use, const char *note);

sidl_BaseInterface sidl_fortran_misuse(int is_wrong_use, const char *note)
{
    sidl_BaseInterface failed = NULL;
    void *exception = is_wrong_use ? (void *)sidl_LangSpecificException__create(&failed)
                                   : (void *)sidl_NotImplementedException__create(&failed);

    return sidl_exception_fill(exception ? exception : failed, note, NULL, 0, NULL);
}
