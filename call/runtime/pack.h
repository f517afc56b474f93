/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a process's samples: 64-bit words; strings have their size in front (with the NUL; 0
 * for NULL) and are padded to whole words.
 */
#ifndef CALL_RUNTIME_PACK_H
#define CALL_RUNTIME_PACK_H

#define CLL_PACK_MAGIC UINT64_C(0x314C4C43)

#endif
