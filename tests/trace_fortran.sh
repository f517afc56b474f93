#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in Fortran are recorded call by call as one in C is, whichever bindings they use.
. "$(dirname "$0")/tap.sh"

mpifort=$(command -v mpifort.mpich) || skip_all 'no Fortran compiler for MPICH'
plan 5

cd "$work" || exit 99
cat >calls.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, other, flag, index, n, indices[2], one = 1, none = 0;
    double a[4000] = {0}, b[4000], c[4];
    MPI_Request q[2];
    MPI_Status s[2];
    MPI_Message message;
    MPI_Comm half, line;
    MPI_Group world, others;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Pcontrol(1);
    if (rank == 0) {
        MPI_Send(a, 3, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
        MPI_Ssend(a, 4000, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
        MPI_Send(a, 2, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    } else {
        MPI_Recv(b, 4000, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, s);
        MPI_Recv(b, 4000, MPI_DOUBLE, s->MPI_SOURCE, s->MPI_TAG, MPI_COMM_WORLD, s);
        MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, s);
        MPI_Mrecv(b, 4000, MPI_DOUBLE, &message, s);
    }
    MPI_Sendrecv(a, 10, MPI_DOUBLE, other, 8, b, 20, MPI_DOUBLE, other, 8, MPI_COMM_WORLD, s);
    MPI_Isend(a, 4, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(b, 4, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Irecv(b, 5, MPI_DOUBLE, other, 10, MPI_COMM_WORLD, &q[0]);
    MPI_Send(a, 5, MPI_DOUBLE, other, 10, MPI_COMM_WORLD);
    q[1] = MPI_REQUEST_NULL;
    MPI_Waitany(2, q, &index, s);
    MPI_Irecv(b, 6, MPI_DOUBLE, other, 11, MPI_COMM_WORLD, &q[0]);
    MPI_Send(a, 6, MPI_DOUBLE, other, 11, MPI_COMM_WORLD);
    MPI_Waitsome(2, q, &n, indices, s);
    MPI_Irecv(b, 7, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &q[0]);
    MPI_Test(&q[0], &flag, s);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(a, 7, MPI_DOUBLE, other, 12, MPI_COMM_WORLD);
    MPI_Wait(&q[0], s);
    MPI_Send_init(a, 8, MPI_DOUBLE, other, 13, MPI_COMM_WORLD, &q[0]);
    MPI_Recv_init(b, 8, MPI_DOUBLE, other, 13, MPI_COMM_WORLD, &q[1]);
    MPI_Startall(2, q);
    MPI_Waitall(2, q, s);
    MPI_Start(&q[0]);
    MPI_Start(&q[1]);
    MPI_Wait(&q[0], s);
    MPI_Wait(&q[1], s);
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
    MPI_Allreduce(a, c, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(a, 100, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, q);
    MPI_Wait(q, s);
    MPI_Comm_split(MPI_COMM_WORLD, 0, other, &half);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, &none, one, &line);
    MPI_Comm_rank(half, &rank);
    MPI_Sendrecv_replace(a, 11, MPI_DOUBLE, 1 - rank, 14, 1 - rank, 14, half, s);
    MPI_Barrier(line);
    MPI_Win_create(b, sizeof b, 8, MPI_INFO_NULL, half, &win);
    MPI_Win_fence(0, win);
    MPI_Put(a, 12, MPI_DOUBLE, 1 - rank, 0, 12, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Comm_group(half, &world);
    MPI_Group_incl(world, 1, (int[]){1 - rank}, &others);
    MPI_Win_post(others, 0, win);
    MPI_Win_start(others, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&line);
    MPI_Comm_free(&half);
    return MPI_Finalize();
}
C
cat >calls.F90 <<'F'
#ifdef F08
#define HANDLE(x) type(x)
#define STATUS type(MPI_Status)
#define OF(status, field) status%field
#else
#define HANDLE(x) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define OF(status, field) status(field)
#endif
program calls
#if defined(F08)
  use mpi_f08
  implicit none
#elif defined(F90)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, other, at, n, indices(2), e
  logical :: flag
  double precision, asynchronous :: a(4000), b(4000)
  double precision :: c(4)
  HANDLE(MPI_Request) :: q(2)
  STATUS :: s
#ifdef F08
  type(MPI_Status) :: both(2)
#else
  integer :: both(MPI_STATUS_SIZE, 2)
#endif
  HANDLE(MPI_Message) :: message
  HANDLE(MPI_Comm) :: half, line
  HANDLE(MPI_Group) :: world, others
  HANDLE(MPI_Win) :: win

  a = 0
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  other = 1 - rank
  call MPI_Pcontrol(1)
  if (rank == 0) then
    call MPI_Send(a, 3, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, e)
    call MPI_Ssend(a, 4000, MPI_DOUBLE_PRECISION, 1, 6, MPI_COMM_WORLD, e)
    call MPI_Send(a, 2, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, e)
  else
    call MPI_Recv(b, 4000, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, s, e)
    call MPI_Recv(b, 4000, MPI_DOUBLE_PRECISION, OF(s, MPI_SOURCE), OF(s, MPI_TAG), MPI_COMM_WORLD, s, e)
    call MPI_Mprobe(0, 7, MPI_COMM_WORLD, message, s, e)
    call MPI_Mrecv(b, 4000, MPI_DOUBLE_PRECISION, message, s, e)
  end if
  call MPI_Sendrecv(a, 10, MPI_DOUBLE_PRECISION, other, 8, b, 20, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, s, e)
  call MPI_Isend(a, 4, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, q(1), e)
  call MPI_Irecv(b, 4, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, q(2), e)
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, e)
  call MPI_Irecv(b, 5, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, q(1), e)
  call MPI_Send(a, 5, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, e)
  q(2) = MPI_REQUEST_NULL
  call MPI_Waitany(2, q, at, s, e)
  call MPI_Irecv(b, 6, MPI_DOUBLE_PRECISION, other, 11, MPI_COMM_WORLD, q(1), e)
  call MPI_Send(a, 6, MPI_DOUBLE_PRECISION, other, 11, MPI_COMM_WORLD, e)
  call MPI_Waitsome(2, q, n, indices, both, e)
  call MPI_Irecv(b, 7, MPI_DOUBLE_PRECISION, other, 12, MPI_COMM_WORLD, q(1), e)
  call MPI_Test(q(1), flag, s, e)
  call MPI_Barrier(MPI_COMM_WORLD, e)
  call MPI_Send(a, 7, MPI_DOUBLE_PRECISION, other, 12, MPI_COMM_WORLD, e)
  call MPI_Wait(q(1), s, e)
  call MPI_Send_init(a, 8, MPI_DOUBLE_PRECISION, other, 13, MPI_COMM_WORLD, q(1), e)
  call MPI_Recv_init(b, 8, MPI_DOUBLE_PRECISION, other, 13, MPI_COMM_WORLD, q(2), e)
  call MPI_Startall(2, q, e)
  call MPI_Waitall(2, q, both, e)
  call MPI_Start(q(1), e)
  call MPI_Start(q(2), e)
  call MPI_Wait(q(1), s, e)
  call MPI_Wait(q(2), s, e)
  call MPI_Request_free(q(1), e)
  call MPI_Request_free(q(2), e)
  call MPI_Allreduce(a, c, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Bcast(a, 100, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, e)
  call MPI_Ibarrier(MPI_COMM_WORLD, q(1), e)
  call MPI_Wait(q(1), s, e)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, other, half, e)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ 2 /), (/ .false. /), .true., line, e)
  call MPI_Comm_rank(half, rank, e)
  call MPI_Sendrecv_replace(a, 11, MPI_DOUBLE_PRECISION, 1 - rank, 14, 1 - rank, 14, half, s, e)
  call MPI_Barrier(line, e)
  call MPI_Win_create(b, int(32000, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, half, win, e)
  call MPI_Win_fence(0, win, e)
  call MPI_Put(a, 12, MPI_DOUBLE_PRECISION, 1 - rank, int(0, MPI_ADDRESS_KIND), 12, MPI_DOUBLE_PRECISION, win, e)
  call MPI_Win_fence(0, win, e)
  call MPI_Comm_group(half, world, e)
  call MPI_Group_incl(world, 1, (/ 1 - rank /), others, e)
  call MPI_Win_post(others, 0, win, e)
  call MPI_Win_start(others, 0, win, e)
  call MPI_Win_complete(win, e)
  call MPI_Win_wait(win, e)
  call MPI_Win_free(win, e)
  call MPI_Comm_free(line, e)
  call MPI_Comm_free(half, e)
  call MPI_Finalize(e)
end program calls
F
"$MPICC" -w calls.c -o in_c || exit 99

# What each rank did, in its order, without times.
recorded() {
    "$PORTOLAN" trace -o "trace_$1" -n 2 -- "./$1" >/dev/null || return
    "$PORTOLAN" trace "trace_$1" | sed '/^#/d; / VALUE /d; / CPU /d; s/ [0-9.]* / /' | sort -s -k1,1
}
recorded in_c >expected
[ "$(grep -c ' SEND ' expected)" = 19 ] && [ "$(grep -c ' RECV ' expected)" = 19 ]
result 'a program in C is recorded' $?

for form in F77 F90 F08; do
    "$mpifort" -w -ffree-line-length-none -D$form calls.F90 -o in_$form || exit 99
    recorded in_$form >got
    diff expected got >different
    result "and in Fortran ($form), call by call" $?
    sed "s,^,# ,; 20q" different
done
try "$PORTOLAN" diagnose -n 2 -- ./in_F08
answered
gives 'a program that uses mpi_f08 is diagnosed' 0 'it looks like|waiting'
