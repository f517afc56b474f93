! SPDX-License-Identifier: BSD-3-Clause
! Calls ft.Server and ft.Child, whatever language they are in; stops if there are failures. With the argument
! `leave` it leaves an exception uncaught.
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

  subroutine scalars(s)
    type(ft_Server_t), intent(in) :: s
    logical :: lb, lc, lr
    character(len=1) :: cb, cc, cr
    complex(sidl_dcomplex) :: zb, zc, zr
    complex(sidl_fcomplex) :: yb, yc, yr
    real(sidl_double) :: db, dc, dr
    real(sidl_float) :: fb, fc, fr
    integer(sidl_int) :: ib, ic, ir
    integer(sidl_long) :: jb, jc, jr
    type(c_ptr) :: pb, pc, pr
    integer, target :: somewhere
    lc = .false.
    call passBool(s, .true., lb, lc, lr)
    call check(lb .and. lc .and. .not. lr, 'bool')
    cc = 'c'
    call passChar(s, 'a', cb, cc, cr)
    call check(cb == 'a' .and. cc == 'a' .and. cr == 'c', 'char')
    zc = (3, -4)
    call s%passDcomplex((1d0, 2d0), zb, zc, zr)
    call check(zb == (1, 2) .and. zc == (1, 2) .and. zr == (3, -4), 'dcomplex')
    yc = (3, -4)
    call s%passFcomplex((1., 2.), yb, yc, yr)
    call check(yb == (1, 2) .and. yc == (1, 2) .and. yr == (3, -4), 'fcomplex')
    dc = 2.5d0
    call passDouble(s, 1d-300, db, dc, dr)
    call check(db == 1d-300 .and. dc == 1d-300 .and. dr == 2.5d0, 'double')
    fc = 2.5
    call passFloat(s, 1e30, fb, fc, fr)
    call check(fb == 1e30 .and. fc == 1e30 .and. fr == 2.5, 'float')
    ic = 5
    call passInt(s, -huge(ic), ib, ic, ir)
    call check(ib == -huge(ic) .and. ic == -huge(ic) .and. ir == 5, 'int')
    jc = 5
    call passLong(s, huge(jc), jb, jc, jr)
    call check(jb == huge(jc) .and. jc == huge(jc) .and. jr == 5, 'long')
    pc = c_null_ptr
    call passOpaque(s, c_loc(somewhere), pb, pc, pr)
    call check(c_associated(pb, c_loc(somewhere)) .and. c_associated(pc, pb) .and. .not. c_associated(pr), 'opaque')
    ic = ft_Color_green
    call passColor(s, ft_Color_blue, ib, ic, ir)
    call check(ib == ft_Color_blue .and. ic == -1 .and. ir == 0 .and. ft_Color_red == 7, 'enum')
  end subroutine

  subroutine strings(s)
    type(ft_Server_t), intent(in) :: s
    character(len=:), allocatable :: texts(:), b, c, r
    integer :: i, n
    texts = [character(len=20000) :: '', 'a', 'blanks at the end   ', '  ', 'Größe µm', repeat('x', 20000)]
    do i = 1, size(texts)
      n = merge(len('blanks at the end   '), len_trim(texts(i)), i == 3)
      if (i == 4) n = 2
      c = 'was '
      call passString(s, texts(i)(:n), b, c, r)
      call check(b == texts(i)(:n) .and. len(b) == n .and. c == b .and. len(c) == n .and. len(r) == 4 .and. r == 'was ', &
        'string ' // texts(i)(:min(n, 10)))
    end do
    deallocate(c)
    call passString(s, 'a', b, c, r)
    call check(c == 'a' .and. len(r) == 0, 'a string that is not allocated is NULL, and NULL is empty')
  end subroutine

  subroutine structs(s)
    type(ft_Server_t), intent(in) :: s
    type(ft_Point_t) :: p, q, r
    type(ft_Pack_t) :: a, b, c, was
    type(ft_Everything_t) :: every, more
    type(sidl_double_2d) :: table, seen
    character(len=:), allocatable :: text
    q = ft_Point_t(3, 4)
    call passPoint(s, ft_Point_t(1.5d0, 2), p, q, r)
    call check(p%x == 1.5d0 .and. p%n == 2 .and. q%n == 2 .and. r%x == 3 .and. r%n == 4, 'a plain struct')
    a%b = .true.
    a%name = 'pack '
    a%begin%n = 9
    call cast(s, a%object)
    c%name = 'old'
    call passPack(s, a, b, c, was)
    text = b%name
    call check(b%b .and. text == 'pack ' .and. len(text) == 5 .and. b%begin%n == 9, 'a struct with a string')
    text = was%name
    call check(text == 'old' .and. .not. was%b .and. is_null(was%object), 'a struct as result')
    call b%object%getName(text)
    call check(text == 'server', 'an object in a struct')
    call createRow([1, 1], [2, 2], table)
    table%d_data = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
    every = ft_Everything_t(b=.true., c='x', d=(1, 2), e=3, f=(4, 5), g=6, h=7, i=8, k=ft_Color_red, pack=a)
    every%table = table
    every%fixed = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    more = ft_Everything_t(d=(1, 1), e=1, f=(1, 1), g=1, h=1, i=1)
    call createRow([1, 1], [2, 2], seen)
    seen%d_data = 1
    more%table = seen
    more%fixed = 1
    call passEverything(s, every, more)
    text = more%pack%name
    call check(more%b .and. more%c == 'x' .and. more%d == (2, 3) .and. more%e == 4 .and. more%f == (5, 6) .and. &
      more%g == 7 .and. more%h == 8 .and. more%i == 9 .and. more%k == 7 .and. text == 'pack ', 'a struct with all types')
    call check(all(more%fixed == every%fixed + 1) .and. all(seen%d_data == table%d_data + 1), 'arrays in structs')
    call destroy(every)
    call destroy(more)
    call destroy(b)
    call destroy(c)
    call destroy(was)
  end subroutine

  subroutine objects(s)
    type(ft_Server_t), intent(in) :: s
    type(ft_Named_t) :: a, b, c, r, none, other_named
    type(ft_Types_t) :: types
    type(ft_Child_t) :: child, other
    type(sidl_BaseInterface_t) :: ex
    character(len=:), allocatable :: text
    logical :: same, fits
    call new(child, ex)
    call check(is_null(ex) .and. not_null(child), 'new')
    call child%setName('child')
    call cast(child, a)
    call cast(s, c)
    call passObject(s, a, b, c, r)
    call b%getName(text)
    call check(text == 'child!', 'a method that a child overrides, with its parent''s result')
    call isSame(b, c, same)
    call check(same, 'isSame')
    call isSame(r, s, same)
    call check(same, 'isSame by another type')
    call cast(b, types)
    call types%isType('ft.Child', fits)
    call check(fits .and. not_null(types), 'isType')
    call cast(r, other)
    call check(is_null(other), 'a cast to what an object is not')
    call deleteRef(b)
    call deleteRef(c)
    call passObject(s, none, b, c, other_named)
    call check(is_null(b) .and. is_null(c), 'null references')
    call deleteRef(a)
    call deleteRef(r)
    call deleteRef(types)
    call deleteRef(child)
  end subroutine

  subroutine others(s)
    type(ft_Server_t), intent(in) :: s
    character(len=:), allocatable :: text
    real(sidl_double) :: d
    integer(sidl_int) :: i, before
    integer(sidl_enum) :: color
    type(ft_Child_t) :: child
    type(ft_Callback_t) :: callback
    call add(s, 3, 4, i)
    call check(i == 7, 'add')
    call add(s, 0.5d0, 0.25d0, d)
    call check(d == 0.75d0, 'add[Real] by its short name')
    call add(s, 'Gr', 'öße ', text)
    call check(text == 'Größe ', 'add[Text] by its short name')
    call s%addReal(1d0, 2d0, d)
    call check(d == 3, 'addReal')
    call ft_Server_next(0, before)
    call ft_Server_next(5, i)
    call check(i == before + 5, 'static')
    call ft_Server_level([1d0, 2d0], 2, color)
    call check(color == ft_Color_red, 'static with an rarray and an enum')
    call new(child)
    call child%add(20, 22, i)
    call check(i == 42, 'an inherited method')
    call cast(child, callback)
    call child%dive(2, 21, callback, i)
    call check(i == 42, 'a callback')
    call deleteRef(callback)
    call deleteRef(child)
  end subroutine

  subroutine exceptions(s)
    type(ft_Server_t), intent(in) :: s
    type(sidl_BaseInterface_t) :: ex
    type(ft_Failure_t) :: failure
    type(ft_CodedFailure_t) :: coded
    type(ft_Callback_t) :: none, callback
    type(ft_Child_t) :: child
    character(len=:), allocatable :: note, trace
    character(len=*), parameter :: classes(3) = [character(len=15) :: 'ft.Failure', 'ft.WorseFailure', 'ft.CodedFailure']
    character(len=*), parameter :: notes(3) = [character(len=14) :: 'failed', 'failed worse', 'failed by code']
    integer(sidl_int) :: i, code, k, lines
    do k = 1, 3
      call dive(s, 3, k, none, i, ex)
      call check(sidl_catch(ex, trim(classes(k))) .and. sidl_catch(ex, 'ft.Failure'), 'thrown is ' // classes(k))
      call check(sidl_catch(ex, 'sidl.RuntimeException') .eqv. k == 2, 'its parents')
      call cast(ex, failure)
      call failure%getNote(note)
      call check(note == trim(notes(k)), 'its note')
      call failure%getTrace(trace)
      lines = 0
      do i = 1, len(trace)
        if (trace(i:i) == new_line('a')) lines = lines + 1
      end do
      call check(lines >= 4, 'its trace through four levels: ' // trace)
      call cast(ex, coded)
      if (k == 3) then
        call coded%getCode(code)
        call check(code == 42, 'what an exception has of its own')
      end if
      call check(is_null(coded) .neqv. k == 3, 'caught by its type')
      call deleteRef(coded)
      call deleteRef(failure)
      call deleteRef(ex)
    end do
    call new(child)
    call cast(child, callback)
    call dive(s, 3, -1, callback, i, ex)
    call check(sidl_catch(ex, 'ft.Failure'), 'an exception of a callback')
    call deleteRef(ex)
    call deleteRef(callback)
    call deleteRef(child)
    call missing(s, ex)
    call check(sidl_catch(ex, 'sidl.NotImplementedException'), 'a method without a body')
    call deleteRef(ex)
  end subroutine

  subroutine leaks(s)
    type(ft_Server_t), intent(in) :: s
    type(sidl_BaseInterface_t) :: ex
    type(ft_Callback_t) :: none
    type(ft_Named_t) :: a, b, c, r
    type(sidl_double_1d) :: x, y, z
    real(sidl_double), target :: mine(10)
    character(len=:), allocatable :: text, t, u
    integer(sidl_int) :: i, k
    mine = 1
    call cast(s, a)
    do k = 1, rounds()
      call passObject(s, a, b, c, r)
      call deleteRef(b)
      call deleteRef(c)
      text = 'text'
      call passString(s, 'some text', t, text, u)
      call create1d(1, y)
      call passDoubles(s, mine, x, y, z)
      call deleteRef(z)
      call deleteRef(x)
      call deleteRef(y)
      if (mod(k, 10) == 0) then
        call dive(s, 1, 1, none, i, ex)
        call deleteRef(ex)
      end if
    end do
    call deleteRef(a)
  end subroutine

  integer function rounds()
    character(len=16) :: text
    call get_environment_variable('ROUNDS', text)
    read (text, *) rounds
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
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(1)
    call make1(s, rows, a)
    call check(all(lbound(a%d_data) == [1]) .and. all(ubound(a%d_data) == [2]), 'bounds of rank 1')
    expected = 0
    do k = 0, 2**1 - 1
      i = [1] + [(ibits(k, n, 1), n = 0, 0)]
      call check(a%d_data(i(1)) == weight(i), 'an element of rank 1')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 1')
    p(1:) => a%d_data(2:1:-1)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**1 - 1
      i = [1] + [(ibits(k, n, 1), n = 0, 0)]
      expected = expected + p(i(1)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 1 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank2(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_2d) :: a
    real(sidl_double), pointer :: p(:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(2)
    call make2(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2]) .and. all(ubound(a%d_data) == [2,3]), 'bounds of rank 2')
    expected = 0
    do k = 0, 2**2 - 1
      i = [1,2] + [(ibits(k, n, 1), n = 0, 1)]
      call check(a%d_data(i(1),i(2)) == weight(i), 'an element of rank 2')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 2')
    p(1:,2:) => a%d_data(2:1:-1,:)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**2 - 1
      i = [1,2] + [(ibits(k, n, 1), n = 0, 1)]
      expected = expected + p(i(1),i(2)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 2 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank3(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_3d) :: a
    real(sidl_double), pointer :: p(:,:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(3)
    call make3(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2,3]) .and. all(ubound(a%d_data) == [2,3,4]), 'bounds of rank 3')
    expected = 0
    do k = 0, 2**3 - 1
      i = [1,2,3] + [(ibits(k, n, 1), n = 0, 2)]
      call check(a%d_data(i(1),i(2),i(3)) == weight(i), 'an element of rank 3')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 3')
    p(1:,2:,3:) => a%d_data(2:1:-1,:,4:3:-1)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**3 - 1
      i = [1,2,3] + [(ibits(k, n, 1), n = 0, 2)]
      expected = expected + p(i(1),i(2),i(3)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 3 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank4(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_4d) :: a
    real(sidl_double), pointer :: p(:,:,:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(4)
    call make4(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2,3,4]) .and. all(ubound(a%d_data) == [2,3,4,5]), 'bounds of rank 4')
    expected = 0
    do k = 0, 2**4 - 1
      i = [1,2,3,4] + [(ibits(k, n, 1), n = 0, 3)]
      call check(a%d_data(i(1),i(2),i(3),i(4)) == weight(i), 'an element of rank 4')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 4')
    p(1:,2:,3:,4:) => a%d_data(2:1:-1,:,4:3:-1,:)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**4 - 1
      i = [1,2,3,4] + [(ibits(k, n, 1), n = 0, 3)]
      expected = expected + p(i(1),i(2),i(3),i(4)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 4 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank5(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_5d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(5)
    call make5(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2,3,4,5]) .and. all(ubound(a%d_data) == [2,3,4,5,6]), 'bounds of rank 5')
    expected = 0
    do k = 0, 2**5 - 1
      i = [1,2,3,4,5] + [(ibits(k, n, 1), n = 0, 4)]
      call check(a%d_data(i(1),i(2),i(3),i(4),i(5)) == weight(i), 'an element of rank 5')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 5')
    p(1:,2:,3:,4:,5:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**5 - 1
      i = [1,2,3,4,5] + [(ibits(k, n, 1), n = 0, 4)]
      expected = expected + p(i(1),i(2),i(3),i(4),i(5)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 5 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank6(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_6d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(6)
    call make6(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2,3,4,5,6]) .and. all(ubound(a%d_data) == [2,3,4,5,6,7]), 'bounds of rank 6')
    expected = 0
    do k = 0, 2**6 - 1
      i = [1,2,3,4,5,6] + [(ibits(k, n, 1), n = 0, 5)]
      call check(a%d_data(i(1),i(2),i(3),i(4),i(5),i(6)) == weight(i), 'an element of rank 6')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 6')
    p(1:,2:,3:,4:,5:,6:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1,:)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**6 - 1
      i = [1,2,3,4,5,6] + [(ibits(k, n, 1), n = 0, 5)]
      expected = expected + p(i(1),i(2),i(3),i(4),i(5),i(6)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 6 with strides below 0')
    call deleteRef(a)
  end subroutine

  subroutine rank7(s, rows)
    type(ft_Server_t), intent(in) :: s
    logical, intent(in) :: rows
    type(sidl_double_7d) :: a
    real(sidl_double), pointer :: p(:,:,:,:,:,:,:)
    real(sidl_double) :: sum_of, expected
    integer :: k, n, i(7)
    call make7(s, rows, a)
    call check(all(lbound(a%d_data) == [1,2,3,4,5,6,7]) .and. all(ubound(a%d_data) == [2,3,4,5,6,7,8]), 'bounds of rank 7')
    expected = 0
    do k = 0, 2**7 - 1
      i = [1,2,3,4,5,6,7] + [(ibits(k, n, 1), n = 0, 6)]
      call check(a%d_data(i(1),i(2),i(3),i(4),i(5),i(6),i(7)) == weight(i), 'an element of rank 7')
      expected = expected + weight(i)**2
    end do
    call weigh(s, a%d_data, sum_of)
    call check(sum_of == expected, 'the sum of rank 7')
    p(1:,2:,3:,4:,5:,6:,7:) => a%d_data(2:1:-1,:,4:3:-1,:,6:5:-1,:,8:7:-1)
    call weigh(s, p, sum_of)
    expected = 0
    do k = 0, 2**7 - 1
      i = [1,2,3,4,5,6,7] + [(ibits(k, n, 1), n = 0, 6)]
      expected = expected + p(i(1),i(2),i(3),i(4),i(5),i(6),i(7)) * weight(i)
    end do
    call check(sum_of == expected, 'the sum of rank 7 with strides below 0')
    call deleteRef(a)
  end subroutine

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

program client
  use sidl
  use ft
  use client_checks
  use client_arrays
  implicit none
  type(ft_Server_t) :: s
  type(ft_Callback_t) :: none
  integer(sidl_int) :: i
  character(len=8) :: argument
  call new(s)
  call s%setName('server')
  call get_command_argument(1, argument)
  if (argument == 'leave') call s%dive(2, 3, none, i)
  call scalars(s)
  call strings(s)
  call structs(s)
  call objects(s)
  call others(s)
  call exceptions(s)
  call ranks(s)
  call elements(s)
  call raw(s)
  call leaks(s)
  call deleteRef(s)
  if (failures > 0) error stop 'there are failures'
end program
