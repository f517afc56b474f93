/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object that holds no component, but a descriptor of another ABI. */
#include <portolan/framework.h>

PORTOLAN_API extern const struct portolan_component portolan_component_fault_OldAbi;
const struct portolan_component portolan_component_fault_OldAbi = {
    sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI + 98, "fault.OldAbi", NULL, NULL};
