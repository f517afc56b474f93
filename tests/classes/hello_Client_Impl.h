/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(hello.Client._hincludes) */
/* DO-NOT-DELETE splicer.end(hello.Client._hincludes) */
  /* DO-NOT-DELETE splicer.begin(hello.Client._data) */
  gov_cca_Services services;
  /* DO-NOT-DELETE splicer.end(hello.Client._data) */
/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */
