! SPDX-License-Identifier: BSD-3-Clause
    ! DO-NOT-DELETE splicer.begin(ft.CodedFailure._data)
    integer(sidl_int) :: code = 0
    ! DO-NOT-DELETE splicer.end(ft.CodedFailure._data)
    ! DO-NOT-DELETE splicer.begin(ft.CodedFailure._ctor)
    type(ft_CodedFailure_data), pointer :: data
    allocate (data)
    call ft_CodedFailure_set_data(self, data)
    ! DO-NOT-DELETE splicer.end(ft.CodedFailure._ctor)
    ! DO-NOT-DELETE splicer.begin(ft.CodedFailure._dtor)
    type(ft_CodedFailure_data), pointer :: data
    call ft_CodedFailure_get_data(self, data)
    deallocate (data)
    ! DO-NOT-DELETE splicer.end(ft.CodedFailure._dtor)
    ! DO-NOT-DELETE splicer.begin(ft.CodedFailure.setCode)
    type(ft_CodedFailure_data), pointer :: data
    call ft_CodedFailure_get_data(self, data)
    data%code = code
    ! DO-NOT-DELETE splicer.end(ft.CodedFailure.setCode)
    ! DO-NOT-DELETE splicer.begin(ft.CodedFailure.getCode)
    type(ft_CodedFailure_data), pointer :: data
    call ft_CodedFailure_get_data(self, data)
    retval = data%code
    ! DO-NOT-DELETE splicer.end(ft.CodedFailure.getCode)
