/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of command_watch.c where libmicrohttpd is not installed. */
#include "cli.h"

int command_watch(int argc, char **argv)
{
    (void)argc, (void)argv;
    return print_error(&(struct portolan_error){
        PORTOLAN_EUNSUPPORTED, "this Portolan was built without libmicrohttpd, which serves pages: "
                               "install libmicrohttpd-dev and build it again"});
}
