/* SPDX-License-Identifier: BSD-3-Clause */
/* libgpvm3 is empty: all of its functions are in libpvm3. */
__attribute__((visibility("default"))) int clue_gpvm_is_in_libpvm3;
