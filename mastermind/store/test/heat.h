/* SPDX-License-Identifier: BSD-3-Clause */
/* Two methods of a small assembly, as samples name them: a part of initialisers. */
#ifndef PORTOLAN_TEST_HEAT_H
#define PORTOLAN_TEST_HEAT_H

#define HEAT_GO                                                                                    \
    .user = "", .uses = "", .instance = "driver", .port = "go", .implementation = "heat.Driver",   \
    .port_type = "gov.cca.ports.GoPort", .method = "go"
#define HEAT_SOLVE                                                                                 \
    .user = "driver", .uses = "solver", .instance = "solver", .port = "solver",                    \
    .implementation = "heat.Cholmod", .port_type = "heat.LinearSolver", .method = "solve"

#endif
