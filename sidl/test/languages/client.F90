! SPDX-License-Identifier: BSD-3-Clause
! Calls ft.Server and ft.Child, whatever language they are in; stops if there are failures. With the argument
! `leave` it leaves an exception uncaught.
module client_calls
  use, intrinsic :: iso_c_binding
  use sidl
  use ft
  use client_checks
  implicit none
contains
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

program client
  use sidl
  use ft
  use client_checks
  use client_calls
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
