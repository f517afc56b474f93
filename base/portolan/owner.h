/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * owner: whose files may steer a program. In folders that others write to, such as /tmp, a file or
 * link of another user says what that user wants.
 */
#ifndef PORTOLAN_OWNER_H
#define PORTOLAN_OWNER_H

#include <portolan/base.h>

#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the file of INFO belongs to the user of this process or to root. */
PORTOLAN_API bool portolan_is_trusted(const struct stat *info);

#ifdef __cplusplus
}
#endif
#endif
