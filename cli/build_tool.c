/* SPDX-License-Identifier: BSD-3-Clause */
/* One command as a program of its own, for use inside builds: sidlc, proxygenc. */
#include "arguments.h"

int main(int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    return COMMAND(argc, argv);
}
