/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of assemblies as XML share. Include cmocka.h before. */
#ifndef PORTOLAN_ASSEMBLY_CHECK_H
#define PORTOLAN_ASSEMBLY_CHECK_H

#include "../assembly/assembly.h"

#define A(...) "<assembly name='a'>\n" __VA_ARGS__ "\n</assembly>"

static inline struct portolan_assembly *read_good(const char *text)
{
    struct heard h = {0};
    struct portolan_diagnostics d = {hear, &h, 0};
    struct portolan_error err = {0};
    struct portolan_assembly *a;
    enum portolan_status status =
        portolan_assembly_read_text(text, strlen(text), "dir/a.xml", &d, &a, &err);

    if (status != PORTOLAN_OK)
        fail_msg("%s\n%s", err.text, h.text);
    assert_int_equal(d.count, 0);
    return a;
}

#endif
