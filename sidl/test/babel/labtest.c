/* SPDX-License-Identifier: BSD-3-Clause */
/* A client by the book for Babel's C binding. Prints what fails; exit status 0 if nothing does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "sidl_BaseClass.h"
#include "sidl_BaseException.h"
#include "sidl_BaseInterface.h"
#include "sidl_ClassInfo.h"
#include "sidl_Exception.h"
#include "sidl_String.h"

static int s_failures = 0;

#define CHECK(CONDITION)                                                \
  do {                                                                  \
    if (!(CONDITION)) {                                                 \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #CONDITION);   \
      ++s_failures;                                                     \
    }                                                                   \
  } while (0)

/* Compares and frees. */
static int isText(char *text, const char *expected)
{
  int result = (text && !strcmp(text, expected));
  if (text) sidl_String_free(text);
  return result;
}

static void testInheritance(void)
{
  sidl_BaseInterface ex = NULL;
  sidl_BaseInterface base = NULL;
  sidl_BaseClass object = NULL;
  sidl_ClassInfo info = NULL;
  lab_Thermometer thermometer = NULL, same = NULL;
  lab_Probe probe = NULL;
  lab_Instrument instrument = NULL;
  lab_Device device = NULL;
  lab_Named named = NULL;
  lab_Counter counter = NULL;

  CHECK(lab_Instrument_getCreated(&ex) == 0); SIDL_REPORT(ex);
  thermometer = lab_Thermometer__create(&ex); SIDL_REPORT(ex);
  probe = lab_Probe__create(&ex); SIDL_REPORT(ex);
  CHECK(lab_Instrument_getCreated(&ex) == 2); SIDL_REPORT(ex);
  CHECK(lab_Probe_getAlive(&ex) == 2); SIDL_REPORT(ex);

  CHECK(isText(lab_Thermometer_describe(thermometer, &ex), "a thermometer, an instrument"));
  SIDL_REPORT(ex);
  CHECK(isText(lab_Probe_describe(probe, &ex), "a probe (a thermometer, an instrument)"));
  SIDL_REPORT(ex);

  /* the nearest method is called, whatever the reference is */
  instrument = lab_Instrument__cast(probe, &ex); SIDL_REPORT(ex);
  CHECK(instrument != NULL);
  CHECK(isText(lab_Instrument_describe(instrument, &ex), "a probe (a thermometer, an instrument)"));
  SIDL_REPORT(ex);
  CHECK(isText(lab_Instrument_getVendor(instrument, &ex), "Fahrenheit & Sons")); SIDL_REPORT(ex);
  device = lab_Device__cast(instrument, &ex); SIDL_REPORT(ex);
  CHECK(isText(lab_Device_describe(device, &ex), "a probe (a thermometer, an instrument)"));
  SIDL_REPORT(ex);
  named = (lab_Named) lab_Device__cast2(device, "lab.Named", &ex); SIDL_REPORT(ex);
  CHECK(isText(lab_Named_describe(named, &ex), "a probe (a thermometer, an instrument)"));
  SIDL_REPORT(ex);
  lab_Probe_setLabel(probe, "outside", &ex); SIDL_REPORT(ex);
  CHECK(isText(lab_Named_getLabel(named, &ex), "outside")); SIDL_REPORT(ex);

  /* state of all three levels */
  lab_Probe_heatTo(probe, 37.5, &ex); SIDL_REPORT(ex);
  lab_Probe_heatBy(probe, 2, &ex); SIDL_REPORT(ex);
  CHECK(lab_Device_read(device, &ex) == 39.5); SIDL_REPORT(ex);
  CHECK(lab_Device_read(device, &ex) == 39.5); SIDL_REPORT(ex);
  CHECK(lab_Instrument_getReads(instrument, &ex) == 2); SIDL_REPORT(ex);
  CHECK(lab_Thermometer_getReads(thermometer, &ex) == 0); SIDL_REPORT(ex);

  /* casts down and aside */
  CHECK(lab_Probe__cast(thermometer, &ex) == NULL); SIDL_REPORT(ex);
  CHECK(lab_Named__cast(thermometer, &ex) == NULL); SIDL_REPORT(ex);
  counter = lab_Counter__cast(probe, &ex); SIDL_REPORT(ex);
  CHECK(counter == NULL);
  same = lab_Thermometer__cast(named, &ex); SIDL_REPORT(ex);
  CHECK(same != NULL);
  CHECK(lab_Thermometer_isSame(same, (sidl_BaseInterface) probe, &ex)); SIDL_REPORT(ex);
  CHECK(!lab_Thermometer_isSame(same, (sidl_BaseInterface) thermometer, &ex)); SIDL_REPORT(ex);
  CHECK(lab_Named_isType(named, "lab.Instrument", &ex)); SIDL_REPORT(ex);
  CHECK(lab_Named_isType(named, "sidl.BaseClass", &ex)); SIDL_REPORT(ex);
  CHECK(!lab_Named_isType(named, "lab.Counter", &ex)); SIDL_REPORT(ex);
  base = sidl_BaseInterface__cast(named, &ex); SIDL_REPORT(ex);
  object = sidl_BaseClass__cast(base, &ex); SIDL_REPORT(ex);
  CHECK(base && object);
  info = sidl_BaseClass_getClassInfo(object, &ex); SIDL_REPORT(ex);
  CHECK(isText(sidl_ClassInfo_getName(info, &ex), "lab.Probe")); SIDL_REPORT(ex);

EXIT:
  CHECK(ex == NULL);
  if (info) sidl_ClassInfo_deleteRef(info, &ex);
  if (object) sidl_BaseClass_deleteRef(object, &ex);
  if (base) sidl_BaseInterface_deleteRef(base, &ex);
  if (same) lab_Thermometer_deleteRef(same, &ex);
  if (named) lab_Named_deleteRef(named, &ex);
  if (device) lab_Device_deleteRef(device, &ex);
  if (instrument) lab_Instrument_deleteRef(instrument, &ex);
  CHECK(lab_Instrument_getAlive(&ex) == 2);
  if (probe) lab_Probe_deleteRef(probe, &ex);
  CHECK(lab_Instrument_getAlive(&ex) == 1);
  if (thermometer) lab_Thermometer_deleteRef(thermometer, &ex);
  CHECK(lab_Instrument_getAlive(&ex) == 0);
  CHECK(lab_Instrument_getCreated(&ex) == 2);
}

static void testExceptions(void)
{
  sidl_BaseInterface ex = NULL, throwaway = NULL;
  lab_Calculator calculator = lab_Calculator__create(&ex);
  lab_Probe probe = lab_Probe__create(&ex);
  lab_Device device = lab_Device__cast(probe, &ex);
  lab_Trouble trouble = NULL;
  sidl_BaseException be = NULL;
  char *trace = NULL, *line;
  int lines = 0;

  CHECK(lab_Calculator_dig(calculator, device, 3, &ex) == 20.0);
  CHECK(ex == NULL);
  lab_Probe_heatTo(probe, 1200.0, &ex);
  lab_Calculator_dig(calculator, device, 3, &ex);
  CHECK(ex != NULL);
  CHECK(SIDL_CATCH(ex, "lab.Overheated"));
  CHECK(SIDL_CATCH(ex, "lab.Trouble"));
  CHECK(SIDL_CATCH(ex, "sidl.SIDLException"));
  CHECK(SIDL_CATCH(ex, "sidl.RuntimeException"));
  CHECK(!SIDL_CATCH(ex, "lab.Device"));
  trouble = lab_Trouble__cast(ex, &throwaway);
  CHECK(trouble && lab_Trouble_getCode(trouble, &throwaway) == 451);
  CHECK(isText(lab_Trouble_getNote(trouble, &throwaway), "1200 degrees are too many"));
  be = sidl_BaseException__cast(ex, &throwaway);
  trace = sidl_BaseException_getTrace(be, &throwaway);
  for (line = trace; line && *line; ++line) {
    lines += *line == '\n';
  }
  CHECK(trace && strstr(trace, "lab.Thermometer.read"));
  CHECK(trace && strstr(trace, "impl_lab_Calculator_dig"));
  CHECK(lines >= 5);
  sidl_String_free(trace);
  sidl_BaseException_deleteRef(be, &throwaway);
  lab_Trouble_deleteRef(trouble, &throwaway);
  SIDL_CLEAR(ex);
  CHECK(ex == NULL);

  CHECK(isText(lab_Calculator_attempt(calculator, device, &ex), "1200 degrees are too many"));
  CHECK(ex == NULL);
  lab_Probe_heatTo(probe, 20.0, &ex);
  CHECK(lab_Calculator_attempt(calculator, device, &ex) == NULL);
  CHECK(ex == NULL);

  /* thrown by the client itself */
  SIDL_THROW(ex, lab_Trouble, "by hand");
EXIT:
  CHECK(SIDL_CATCH(ex, "lab.Trouble") && !SIDL_CATCH(ex, "lab.Overheated"));
  trouble = lab_Trouble__cast(ex, &throwaway);
  CHECK(trouble && lab_Trouble_getCode(trouble, &throwaway) == -1);
  CHECK(isText(lab_Trouble_getNote(trouble, &throwaway), "by hand"));
  lab_Trouble_deleteRef(trouble, &throwaway);
  SIDL_CLEAR(ex);
  lab_Device_deleteRef(device, &ex);
  lab_Probe_deleteRef(probe, &ex);
  lab_Calculator_deleteRef(calculator, &ex);
}

static void testRenamed(void)
{
  sidl_BaseInterface ex = NULL;
  lab_Meter meter = lab_Meter__create(&ex), wrapped = NULL;
  lab_Counter counter = lab_Counter__cast(meter, &ex);

  CHECK(lab_Meter_mark(meter, "four", &ex) == 4);
  CHECK(lab_Counter_count(counter, "fives", &ex) == 9);
  lab_Counter_reset(counter, &ex);
  CHECK(lab_Meter_mark(meter, "", &ex) == 0);
  lab_Counter_deleteRef(counter, &ex);
  lab_Meter_deleteRef(meter, &ex);

  /* as Babel's clients do when they are given a URL; the header of ProtocolFactory is not included */
  CHECK(!sidl_rmi_ProtocolFactory_addProtocol("simhandle", "sidlx.rmi.SimHandle", &ex) && !ex);
  wrapped = lab_Meter__createRemote("simhandle://localhost:9000", &ex);
  CHECK(wrapped == NULL && SIDL_CATCH(ex, "sidl.rmi.NetworkException"));
  SIDL_CLEAR(ex);

  wrapped = lab_Meter_startAt(70, &ex);
  CHECK(ex == NULL && wrapped != NULL);
  CHECK(lab_Meter_mark(wrapped, "seven", &ex) == 1075);
  lab_Meter_deleteRef(wrapped, &ex);
  CHECK(ex == NULL);
}

static void testRarrays(lab_Calculator calculator)
{
  sidl_BaseInterface ex = NULL;
  double x[3] = { 1.0, 2.0, 3.0 }, y[3] = { 4.0, 5.0, 6.0 };
  double a[6] = { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0 };
  int32_t b[12], i;

  CHECK(lab_Calculator_dot(x, y, 3, &ex) == 32.0);
  CHECK(lab_Calculator_dot(x, y, 2, &ex) == 14.0);
  lab_Calculator_scale(calculator, a, 2, 3, 10.0, &ex);
  for (i = 0; i < 6; ++i) {
    CHECK(a[i] == 10.0 * (i + 1));
  }
  CHECK(RarrayElem2(a, 1, 2, 2) == 60.0);
  for (i = 0; i < 12; ++i) {
    b[i] = i;
  }
  CHECK(lab_Calculator_area(calculator, b, 2, &ex) == 66);
  CHECK(lab_Calculator_area(calculator, b, 1, &ex) == 6);
  CHECK(ex == NULL);
}

static void testOrders(lab_Calculator calculator)
{
  sidl_BaseInterface ex = NULL;
  struct sidl_double__array *table = NULL, *rows = NULL;
  struct sidl_int__array *square = NULL;
  sidl_bool wasRow = FALSE;
  int32_t i, j;

  lab_Calculator_table(calculator, 3, 2, &table, &ex);
  CHECK(sidl_double__array_isColumnOrder(table));
  CHECK(sidl_double__array_length(table, 0) == 3 && sidl_double__array_length(table, 1) == 2);
  for (i = 0; i < 3; ++i) {
    for (j = 0; j < 2; ++j) {
      CHECK(sidl_double__array_get2(table, i, j) == 10.0 * i + j);
    }
  }
  CHECK(lab_Calculator_corner(calculator, table, &wasRow, &ex) == 1.0);
  CHECK(wasRow);
  CHECK(sidl_double__array_isColumnOrder(table));
  rows = sidl_double__array_ensure(table, 2, sidl_row_major_order);
  CHECK(rows != table && sidl_double__array_isRowOrder(rows));
  wasRow = FALSE;
  CHECK(lab_Calculator_corner(calculator, rows, &wasRow, &ex) == 1.0);
  CHECK(wasRow);
  sidl_double__array_deleteRef(rows);
  sidl_double__array_deleteRef(table);

  square = sidl_int__array_create2dRow(2, 3);
  for (i = 0; i < 2; ++i) {
    for (j = 0; j < 3; ++j) {
      sidlArrayElem2(square, i, j) = 3 * i + j;
    }
  }
  lab_Calculator_turn(calculator, &square, &ex);
  CHECK(ex == NULL);
  CHECK(sidl_int__array_isColumnOrder(square));
  CHECK(sidl_int__array_length(square, 0) == 3 && sidl_int__array_length(square, 1) == 2);
  for (i = 0; i < 3; ++i) {
    for (j = 0; j < 2; ++j) {
      CHECK(sidl_int__array_get2(square, i, j) == 3 * j + i);
    }
  }
  sidl_int__array_deleteRef(square);
}

static void testArrays(lab_Calculator calculator)
{
  sidl_BaseInterface ex = NULL;
  struct sidl_int__array *range = lab_Calculator_range(calculator, 5, &ex);
  struct sidl_string__array *names = sidl_string__array_create1d(3), *before = names;
  struct sidl_double__array *borrowed = NULL, *kept = NULL;
  struct sidl__array *any = NULL;
  struct lab_Grade__array *grades = lab_Grade__array_create1d(2), *better = NULL;
  struct lab_Device__array *all = lab_Device__array_create1d(4), *some = NULL;
  double memory[4] = { 1.5, 2.5, 3.5, 4.5 };
  const int32_t lower[1] = { 1 }, upper[1] = { 4 }, stride[1] = { 1 };
  int32_t type = 0, dimension = 0, i;

  CHECK(sidlArrayDim(range) == 1 && sidlLower(range, 0) == 0 && sidlUpper(range, 0) == 4);
  CHECK(sidl_int__array_get1(range, 4) == 4);
  CHECK(sidl_int__array_first(range)[3] == 3);
  sidl_int__array_deleteRef(range);

  sidl_string__array_set1(names, 0, "a");
  sidl_string__array_set1(names, 1, "b");
  sidl_string__array_set1(names, 2, "c");
  sidl_string__array_addRef(before);
  lab_Calculator_flip(calculator, &names, &ex);
  CHECK(isText(sidl_string__array_get1(names, 0), "c"));
  CHECK(isText(sidl_string__array_get1(names, 2), "a"));
  CHECK(isText(sidl_string__array_get1(before, 0), "a"));
  sidl_string__array_deleteRef(before);
  sidl_string__array_deleteRef(names);

  /* borrowed memory is copied by who keeps it */
  borrowed = sidl_double__array_borrow(memory, 1, lower, upper, stride);
  any = lab_Calculator_any(calculator, (struct sidl__array *) borrowed, &type, &dimension, &ex);
  CHECK(type == sidl_double_array && dimension == 1);
  memory[0] = -1.0;
  CHECK(sidl_double__array_get1(borrowed, 1) == -1.0);
  kept = (struct sidl_double__array *) any;
  CHECK(kept && sidl_double__array_get1(kept, 1) == 1.5);
  CHECK(sidl_double__array_lower(kept, 0) == 1 && sidl_double__array_upper(kept, 0) == 4);
  sidl_double__array_deleteRef(borrowed);
  sidl__array_deleteRef(any);
  any = lab_Calculator_any(calculator, NULL, &type, &dimension, &ex);
  CHECK(any == NULL && type == 0 && dimension == 0);

  lab_Grade__array_set1(grades, 0, lab_Grade_poor);
  lab_Grade__array_set1(grades, 1, lab_Grade_fair);
  better = lab_Calculator_better(calculator, grades, &ex);
  CHECK(lab_Grade__array_get1(better, 0) == lab_Grade_fair);
  CHECK(lab_Grade__array_get1(better, 1) == lab_Grade_good);
  lab_Grade__array_deleteRef(better);
  lab_Grade__array_deleteRef(grades);

  for (i = 0; i < 4; ++i) {
    lab_Probe probe = lab_Probe__create(&ex);
    lab_Device device = lab_Device__cast(probe, &ex);
    lab_Device__array_set1(all, i, device);
    lab_Device_deleteRef(device, &ex);
    lab_Probe_deleteRef(probe, &ex);
  }
  CHECK(lab_Instrument_getAlive(&ex) == 4);
  some = lab_Calculator_pick(calculator, all, 2, &ex);
  CHECK(lab_Device__array_length(some, 0) == 2);
  {
    lab_Device one = lab_Device__array_get1(some, 1), other = lab_Device__array_get1(all, 2);
    CHECK(lab_Device_isSame(one, (sidl_BaseInterface) other, &ex));
    lab_Device_deleteRef(one, &ex);
    lab_Device_deleteRef(other, &ex);
  }
  lab_Device__array_deleteRef(all);
  CHECK(lab_Instrument_getAlive(&ex) == 2);
  lab_Device__array_deleteRef(some);
  CHECK(lab_Instrument_getAlive(&ex) == 0);
  CHECK(ex == NULL);
}

static void testValues(lab_Calculator calculator)
{
  sidl_BaseInterface ex = NULL;
  enum lab_Grade__enum grade, before, twice = lab_Grade_good;
  struct sidl_dcomplex z = { 1.0, 2.0 };
  struct sidl_fcomplex w = { 3.0F, 4.0F }, was;
  int64_t big = 0;

  CHECK(lab_Grade_fair == 0);
  grade = lab_Calculator_next(calculator, lab_Grade_poor, &before, &twice, &ex);
  CHECK(grade == lab_Grade_fair && before == lab_Grade_poor && twice == lab_Grade_poor);
  CHECK(lab_Calculator_worst(lab_Grade_good, lab_Grade_poor, &ex) == lab_Grade_poor);
  was = lab_Calculator_mix(calculator, z, &w, &big, 0.5F, 'A', calculator, &ex);
  CHECK(was.real == 3.0F && was.imaginary == 4.0F && w.real == 1.0F && w.imaginary == 0.5F);
  CHECK(big == 65LL * 65536 * 65536);
  CHECK(ex == NULL);
}

static void testStructs(lab_Calculator calculator)
{
  sidl_BaseInterface ex = NULL;
  struct lab_Sample__data a, b, c, d;
  struct lab_Batch__data batch, copy;
  struct lab_Window__data window;
  struct sidl_double__array *values = sidl_double__array_create1d(2);
  lab_Probe probe = lab_Probe__create(&ex);
  lab_Device device = lab_Device__cast(probe, &ex);
  double raw[4] = { 1.0, 2.0, 3.0, 4.0 };

  lab_Sample__init(&a);
  CHECK(a.label == NULL && a.value == 0.0);
  a.ok = TRUE;
  a.value = 6.5;
  a.z.imaginary = 1.0;
  a.big = 1LL << 40;
  a.grade = lab_Grade_good;
  a.label = sidl_String_strdup("iron");
  lab_Sample__init(&c);
  c.label = sidl_String_strdup("gold");
  d = lab_Calculator_exchange(calculator, &a, &b, &c, &ex);
  CHECK(ex == NULL);
  CHECK(!strcmp(d.label, "gold") && !strcmp(b.label, "iron") && !strcmp(c.label, "iron"));
  CHECK(b.label != a.label && c.label != a.label);
  CHECK(b.value == 6.5 && c.value == -6.5 && b.big == a.big && b.grade == lab_Grade_good);
  CHECK(b.z.imaginary == 1.0 && b.ok);
  lab_Sample__destroy(&a, &ex);
  CHECK(a.label == NULL);
  lab_Sample__destroy(&b, &ex);
  lab_Sample__destroy(&c, &ex);
  lab_Sample__destroy(&d, &ex);

  sidlArrayElem1(values, 0) = 2.25;
  sidlArrayElem1(values, 1) = 3.25;
  batch = lab_Calculator_collect(calculator, device, values, &ex);
  CHECK(ex == NULL);
  sidl_double__array_deleteRef(values);
  CHECK(lab_Calculator_check(calculator, &batch, &ex) == 5);
  lab_Batch__copy(&batch, &copy, &ex);
  CHECK(ex == NULL);
  lab_Batch__destroy(&batch, &ex);
  CHECK(batch.source == NULL && batch.names == NULL && batch.first.label == NULL);
  CHECK(lab_Calculator_check(calculator, &copy, &ex) == 5);
  lab_Device_deleteRef(device, &ex);
  lab_Probe_deleteRef(probe, &ex);
  CHECK(lab_Instrument_getAlive(&ex) == 1);
  lab_Batch__destroy(&copy, &ex);
  CHECK(lab_Instrument_getAlive(&ex) == 0);

  lab_Window__init(&window);
  window.n = 4;
  window.raw = raw;
  window.fixed[1] = 7.0;
  lab_Calculator_slide(calculator, &window, &ex);
  CHECK(raw[0] == 2.0 && raw[3] == 1.0);
  CHECK(window.fixed[0] == 1.0 && window.fixed[1] == 8.0 && window.fixed[2] == 1.0);
  lab_Window__destroy(&window, &ex);
  CHECK(ex == NULL);
}

int main(void)
{
  sidl_BaseInterface ex = NULL;
  lab_Calculator calculator = NULL;

  testInheritance();
  testExceptions();
  testRenamed();
  calculator = lab_Calculator__create(&ex); SIDL_CHECK(ex);
  testRarrays(calculator);
  testOrders(calculator);
  testArrays(calculator);
  testValues(calculator);
  testStructs(calculator);
EXIT:
  CHECK(ex == NULL);
  lab_Calculator_deleteRef(calculator, &ex);
  return s_failures ? 1 : 0;
}
