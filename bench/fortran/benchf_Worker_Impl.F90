! SPDX-License-Identifier: BSD-3-Clause
! Splicer blocks; portolan sidl writes the rest of the file.
    ! DO-NOT-DELETE splicer.begin(benchf.Worker.add)
    retval = a + b
    ! DO-NOT-DELETE splicer.end(benchf.Worker.add)
    ! DO-NOT-DELETE splicer.begin(benchf.Worker.first)
    retval = x(lbound(x, 1))
    ! DO-NOT-DELETE splicer.end(benchf.Worker.first)
    ! DO-NOT-DELETE splicer.begin(benchf.Worker.raw)
    retval = x(0)
    ! DO-NOT-DELETE splicer.end(benchf.Worker.raw)
