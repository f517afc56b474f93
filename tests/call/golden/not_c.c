/* SPDX-License-Identifier: BSD-3-Clause */
int main(void)
{
    int n = 0;
#pragma cll for (int k = 1; k < limit; k *= 2)
    n += k
#pragma cll end for
#pragma cll a a[0] + a[2]
    return undeclared;
#pragma cll end a
}
