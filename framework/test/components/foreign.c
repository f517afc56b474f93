/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object that is no component. */
int portolan_test_stranger(void);

int portolan_test_stranger(void)
{
    return 1;
}
