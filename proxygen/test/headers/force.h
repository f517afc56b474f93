/* SPDX-License-Identifier: BSD-3-Clause */
/* As CoMD's potentials: one function gets its object, another finds it in particles->force. */
#ifndef FORCE_H
#define FORCE_H

struct particles;

struct force {
    double cutoff;
    int (*compute)(struct particles *particles);
    double (*range)(struct force *force);
};

struct particles {
    int n;
    struct force *force;
};

#endif
