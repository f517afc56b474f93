! SPDX-License-Identifier: BSD-3-Clause
! What the methods of ft.Server share.
module ft_weights
  use, intrinsic :: iso_c_binding
  use sidl
  use ft
  implicit none
  integer(sidl_int), save :: counter = 0
contains
  real(sidl_double) function weight(index)
    integer, intent(in) :: index(:)
    integer :: i
    weight = sum([(index(i) * 10d0**(i - 1), i = 1, size(index))])
  end function

  !> Moves index to the next element; false after the last.
  logical function advance(index, lower, upper)
    integer, intent(inout) :: index(:)
    integer, intent(in) :: lower(:), upper(:)
    integer :: i
    advance = .true.
    do i = 1, size(index)
      index(i) = index(i) + 1
      if (index(i) <= upper(i)) return
      index(i) = lower(i)
    end do
    advance = .false.
  end function

  type(ft_Pack_t) function copy_of(a)
    type(ft_Pack_t), intent(in) :: a
    character(len=:), allocatable :: text
    copy_of%b = a%b
    text = a%name
    copy_of%name = text
    copy_of%begin = a%begin
    copy_of%object = a%object
    call copy_of%object%addRef()
  end function
end module
