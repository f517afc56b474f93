/* SPDX-License-Identifier: BSD-3-Clause */
#define GIVE_UP return -1
int work(int n);
int main(void)
{
    int n = work(0);
    void *there = &&inside;

    switch (n) {
    case 1:
#pragma cll a a[0]
        work(1);
    case 2:
        work(2);
#pragma cll end a
    }
    if (n > 3)
        goto inside;
#pragma cll b b[0]
    if (n > 2)
        GIVE_UP;
    if (n > 1)
        goto *there;
inside:
    work(n);
#pragma cll end b
    return 0;
}
