/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(lab.Calculator._includes) */
#include <stdlib.h>
#include <string.h>
#include "lab_Calculator_IOR.h"
#include "lab_Grade.h"
#include "lab_Overheated.h"
#include "sidl_BaseException.h"
#include "sidl_String.h"
/* DO-NOT-DELETE splicer.end(lab.Calculator._includes) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._load) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._load) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._ctor) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._ctor) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._ctor2) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._dtor) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._dtor) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.dot) */
    double sum = 0.0;
    int32_t i;
    for (i = 0; i < n; ++i) {
      sum += x[i] * y[i];
    }
    return sum;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.dot) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.worst) */
    return a < b ? a : b;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.worst) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.scale) */
    int32_t i, j;
    for (j = 0; j < n; ++j) {
      for (i = 0; i < m; ++i) {
        RarrayElem2(a, i, j, m) *= factor;
      }
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.scale) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.area) */
    int32_t i, sum = 0;
    for (i = 0; i < 2 * k * (k + 1); ++i) {
      sum += a[i];
    }
    return sum;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.area) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.range) */
    struct sidl_int__array *result = sidl_int__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      sidl_int__array_set1(result, i, i);
    }
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.range) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.table) */
    /* in the other order than the caller is promised */
    int32_t i, j;
    *a = sidl_double__array_create2dRow(m, n);
    for (i = 0; i < m; ++i) {
      for (j = 0; j < n; ++j) {
        sidlArrayElem2(*a, i, j) = 10.0 * i + j;
      }
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.table) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.corner) */
    int32_t lower[2];
    *wasRow = sidl_double__array_isRowOrder(a);
    lower[0] = sidl_double__array_lower(a, 0);
    lower[1] = sidl_double__array_upper(a, 1);
    return sidl_double__array_get(a, lower);
    /* DO-NOT-DELETE splicer.end(lab.Calculator.corner) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.flip) */
    const int32_t n = sidl_string__array_length(*names, 0);
    struct sidl_string__array *flipped = sidl_string__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      char *name = sidl_string__array_get1(*names, i);
      sidl_string__array_set1(flipped, n - 1 - i, name);
      sidl_String_free(name);
    }
    sidl_string__array_deleteRef(*names);
    *names = flipped;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.flip) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.turn) */
    const int32_t m = sidl_int__array_length(*a, 0), n = sidl_int__array_length(*a, 1);
    struct sidl_int__array *turned = sidl_int__array_create2dRow(n, m);
    int32_t i, j;
    if (!sidl_int__array_isColumnOrder(*a)) {
      SIDL_THROW(*_ex, sidl_SIDLException, "the array is not in order");
    }
    for (i = 0; i < m; ++i) {
      for (j = 0; j < n; ++j) {
        sidl_int__array_set2(turned, j, i, sidl_int__array_get2(*a, i, j));
      }
    }
    sidl_int__array_deleteRef(*a);
    *a = turned;
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.turn) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.any) */
    *type = sidl__array_type(a);
    *dimension = sidl__array_dimen(a);
    if (sidl__array_type(a) == sidl_double_array) {
      struct sidl_double__array *d = (struct sidl_double__array *) a;
      return (struct sidl__array *) sidl_double__array_smartCopy(d);
    }
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.any) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.better) */
    const int32_t n = lab_Grade__array_length(grades, 0);
    struct lab_Grade__array *result = lab_Grade__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      lab_Grade__array_set1(result, i,
                            lab_Grade__array_get1(grades, i) == lab_Grade_poor
                            ? lab_Grade_fair : lab_Grade_good);
    }
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.better) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.pick) */
    int32_t numElem[1], start[1], stride[1];
    struct lab_Device__array *slice = NULL, *result;
    numElem[0] = (lab_Device__array_length(all, 0) + every - 1) / every;
    start[0] = lab_Device__array_lower(all, 0);
    stride[0] = every;
    slice = lab_Device__array_slice(all, 1, numElem, start, stride, NULL);
    result = lab_Device__array_create1d(numElem[0]);
    lab_Device__array_copy(slice, result);
    lab_Device__array_deleteRef(slice);
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.pick) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.next) */
    *before = (grade == lab_Grade_good) ? lab_Grade_fair : lab_Grade_poor;
    *twice = (*twice == lab_Grade_poor) ? lab_Grade_good : lab_Grade_poor;
    return (grade == lab_Grade_poor) ? lab_Grade_fair : lab_Grade_good;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.next) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.mix) */
    struct sidl_fcomplex result = *b;
    b->real = (float) a.real;
    b->imaginary = f;
    *l = p ? ((int64_t) c) << 32 : 0;
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.mix) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.exchange) */
    struct lab_Sample__data result;
    lab_Sample__init(&result);
    lab_Sample__copy(a, b, _ex); SIDL_CHECK(*_ex);
    result = *c;
    lab_Sample__copy(a, c, _ex); SIDL_CHECK(*_ex);
    c->value = -c->value;
    EXIT:
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.exchange) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.collect) */
    struct lab_Batch__data batch;
    lab_Batch__init(&batch);
    batch.first.label = sidl_String_strdup("first");
    batch.first.grade = lab_Grade_fair;
    batch.first.value = sidl_double__array_get1(values, sidlLower(values, 0));
    batch.owner = sidl_BaseClass__cast(self, _ex); SIDL_CHECK(*_ex);
    lab_Device_addRef(source, _ex); SIDL_CHECK(*_ex);
    batch.source = source;
    batch.values = sidl_double__array_smartCopy(values);
    batch.names = sidl_string__array_create1d(2);
    sidl_string__array_set1(batch.names, 0, "one");
    sidl_string__array_set1(batch.names, 1, "two");
    EXIT:
    return batch;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.collect) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.check) */
    int32_t good = 0;
    char *name = sidl_string__array_get1(batch->names, 1);
    good += strcmp(name, "two") == 0;
    sidl_String_free(name);
    good += strcmp(batch->first.label, "first") == 0;
    good += lab_Calculator_isSame(self, (sidl_BaseInterface) batch->owner, _ex); SIDL_CHECK(*_ex);
    good += lab_Device_isType(batch->source, "lab.Probe", _ex); SIDL_CHECK(*_ex);
    good += sidlArrayElem1(batch->values, sidlLower(batch->values, 0)) == batch->first.value;
    EXIT:
    return good;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.check) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.slide) */
    int32_t i;
    const double first = w->raw[0];
    for (i = 1; i < w->n; ++i) {
      w->raw[i - 1] = w->raw[i];
    }
    w->raw[w->n - 1] = first;
    for (i = 0; i < 3; ++i) {
      w->fixed[i] += 1.0;
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.slide) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.dig) */
    double result = 0.0;
    if (depth == 0) {
      result = lab_Device_read(d, _ex); SIDL_CHECK(*_ex);
    }
    else {
      result = lab_Calculator_dig(self, d, depth - 1, _ex); SIDL_CHECK(*_ex);
    }
    return result;
    EXIT:
    return -1.0;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.dig) */
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.attempt) */
    char *note = NULL;
    sidl_BaseInterface ex = NULL, throwaway = NULL;
    lab_Device_read(d, &ex);
    if (SIDL_CATCH(ex, "lab.Overheated")) {
      sidl_BaseException be = sidl_BaseException__cast(ex, &throwaway);
      note = sidl_BaseException_getNote(be, &throwaway);
      sidl_BaseException_deleteRef(be, &throwaway);
      SIDL_CLEAR(ex);
    }
    SIDL_CHECK(ex);
    return note;
    EXIT:
    *_ex = ex;
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.attempt) */
/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */
