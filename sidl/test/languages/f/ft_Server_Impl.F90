! SPDX-License-Identifier: BSD-3-Clause
! Splicer blocks; portolan sidl writes the rest of the file.
    ! DO-NOT-DELETE splicer.begin(ft.Server._includes)
    use ft_weights
    ! DO-NOT-DELETE splicer.end(ft.Server._includes)
    ! DO-NOT-DELETE splicer.begin(ft.Server._data)
    character(len=:), allocatable :: name
    ! DO-NOT-DELETE splicer.end(ft.Server._data)
    ! DO-NOT-DELETE splicer.begin(ft.Server._ctor)
    type(ft_Server_data), pointer :: data
    allocate (data)
    call ft_Server_set_data(self, data)
    ! DO-NOT-DELETE splicer.end(ft.Server._ctor)
    ! DO-NOT-DELETE splicer.begin(ft.Server._dtor)
    type(ft_Server_data), pointer :: data
    call ft_Server_get_data(self, data)
    deallocate (data)
    ! DO-NOT-DELETE splicer.end(ft.Server._dtor)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passBool)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passBool)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passChar)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passChar)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passDcomplex)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passDcomplex)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passDouble)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passDouble)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passFcomplex)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passFcomplex)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passFloat)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passFloat)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passInt)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passInt)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passLong)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passLong)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passOpaque)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passOpaque)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passColor)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passColor)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passPoint)
    retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passPoint)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passString)
    retval = ''
    if (allocated(c)) retval = c
    b = a
    c = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passString)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passObject)
    retval = c
    b = a
    c = a
    call a%addRef()
    call a%addRef()
    ! DO-NOT-DELETE splicer.end(ft.Server.passObject)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passPack)
    retval = c
    b = copy_of(a)
    c = copy_of(a)
    ! DO-NOT-DELETE splicer.end(ft.Server.passPack)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passEverything)
    type(sidl_double_2d) :: from, to
    c%b = a%b
    c%c = a%c
    c%k = a%k
    c%j = a%j
    c%d = c%d + a%d
    c%e = c%e + a%e
    c%f = c%f + a%f
    c%g = c%g + a%g
    c%h = c%h + a%h
    c%i = c%i + a%i
    c%fixed = c%fixed + a%fixed
    call destroy(c%pack)
    c%pack = copy_of(a%pack)
    call cast(a%table, from)
    call cast(c%table, to)
    to%d_data = to%d_data + from%d_data
    ! DO-NOT-DELETE splicer.end(ft.Server.passEverything)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passBools)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passBools)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passChars)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passChars)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passDcomplexes)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passDcomplexes)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passDoubles)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passDoubles)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passFcomplexes)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passFcomplexes)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passFloats)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passFloats)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passInts)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passInts)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passLongs)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passLongs)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passOpaques)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passOpaques)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passStrings)
    integer :: i
    character(len=:), allocatable :: text
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    do i = lbound(a, 1), ubound(a, 1)
      text = a(i)
      b%d_data(i) = text
      c%d_data(i) = text
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.passStrings)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passColors)
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    b%d_data = a
    c%d_data = a
    ! DO-NOT-DELETE splicer.end(ft.Server.passColors)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passObjects)
    integer :: i
    type(ft_Named_t) :: item
    retval = c
    call createCol(lbound(a), ubound(a), b)
    call createCol(lbound(a), ubound(a), c)
    do i = lbound(a, 1), ubound(a, 1)
      call cast(a(i), item)
      b%d_data(i) = item
      c%d_data(i) = item
      call item%deleteRef()
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.passObjects)
    ! DO-NOT-DELETE splicer.begin(ft.Server.passAny)
    type(sidl_int_1d) :: from, to
    retval = c
    call cast(a, from)
    call createCol(lbound(from%d_data), ubound(from%d_data), to)
    to%d_data = from%d_data
    b = to
    call createCol(lbound(from%d_data), ubound(from%d_data), to)
    c = to
    ! DO-NOT-DELETE splicer.end(ft.Server.passAny)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh1)
    integer :: i(1)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh1)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make1)
    integer :: i(1), n
    if (rows) then
      call createRow([(n, n = 1, 1)], [(n + 1, n = 1, 1)], a)
    else
      call createCol([(n, n = 1, 1)], [(n + 1, n = 1, 1)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make1)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh2)
    integer :: i(2)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh2)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make2)
    integer :: i(2), n
    if (rows) then
      call createRow([(n, n = 1, 2)], [(n + 1, n = 1, 2)], a)
    else
      call createCol([(n, n = 1, 2)], [(n + 1, n = 1, 2)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make2)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh3)
    integer :: i(3)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2),i(3)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh3)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make3)
    integer :: i(3), n
    if (rows) then
      call createRow([(n, n = 1, 3)], [(n + 1, n = 1, 3)], a)
    else
      call createCol([(n, n = 1, 3)], [(n + 1, n = 1, 3)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2),i(3)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make3)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh4)
    integer :: i(4)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2),i(3),i(4)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh4)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make4)
    integer :: i(4), n
    if (rows) then
      call createRow([(n, n = 1, 4)], [(n + 1, n = 1, 4)], a)
    else
      call createCol([(n, n = 1, 4)], [(n + 1, n = 1, 4)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2),i(3),i(4)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make4)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh5)
    integer :: i(5)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2),i(3),i(4),i(5)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh5)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make5)
    integer :: i(5), n
    if (rows) then
      call createRow([(n, n = 1, 5)], [(n + 1, n = 1, 5)], a)
    else
      call createCol([(n, n = 1, 5)], [(n + 1, n = 1, 5)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2),i(3),i(4),i(5)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make5)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh6)
    integer :: i(6)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2),i(3),i(4),i(5),i(6)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh6)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make6)
    integer :: i(6), n
    if (rows) then
      call createRow([(n, n = 1, 6)], [(n + 1, n = 1, 6)], a)
    else
      call createCol([(n, n = 1, 6)], [(n + 1, n = 1, 6)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2),i(3),i(4),i(5),i(6)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make6)
    ! DO-NOT-DELETE splicer.begin(ft.Server.weigh7)
    integer :: i(7)
    if (.not. associated(a)) then
      retval = -1
      return
    end if
    retval = 0
    i = lbound(a)
    do
      retval = retval + a(i(1),i(2),i(3),i(4),i(5),i(6),i(7)) * weight(i)
      if (.not. advance(i, lbound(a), ubound(a))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.weigh7)
    ! DO-NOT-DELETE splicer.begin(ft.Server.make7)
    integer :: i(7), n
    if (rows) then
      call createRow([(n, n = 1, 7)], [(n + 1, n = 1, 7)], a)
    else
      call createCol([(n, n = 1, 7)], [(n + 1, n = 1, 7)], a)
    end if
    i = lbound(a%d_data)
    do
      a%d_data(i(1),i(2),i(3),i(4),i(5),i(6),i(7)) = weight(i)
      if (.not. advance(i, lbound(a%d_data), ubound(a%d_data))) exit
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.make7)
    ! DO-NOT-DELETE splicer.begin(ft.Server.ordered)
    call createRow(lbound(a), ubound(a), retval)
    retval%d_data = a
    b%d_data = 2 * b%d_data
    ! DO-NOT-DELETE splicer.end(ft.Server.ordered)
    ! DO-NOT-DELETE splicer.begin(ft.Server.sum)
    integer :: i, j
    retval = 0
    do j = 0, 2 * n - 1
      do i = 0, m - 1
        retval = retval + x(i, j) * (i + 10 * j)
      end do
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.sum)
    ! DO-NOT-DELETE splicer.begin(ft.Server.scale)
    x = factor * x
    ! DO-NOT-DELETE splicer.end(ft.Server.scale)
    ! DO-NOT-DELETE splicer.begin(ft.Server.total)
    integer :: i, j, k
    retval = 0
    do k = 0, 1
      do j = 0, 1
        do i = 0, 1
          retval = retval + x(i, j, k) * (i + 2 * j + 4 * k)
        end do
      end do
    end do
    ! DO-NOT-DELETE splicer.end(ft.Server.total)
    ! DO-NOT-DELETE splicer.begin(ft.Server.first)
    retval = cmplx(real(z(0)) * real(l(n - 1), sidl_float), aimag(z(0)), sidl_float)
    ! DO-NOT-DELETE splicer.end(ft.Server.first)
    ! DO-NOT-DELETE splicer.begin(ft.Server.fault)
    integer(sidl_int), target, save :: mine(2) = 1
    if (kind == 1) a%d_data => mine
    ! DO-NOT-DELETE splicer.end(ft.Server.fault)
    ! DO-NOT-DELETE splicer.begin(ft.Server.add)
    retval = a + b
    ! DO-NOT-DELETE splicer.end(ft.Server.add)
    ! DO-NOT-DELETE splicer.begin(ft.Server.addReal)
    retval = a + b
    ! DO-NOT-DELETE splicer.end(ft.Server.addReal)
    ! DO-NOT-DELETE splicer.begin(ft.Server.addText)
    retval = a // b
    ! DO-NOT-DELETE splicer.end(ft.Server.addText)
    ! DO-NOT-DELETE splicer.begin(ft.Server.next)
    counter = counter + step
    retval = counter
    ! DO-NOT-DELETE splicer.end(ft.Server.next)
    ! DO-NOT-DELETE splicer.begin(ft.Server.level)
    retval = merge(ft_Color_red, ft_Color_blue, n > 0 .and. x(0) > 0)
    ! DO-NOT-DELETE splicer.end(ft.Server.level)
    ! DO-NOT-DELETE splicer.begin(ft.Server.setName)
    type(ft_Server_data), pointer :: data
    call ft_Server_get_data(self, data)
    data%name = name
    ! DO-NOT-DELETE splicer.end(ft.Server.setName)
    ! DO-NOT-DELETE splicer.begin(ft.Server.getName)
    type(ft_Server_data), pointer :: data
    call ft_Server_get_data(self, data)
    retval = data%name
    ! DO-NOT-DELETE splicer.end(ft.Server.getName)
    ! DO-NOT-DELETE splicer.begin(ft.Server.dive)
    type(ft_Failure_t) :: failure
    type(ft_WorseFailure_t) :: worse
    type(ft_CodedFailure_t) :: coded
    retval = 0
    if (depth > 0) then
      call self%dive(depth - 1, kind, c, retval, ex)
    else if (not_null(c)) then
      call c%call(kind, retval, ex)
    else if (kind == 1) then
      call new(failure)
      call throw(ex, failure, 'failed', __FILE__, __LINE__, 'dive')
    else if (kind == 2) then
      call new(worse)
      call throw(ex, worse, 'failed worse', __FILE__, __LINE__, 'dive')
    else
      call new(coded)
      call coded%setCode(42)
      call throw(ex, coded, 'failed by code', __FILE__, __LINE__, 'dive')
    end if
    if (not_null(ex)) call update_exception(ex, __FILE__, __LINE__, 'dive')
    ! DO-NOT-DELETE splicer.end(ft.Server.dive)
