! SPDX-License-Identifier: BSD-3-Clause
! What differs from C: constants that are addresses, reals and logicals, operations of its own.
program collective
  use mpi
  implicit none
  integer :: ierr, rank, n, i, op, win, status(MPI_STATUS_SIZE), newtype, req
  real(8) :: a(4), b(4)
  integer :: list(64)
  integer, parameter :: keys(4) = (/ MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_APPNUM /)
  integer(MPI_ADDRESS_KIND) :: value = 0
  logical :: l, m
  complex(8) :: c, d
  character(len=20) :: file, line
  external :: addup
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  a = (/ (rank + 0.1d0 * i, i = 1, 4) /)
  call MPI_Allreduce(a, b, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, b
  call MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, a
  l = rank == 0
  call MPI_Allreduce(l, m, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, m
  c = cmplx(rank + 1, 2, 8)
  call MPI_Reduce(c, d, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, d
  call MPI_Op_create(addup, .true., op, ierr)
  call MPI_Allreduce(rank, i, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, i
  call MPI_Op_free(op, ierr)
  call MPI_Allgather(rank, 1, MPI_INTEGER, list, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, list(1:n)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, n), 5, &
    i, 1, MPI_INTEGER, mod(rank + n - 1, n), 5, MPI_COMM_WORLD, status, ierr)
  if (rank == 0) print *, i, status(MPI_SOURCE), status(MPI_TAG)
  call MPI_Ibcast(list, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, req, ierr)
  call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
  if (MPI_Wtime() < 0) print *, 'time'
  write (file, '(a,i0)') 'unit.', rank
  open (unit=10, file=file, status='replace')
  write (10, *) 'rank', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write (10, *) 'again'
  rewind (10)
  read (10, '(a)') line
  close (10, status='delete')
  if (rank /= 0) call MPI_Send(line, 20, MPI_CHARACTER, 0, 6, MPI_COMM_WORLD, ierr)
  do i = 1, n - 1
    if (rank == 0) call MPI_Recv(line, 20, MPI_CHARACTER, i, 6, MPI_COMM_WORLD, status, ierr)
    if (rank == 0) print *, line
  end do
  do i = 1, size(keys)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, keys(i), value, l, ierr)
    if (rank == 0) print *, i, l, value
  end do
  call MPI_Win_create(list, 64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, l, ierr)
  if (rank == 0) print *, l, value
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, l, ierr)
  if (rank == 0) print *, l, value
  call MPI_Win_free(win, ierr)
  call unweighted(rank, mod(rank + 1, n))
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
subroutine unweighted(rank, next)
  use mpi_f08
  implicit none
  integer :: rank, next, n_in, n_out
  logical :: is_weighted
  type(MPI_Comm) :: graph
  call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (/ rank /), (/ 1 /), (/ next /), MPI_UNWEIGHTED, &
                             MPI_INFO_NULL, .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, n_in, n_out, is_weighted)
  if (rank == 0) print *, n_in, n_out, is_weighted
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, (/ 0 /), MPI_WEIGHTS_EMPTY, 0, (/ 0 /), &
                                      MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, n_in, n_out, is_weighted)
  if (rank == 0) print *, n_in, n_out, is_weighted
end subroutine
subroutine addup(x, y, length, type)
  integer :: length, type
  integer :: x(length), y(length)
  y = y + x
end subroutine
