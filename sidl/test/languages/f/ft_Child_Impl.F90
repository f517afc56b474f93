! SPDX-License-Identifier: BSD-3-Clause
    ! DO-NOT-DELETE splicer.begin(ft.Child.getName)
    call super_getName(self, retval)
    retval = retval // '!'
    ! DO-NOT-DELETE splicer.end(ft.Child.getName)
    ! DO-NOT-DELETE splicer.begin(ft.Child.call)
    type(ft_Failure_t) :: failure
    associate (u => self)
    end associate
    retval = 2 * x
    if (x >= 0) return
    call new(failure)
    call throw(ex, failure, 'called back', __FILE__, __LINE__, 'call')
    ! DO-NOT-DELETE splicer.end(ft.Child.call)
