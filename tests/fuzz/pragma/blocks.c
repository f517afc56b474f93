/* SPDX-License-Identifier: BSD-3-Clause */
int work(int n);
#pragma cll a a[0]
int outside;
#pragma cll end a
int main(void)
{
    int n = 3;
#pragma cll b b[0]
    if (n) {
        work(n);
#pragma cll end b
    }
#pragma cll c c[0]
#pragma cll d d[0]
    work(n);
#pragma cll end c
#pragma cll end d
#pragma cll alone
    work(n);
#pragma cll end bee
    if (n)
#pragma cll f f[0]
        work(n);
    work(n);
#pragma cll end f
    n = work(
#pragma cll g g[0]
        n);
#pragma cll end g
    if (n)
#pragma cll report all
        work(n);
#pragma cll for (int i = 0; i < 4; i++)
    work(i);
    {
#pragma cll for (int k = 0; k < 4; k++)
    }
#pragma cll end for
#pragma cll end for
#pragma cll end for
    return 0;
}
