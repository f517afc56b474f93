/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * link: the main function of a program that `portolan link` made. Its source consists of the tables
 * below, static and borrowed; everything else is the code of `portolan run`. Call it once, from the
 * main thread.
 */
#ifndef PORTOLAN_PROGRAM_H
#define PORTOLAN_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_component; /* <portolan/framework.h> */

struct portolan_program_class {
    const struct portolan_component *component;
    const char *description; /**< the text of its XML description */
};

struct portolan_program {
    size_t size;          /**< sizeof (struct portolan_program) where it was compiled */
    const char *file;     /**< the assembly's file name, for messages */
    const char *assembly; /**< its text */
    size_t n_classes;
    const struct portolan_program_class *classes;
};

/**
 * Does what `portolan run` does with the assembly, as if its file were in the program's folder:
 * runs it on all ranks that mpiexec has started and returns the exit status. Takes the options of
 * `portolan run` except those that name files of an assembly or folders of components.
 */
__attribute__((visibility("default"))) int
portolan_program_main(const struct portolan_program *program, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
