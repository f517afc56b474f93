/* SPDX-License-Identifier: BSD-3-Clause */
/* port: lab::Kind */
/* expect: 1: 'lab::Kind' is no class */
namespace lab {
enum Kind { a, b };
}
