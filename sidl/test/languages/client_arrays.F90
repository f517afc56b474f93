! SPDX-License-Identifier: BSD-3-Clause
! What client.F90 checks of arrays, and how it checks.
module client_checks
  use, intrinsic :: iso_c_binding
  use sidl
  use ft
  implicit none
  integer :: failures = 0
contains
  subroutine check(ok, text)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: text
    if (ok) return
    failures = failures + 1
    print '(a)', 'FAILED: ' // text
  end subroutine

  ! The value of an element that `make` stores.
  real(sidl_double) function weight(index)
    integer, intent(in) :: index(:)
    integer :: i
    weight = sum([(index(i) * 10d0**(i - 1), i = 1, size(index))])
  end function
end module

! Arrays: every rank in both orders, every element type, rarrays, and mistakes.
module client_arrays
  use, intrinsic :: iso_c_binding
  use sidl
  use ft
  use client_checks
  implicit none
contains
  subroutine ranks(s)
    type(ft_Server_t), intent(in) :: s
    logical :: rows
    integer :: k
    do k = 1, 2
      rows = k == 2
      call rank1(s, rows)
      call rank2(s, rows)
      call rank3(s, rows)
      call rank4(s, rows)
      call rank5(s, rows)
      call rank6(s, rows)
      call rank7(s, rows)
    end do
  end subroutine

  subroutine rank1(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_1d) :: a
    real(sidl_double), pointer :: p(:)
    real(sidl_double) :: weighed
    call make1(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:) => a%d_data(2:1:-1)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank2(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_2d) :: a
    real(sidl_double), pointer :: p(:,:)
    real(sidl_double) :: weighed
    call make2(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:) => a%d_data(2:1:-1,:)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank3(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_3d) :: a
    real(sidl_double), pointer :: p(:,:,:)
    real(sidl_double) :: weighed
    call make3(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:,3:) => a%d_data(2:1:-1,:,4:3:-1)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank4(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_4d) :: a
    real(sidl_double), pointer :: p(:,:,:,:)
    real(sidl_double) :: weighed
    call make4(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:,3:,4:) => a%d_data(2:1:-1,:,4:3:-1,:)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank5(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_5d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:)
    real(sidl_double) :: weighed
    call make5(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:,3:,4:,5:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank6(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_6d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:,:)
    real(sidl_double) :: weighed
    call make6(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:,3:,4:,5:,6:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1,:)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank7(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_7d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:,:,:)
    real(sidl_double) :: weighed
    call make7(s, rows, a)
    call weigh(s, a%d_data, weighed)
    call check_made(lbound(a%d_data), ubound(a%d_data), [a%d_data], weighed)
    p(1:,2:,3:,4:,5:,6:,7:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1,:,8:7:-1)
    call weigh(s, p, weighed)
    call check_weighed([p], weighed, 'with strides below 0')
    call deleteRef(a)
  end subroutine

  ! The bounds and elements that `make` gives an array: two in dimension k, from k on.
  subroutine check_made(lower, upper, elements, weighed)
    integer, intent(in) :: lower(:), upper(:)
    real(sidl_double), intent(in) :: elements(:), weighed
    integer :: k
    call check(all(lower == [(k, k = 1, size(lower))]) .and. all(upper == lower + 1), 'bounds' // rank_of(elements))
    call check(all(elements == [(weight(place(elements, k)), k = 0, size(elements) - 1)]), 'elements' // rank_of(elements))
    call check_weighed(elements, weighed, 'as made')
  end subroutine

  subroutine check_weighed(elements, weighed, how)
    real(sidl_double), intent(in) :: elements(:), weighed
    character(len=*), intent(in) :: how
    integer :: k
    call check(weighed == sum(elements * [(weight(place(elements, k)), k = 0, size(elements) - 1)]), &
               'the sum' // rank_of(elements) // ', ' // how)
  end subroutine

  ! The indices of element K from 0 on.
  function place(elements, k) result(i)
    real(sidl_double), intent(in) :: elements(:)
    integer, intent(in) :: k
    integer, allocatable :: i(:)
    integer :: n
    i = [(n + ibits(k, n - 1, 1), n = 1, trailz(size(elements)))]
  end function

  function rank_of(elements) result(text)
    real(sidl_double), intent(in) :: elements(:)
    character(len=10) :: text
    write (text, '(a, i1)') ' of rank ', trailz(size(elements))
  end function

  subroutine elements(s)
    type(ft_Server_t), intent(in) :: s
    logical(sidl_bool), target :: v0(-1:1) = [.true., .false., .true.]
    type(sidl_bool_1d) :: a0, b0, c0
    character(len=1), target :: v1(-1:1) = ['a', 'b', 'c']
    type(sidl_char_1d) :: a1, b1, c1
    complex(sidl_dcomplex), target :: v2(-1:1) = [(1d0,2d0), (3d0,4d0), (5d0,6d0)]
    type(sidl_dcomplex_1d) :: a2, b2, c2
    complex(sidl_fcomplex), target :: v3(-1:1) = [(1.,2.), (3.,4.), (5.,6.)]
    type(sidl_fcomplex_1d) :: a3, b3, c3
    real(sidl_float), target :: v4(-1:1) = [1., 2., 3.]
    type(sidl_float_1d) :: a4, b4, c4
    integer(sidl_int), target :: v5(-1:1) = [1, 2, 3]
    type(sidl_int_1d) :: a5, b5, c5
    integer(sidl_long), target :: v6(-1:1) = [1_8, 2_8, 2_8**40]
    type(sidl_long_1d) :: a6, b6, c6
    integer(sidl_long), target :: v7(-1:1) = [7_8, 0_8, -1_8]
    type(sidl_long_1d) :: a7, b7, c7
    type(sidl_string_1d) :: text, b, c, r
    type(sidl_object_1d) :: object, bo, co, ro
    type(sidl_opaque_1d) :: pb, pc, pr
    type(sidl_array_t) :: x, y, z, was
    type(sidl_int_1d) :: ints
    type(ft_Named_t) :: named
    type(c_ptr), target :: pointers(2)
    character(len=:), allocatable :: name
    call create1d(1, b0)
    call passBools(s, v0, a0, b0, c0)
    call check(size(c0%d_data) == 1 .and. lbound(a0%d_data, 1) == -1 .and. ubound(b0%d_data, 1) == 1, 'bounds of Bools')
    call deleteRef(a0)
    call deleteRef(c0)
    call passBools(s, v0(::2), c0, b0, a0) ! which gives b's former array as the result
    call check(all(b0%d_data .eqv. v0(::2)) .and. all(a0%d_data .eqv. v0), 'Bools')
    call deleteRef(a0)
    call deleteRef(b0)
    call deleteRef(c0)
    call create1d(1, b1)
    call passChars(s, v1, a1, b1, c1)
    call check(size(c1%d_data) == 1 .and. lbound(a1%d_data, 1) == -1 .and. ubound(b1%d_data, 1) == 1, 'bounds of Chars')
    call deleteRef(a1)
    call deleteRef(c1)
    call passChars(s, v1(::2), c1, b1, a1) ! which gives b's former array as the result
    call check(all(b1%d_data == v1(::2)) .and. all(a1%d_data == v1), 'Chars')
    call deleteRef(a1)
    call deleteRef(b1)
    call deleteRef(c1)
    call create1d(1, b2)
    call passDcomplexes(s, v2, a2, b2, c2)
    call check(size(c2%d_data) == 1 .and. lbound(a2%d_data, 1) == -1 .and. ubound(b2%d_data, 1) == 1, 'bounds of Dcomplexes')
    call deleteRef(a2)
    call deleteRef(c2)
    call passDcomplexes(s, v2(::2), c2, b2, a2) ! which gives b's former array as the result
    call check(all(b2%d_data == v2(::2)) .and. all(a2%d_data == v2), 'Dcomplexes')
    call deleteRef(a2)
    call deleteRef(b2)
    call deleteRef(c2)
    call create1d(1, b3)
    call passFcomplexes(s, v3, a3, b3, c3)
    call check(size(c3%d_data) == 1 .and. lbound(a3%d_data, 1) == -1 .and. ubound(b3%d_data, 1) == 1, 'bounds of Fcomplexes')
    call deleteRef(a3)
    call deleteRef(c3)
    call passFcomplexes(s, v3(::2), c3, b3, a3) ! which gives b's former array as the result
    call check(all(b3%d_data == v3(::2)) .and. all(a3%d_data == v3), 'Fcomplexes')
    call deleteRef(a3)
    call deleteRef(b3)
    call deleteRef(c3)
    call create1d(1, b4)
    call passFloats(s, v4, a4, b4, c4)
    call check(size(c4%d_data) == 1 .and. lbound(a4%d_data, 1) == -1 .and. ubound(b4%d_data, 1) == 1, 'bounds of Floats')
    call deleteRef(a4)
    call deleteRef(c4)
    call passFloats(s, v4(::2), c4, b4, a4) ! which gives b's former array as the result
    call check(all(b4%d_data == v4(::2)) .and. all(a4%d_data == v4), 'Floats')
    call deleteRef(a4)
    call deleteRef(b4)
    call deleteRef(c4)
    call create1d(1, b5)
    call passInts(s, v5, a5, b5, c5)
    call check(size(c5%d_data) == 1 .and. lbound(a5%d_data, 1) == -1 .and. ubound(b5%d_data, 1) == 1, 'bounds of Ints')
    call deleteRef(a5)
    call deleteRef(c5)
    call passInts(s, v5(::2), c5, b5, a5) ! which gives b's former array as the result
    call check(all(b5%d_data == v5(::2)) .and. all(a5%d_data == v5), 'Ints')
    call deleteRef(a5)
    call deleteRef(b5)
    call deleteRef(c5)
    call create1d(1, b6)
    call passLongs(s, v6, a6, b6, c6)
    call check(size(c6%d_data) == 1 .and. lbound(a6%d_data, 1) == -1 .and. ubound(b6%d_data, 1) == 1, 'bounds of Longs')
    call deleteRef(a6)
    call deleteRef(c6)
    call passLongs(s, v6(::2), c6, b6, a6) ! which gives b's former array as the result
    call check(all(b6%d_data == v6(::2)) .and. all(a6%d_data == v6), 'Longs')
    call deleteRef(a6)
    call deleteRef(b6)
    call deleteRef(c6)
    call create1d(1, b7)
    call passColors(s, v7, a7, b7, c7)
    call check(size(c7%d_data) == 1 .and. lbound(a7%d_data, 1) == -1 .and. ubound(b7%d_data, 1) == 1, 'bounds of Colors')
    call deleteRef(a7)
    call deleteRef(c7)
    call passColors(s, v7(::2), c7, b7, a7) ! which gives b's former array as the result
    call check(all(b7%d_data == v7(::2)) .and. all(a7%d_data == v7), 'Colors')
    call deleteRef(a7)
    call deleteRef(b7)
    call deleteRef(c7)
    call create1d(2, text)
    text%d_data(0) = 'one '
    text%d_data(1) = ''
    text%d_data(1) = 'zwölf'
    call create1d(1, c)
    call passStrings(s, text%d_data, b, c, r)
    call deleteRef(r)
    name = b%d_data(0)
    call check(name == 'one ' .and. len(name) == 4, 'strings')
    name = c%d_data(1)
    call check(name == 'zwölf', 'strings in UTF-8')
    call deleteRef(text)
    call deleteRef(b)
    call deleteRef(c)
    call create1d(2, object)
    call cast(s, named)
    object%d_data(1) = named
    call create1d(1, co)
    call passObjects(s, object%d_data, bo, co, ro)
    call deleteRef(ro)
    call deleteRef(named)
    call cast(co%d_data(1), named)
    call named%getName(name)
    call check(is_null(bo%d_data(0)) .and. name == 'server', 'objects')
    call deleteRef(named)
    call deleteRef(object)
    call deleteRef(bo)
    call deleteRef(co)
    pointers = [c_null_ptr, c_loc(pointers)]
    call create1d(1, pc)
    call passOpaques(s, pointers, pb, pc, pr)
    call deleteRef(pr)
    call check(c_associated(pb%d_data(2), c_loc(pointers)), 'opaques')
    call deleteRef(pb)
    call deleteRef(pc)
    call create1d(3, ints)
    x = ints
    call passAny(s, x, y, z, was)
    call check(array_rank(y) == 1 .and. array_type(z) == sidl_int_array .and. is_null(was), 'array<>')
    call cast(y, b0)
    call check(is_null(b0), 'a cast of array<> to another type')
    call deleteRef(x)
    call deleteRef(y)
    call deleteRef(z)
  end subroutine

  subroutine raw(s)
    type(ft_Server_t), intent(in) :: s
    real(sidl_double), target :: x(2,4), y(2,2)
    type(sidl_double_2d) :: b, r
    type(sidl_int_1d) :: ints
    type(sidl_BaseInterface_t) :: ex
    real(sidl_double) :: total_of
    integer(sidl_int) :: cube(2,2,2), t
    complex(sidl_fcomplex) :: z
    character(len=:), allocatable :: note
    type(sidl_SIDLException_t) :: wrong
    integer :: i
    x = reshape([(real(i, sidl_double), i = 1, 8)], [2, 4])
    call s%sum(x, 2, 2, total_of)
    call check(total_of == sum(x * reshape([(mod(i,2) + 10*ishft(i, -1), i = 0, 7)], [2, 4])), 'an rarray of rank 2')
    call s%sum(x(:,4:1:-1), 2, 2, total_of)
    call check(total_of == sum(x(:,4:1:-1) * reshape([(mod(i,2) + 10*ishft(i, -1), i = 0, 7)], [2, 4])), 'one with strides')
    call s%scale(x(1,:), 4, 2d0)
    call check(all(x(1,:) == [2, 6, 10, 14]) .and. x(2,1) == 2, 'an rarray that is changed')
    cube = reshape([(i, i = 1, 8)], [2, 2, 2])
    call total(s, cube, t)
    call check(t == sum([((i + 1) * i, i = 0, 7)]), 'an rarray of constant extents')
    call first(s, [(1., 2.), (3., 4.)], [5_8, 6_8], 2_8, z)
    call check(z == (6, 2), 'rarrays with an extent that is long')
    y = reshape([1, 2, 3, 4], [2, 2])
    call createRow([0, 0], [1, 1], b)
    b%d_data = y
    call ordered(s, y, b, r)
    call check(all(r%d_data == y) .and. all(b%d_data == 2 * y), 'arrays of a declared order')
    call deleteRef(r)
    call deleteRef(b)
    call borrow(y_of(y), r)
    call s%ordered(y, r, b)
    call check(all(r%d_data == 2 * b%d_data), 'a borrowed array as inout')
    call deleteRef(r)
    call deleteRef(b)
    do i = 0, 1
      call fault(s, i, ints, ex)
      if (is_null(ex)) cycle ! C may return NULL
      call cast(ex, wrong)
      call wrong%getNote(note)
      call check(any([character(len=84) :: 'ft.Arrays.fault: a has an array of int and rank 2; declared is int and rank 1', &
        'ft.Arrays.fault: a was left unset; use createCol or createRow', &
        'ft.Arrays.fault: a was set by its d_data alone; use createCol, createRow or borrow'] == note), 'message: ' // note)
      call deleteRef(wrong)
      call deleteRef(ex)
    end do
    call check(is_null(ints), 'no array')
  end subroutine

  function y_of(y) result(p)
    real(sidl_double), target, intent(in) :: y(:,:)
    real(sidl_double), pointer :: p(:,:)
    p => y
  end function
end module
