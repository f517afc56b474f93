/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters without names, and macros with the names that one would give them. */
#ifndef CASES_UNNAMED_H
#define CASES_UNNAMED_H
struct unnamed;
struct unnamed_ops {
    int (*sum)(struct unnamed *, int, int, const int *);
    int (*second)(int, struct unnamed *, int);
};
struct unnamed {
    const struct unnamed_ops *ops;
};
#define self       not_a_name
#define proxy      not_a_name
#define argument_1 not_a_name
#define argument_0 not_a_name
#define call       not_a_name
#define to         not_a_name
#define result     not_a_name
#endif
