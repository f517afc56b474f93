/* SPDX-License-Identifier: BSD-3-Clause */
/* port: run */
/* expect: 5: 'run' is a function; --functions 'run' makes a port of functions */
struct thing;
int run(struct thing *self);
