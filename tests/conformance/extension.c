/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Builder: Portolan's own group. */
#include "portolan_parts.h"
#include "world.h"

const struct portolan_part portolan_parts[] = {{0}};
const size_t portolan_n_parts = 0;

SENTENCE(XB_01, "a framework service port of type portolan.ports.Builder is in every framework")
{
    gov_cca_Port port = world_service(w, "extension", "portolan.ports.Builder");

    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(w->services, "extension", &w->ex);
    good(w);
}

static const struct conformance_sentence sentences[] = {TESTED(XB_01)};
GROUP(extension, "portolan.ports.Builder (Portolan's extension)", sentences);
