! SPDX-License-Identifier: BSD-3-Clause
    ! DO-NOT-DELETE splicer.begin(rod.InFortran.step)
    type(rod_Unstable_t) :: unstable
    if (r > 0.5) then
      call new(unstable)
      call throw(ex, unstable, 'r is above 0.5', __FILE__, __LINE__, 'step')
    else
      u(1:n-2) = u(1:n-2) + r * (u(0:n-3) - 2 * u(1:n-2) + u(2:n-1))
    end if
    ! DO-NOT-DELETE splicer.end(rod.InFortran.step)
