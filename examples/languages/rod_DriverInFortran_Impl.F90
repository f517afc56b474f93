! SPDX-License-Identifier: BSD-3-Clause
  ! DO-NOT-DELETE splicer.begin(rod.DriverInFortran._includes)
  use rod
  use gov_cca
  use portolan_ports
  ! DO-NOT-DELETE splicer.end(rod.DriverInFortran._includes)
    ! DO-NOT-DELETE splicer.begin(rod.DriverInFortran.go)
    type(rod_DriverInFortran_data), pointer :: data
    type(gov_cca_Port_t) :: port
    type(gov_cca_TypeMap_t) :: parameters
    type(sidl_BaseInterface_t) :: ignored
    type(rod_Stepper_t) :: stepper
    type(portolan_ports_SwapPoint_t) :: swap
    real(sidl_double) :: u(20000), r
    integer(sidl_int) :: i
    call rod_DriverInFortran_get_data(self, data)
    retval = -1
    u = [1d0, (0d0, i = 2, size(u))]
    work: block
      call rod_DriverInFortran_parameters(data%services, parameters, ex)
      if (not_null(ex)) exit work
      call parameters%getDouble('r', 0d0, r, ex)
      call deleteRef(parameters)
      if (not_null(ex)) exit work
      call data%services%getPort('stepper', port, ex)
      if (not_null(ex)) exit work
      call cast(port, stepper)
      call deleteRef(port)
      call data%services%getPort('swap', port, ex)
      if (not_null(ex)) exit work
      call cast(port, swap)
      call deleteRef(port)
      call swap%reached(0, ex)
      if (not_null(ex)) exit work
      do i = 1, 100
        call stepper%step(u, size(u), r, ex)
        if (sidl_catch(ex, 'rod.Unstable')) then
          call deleteRef(ex)
          r = r / 2
          call stepper%step(u, size(u), r, ex)
        end if
        if (not_null(ex)) exit work
        call swap%reached(i, ex)
        if (not_null(ex)) exit work
      end do
      print '(a, f3.1, a, f12.9)', 'Fortran: r ', r, ', sum ', sum(u)
      retval = 0
    end block work
    if (not_null(stepper)) call data%services%releasePort('stepper', ignored)
    call deleteRef(stepper)
    if (not_null(swap)) call data%services%releasePort('swap', ignored)
    call deleteRef(swap)
    ! DO-NOT-DELETE splicer.end(rod.DriverInFortran.go)
