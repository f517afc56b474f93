/* SPDX-License-Identifier: BSD-3-Clause */
#pragma parallel PUB bsp
struct bsp {
    int n;
};
void work(struct bsp *bsp)
{
#pragma cll sync a a[0]
#pragma cll end a
#pragma cll sync(*bsp) b b[0]
#pragma cll end b
}
int main(void)
{
    struct bsp here;
#pragma cll sync(&here) c c[0]
    work(&here);
#pragma cll end c
#pragma cll sync(&her) d d[0]
#pragma cll end d
#pragma cll report all
    return 0;
}
