/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 4: 'no_such_header.h' file not found; the flag -IFOLDER says where it is */
#include "no_such_header.h"
struct thing;
struct thing_ops {
    int (*step)(struct thing *self);
};
struct thing {
    const struct thing_ops *ops;
};
