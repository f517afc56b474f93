/* SPDX-License-Identifier: BSD-3-Clause */
/* port: thing */
/* expect: 5: attribute 'in_registers' of 'step' is unknown here and may change how it is called */
struct thing;
typedef int thing_step(struct thing *self) __attribute__((in_registers));
struct thing_ops {
    thing_step *step;
    int (*stop)(struct thing *self) __attribute__((access(none, 1)));
};
struct thing {
    const struct thing_ops *ops;
};
