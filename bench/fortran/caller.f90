! SPDX-License-Identifier: BSD-3-Clause
! Calls from Fortran, as bench_fortran.c makes them from C.
module caller
  use, intrinsic :: iso_c_binding
  use sidl
  use benchlang
  implicit none
contains
  integer(c_int) function call_add(reference, calls) bind(C, name='fortran_add')
    type(c_ptr), value :: reference
    integer(c_int), value :: calls
    type(benchlang_Work_t) :: work
    type(sidl_BaseInterface_t) :: ex
    integer(c_int) :: i, sum
    call c_f_pointer(reference, work%d_ref)
    call_add = 0
    do i = 1, calls
      call work%add(i, 1, sum, ex)
      if (associated(ex%d_ref)) error stop 'thrown'
      call_add = ieor(call_add, sum)
    end do
  end function

  real(c_double) function call_first(reference, calls, elements, n, stride) bind(C, name='fortran_first')
    type(c_ptr), value :: reference
    integer(c_int), value :: calls, n, stride
    real(c_double), target, intent(in) :: elements(n)
    type(benchlang_Work_t) :: work
    type(sidl_BaseInterface_t) :: ex
    real(c_double) :: x
    real(c_double), pointer :: p(:)
    integer(c_int) :: i
    call c_f_pointer(reference, work%d_ref)
    p => elements(::stride)
    call_first = 0
    do i = 1, calls
      call work%first(p, x, ex)
      if (associated(ex%d_ref)) error stop 'thrown'
      call_first = call_first + x
    end do
  end function

  real(c_double) function call_raw(reference, calls, elements, n) bind(C, name='fortran_raw')
    type(c_ptr), value :: reference
    integer(c_int), value :: calls, n
    real(c_double), target, intent(in) :: elements(n)
    type(benchlang_Work_t) :: work
    type(sidl_BaseInterface_t) :: ex
    real(c_double) :: x
    integer(c_int) :: i
    call c_f_pointer(reference, work%d_ref)
    call_raw = 0
    do i = 1, calls
      call work%raw(elements, n, x, ex)
      if (associated(ex%d_ref)) error stop 'thrown'
      call_raw = call_raw + x
    end do
  end function
end module
