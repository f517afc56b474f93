! SPDX-License-Identifier: BSD-3-Clause
!> What generated Fortran modules and their users share: kinds, references, strings, exceptions.
!> Module sidl has all of it. A reference is counted by hand, as in Babel: `new`, `cast` and results
!> give one, deleteRef gives it back; assignment does not count.
module sidl_base
  use, intrinsic :: iso_c_binding
  implicit none

  integer, parameter :: sidl_bool = 4, sidl_int = c_int32_t, sidl_long = c_int64_t, sidl_float = c_float, &
    sidl_double = c_double, sidl_fcomplex = c_float_complex, sidl_dcomplex = c_double_complex, &
    sidl_enum = c_int

  !> An entry-point table, and a facet: the pair that a reference points to (sidl_object.h).
  type :: sidl_epv_t
    type(c_funptr) :: f(0:4095)
  end type
  type :: sidl_facet_t
    type(sidl_epv_t), pointer :: d_epv
    type(c_ptr) :: d_object
  end type

  !> A reference of any type. Types that extend it have nothing more, so that references in structs and
  !> arrays of C are of these types.
  type :: sidl_BaseInterface_t
    type(sidl_facet_t), pointer :: d_ref => null() !< private to generated code
  contains
    procedure, nopass :: d_name => BaseInterface_name
    procedure :: addRef => BaseInterface_addRef
    procedure :: deleteRef => BaseInterface_deleteRef
    procedure :: isSame => BaseInterface_isSame
    procedure :: isType => BaseInterface_isType
  end type
  type, extends(sidl_BaseInterface_t) :: sidl_BaseClass_t
  contains
    procedure, nopass :: d_name => BaseClass_name
  end type

  !> A string in a struct or an array: x = 'text' stores a copy and frees the old one, text = x reads it.
  type, bind(C) :: sidl_string_t
    type(c_ptr) :: p
  end type
  !> A reference in an array of objects: x = object stores a new reference, cast reads it.
  type, bind(C) :: sidl_ref_t
    type(c_ptr) :: p
  end type
  !> array<>, and an array in a struct: of any type and rank; see cast in sidl_arrays.
  type, bind(C) :: sidl_array_t
    type(c_ptr) :: p = c_null_ptr
  end type
  !> The head of arrays in C; stubs describe a caller's array by one on the stack, with its bounds.
  type, bind(C) :: sidl_array_c
    type(c_ptr) :: d_lower, d_upper, d_stride, d_vtable
    integer(c_int32_t) :: d_dimen, d_refcount
    type(c_ptr) :: d_first
    integer(c_int32_t) :: bounds(21)
  end type

  !> sidl__array_vtables, by enum sidl_array_type; fortran.c fills it in when the program is loaded.
  type(c_ptr), bind(C, name='sidl_fortran_vtables') :: sidl_vtables(0:11)

  interface is_null
    procedure :: BaseInterface_is_null, string_is_null, ref_is_null
  end interface
  interface not_null
    procedure :: BaseInterface_not_null
  end interface
  interface addRef
    procedure :: BaseInterface_addRef
  end interface
  interface deleteRef
    procedure :: BaseInterface_deleteRef
  end interface
  interface isSame
    procedure :: BaseInterface_isSame
  end interface
  interface isType
    procedure :: BaseInterface_isType
  end interface
  !> call cast(from, to): a new reference of the type of `to`; null if the object has no such type.
  interface cast
    procedure :: BaseInterface_cast, ref_cast
  end interface
  !> call throw(ex, exception, note, file, line, method) hands the exception over to ex.
  interface throw
    procedure :: sidl_throw
  end interface
  interface assignment(=)
    procedure :: string_set, string_get, ref_set
  end interface

  interface
    subroutine sidl_c_reference_add(self, ex) bind(C, name='sidl_reference_add')
      import :: c_ptr
      type(c_ptr), value :: self, ex
    end subroutine
    subroutine sidl_c_reference_delete(self, ex) bind(C, name='sidl_reference_delete')
      import :: c_ptr
      type(c_ptr), value :: self, ex
    end subroutine
    function sidl_c_reference_cast(self, name, ex) bind(C, name='sidl_reference_cast') result(r)
      import :: c_ptr, c_char
      type(c_ptr), value :: self, ex
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: r
    end function
    function sidl_c_reference_is_type(self, name, ex) bind(C, name='sidl_reference_is_type') result(r)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: self, ex
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: r
    end function
    function sidl_c_exception_fill(self, note, file, line, method) bind(C, name='sidl_exception_fill') result(r)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: self
      character(kind=c_char), intent(in) :: note(*), file(*), method(*)
      integer(c_int), value :: line
      type(c_ptr) :: r
    end function
    subroutine sidl_c_update_exception(self, file, line, method) bind(C, name='sidl_update_exception')
      import :: c_ptr, c_char, c_int32_t
      type(c_ptr), value :: self
      character(kind=c_char), intent(in) :: file(*), method(*)
      integer(c_int32_t), value :: line
    end subroutine
    function sidl_c_report(self) bind(C, name='sidl_fortran_report') result(r)
      import :: c_ptr
      type(c_ptr), value :: self
      type(c_ptr) :: r
    end function
    function sidl_c_misuse(class, text) bind(C, name='sidl_fortran_misuse') result(r)
      import :: c_ptr, c_char, c_int
      integer(c_int), value :: class
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr) :: r
    end function
    function sidl_c_string_alloc(size) bind(C, name='sidl_String_alloc') result(r)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size
      type(c_ptr) :: r
    end function
    subroutine sidl_c_string_free(s) bind(C, name='sidl_String_free')
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine
    pure function sidl_c_strlen(s) bind(C, name='sidl_String_strlen') result(r)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: s
      integer(c_size_t) :: r
    end function
  end interface

contains

  ! References

  function BaseInterface_name() result(r)
    character(len=:), allocatable :: r
    r = 'sidl.BaseInterface'
  end function

  function BaseClass_name() result(r)
    character(len=:), allocatable :: r
    r = 'sidl.BaseClass'
  end function

  elemental logical function BaseInterface_is_null(self)
    class(sidl_BaseInterface_t), intent(in) :: self
    BaseInterface_is_null = .not. associated(self%d_ref)
  end function

  elemental logical function BaseInterface_not_null(self)
    class(sidl_BaseInterface_t), intent(in) :: self
    BaseInterface_not_null = associated(self%d_ref)
  end function

  !> The reference as C has it.
  function sidl_c_ref(self) result(r)
    class(sidl_BaseInterface_t), intent(in) :: self
    type(c_ptr) :: r
    r = c_null_ptr
    if (associated(self%d_ref)) r = c_loc(self%d_ref)
  end function

  subroutine BaseInterface_addRef(self, ex)
    class(sidl_BaseInterface_t), intent(in) :: self
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    call sidl_c_reference_add(sidl_c_ref(self), c_null_ptr)
    if (present(ex)) ex%d_ref => null()
  end subroutine

  !> Gives the reference back and makes it null.
  subroutine BaseInterface_deleteRef(self, ex)
    class(sidl_BaseInterface_t), intent(inout) :: self
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    if (associated(self%d_ref)) call sidl_c_reference_delete(c_loc(self%d_ref), c_null_ptr)
    self%d_ref => null()
    if (present(ex)) ex%d_ref => null()
  end subroutine

  subroutine BaseInterface_isSame(self, other, retval, ex)
    class(sidl_BaseInterface_t), intent(in) :: self, other
    logical, intent(out) :: retval
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    if (associated(self%d_ref) .and. associated(other%d_ref)) then
      retval = c_associated(self%d_ref%d_object, other%d_ref%d_object)
    else
      retval = .not. (associated(self%d_ref) .or. associated(other%d_ref))
    end if
    if (present(ex)) ex%d_ref => null()
  end subroutine

  subroutine BaseInterface_isType(self, name, retval, ex)
    class(sidl_BaseInterface_t), intent(in) :: self
    character(len=*), intent(in) :: name
    logical, intent(out) :: retval
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    retval = sidl_c_reference_is_type(sidl_c_ref(self), name // c_null_char, c_null_ptr) /= 0
    if (present(ex)) ex%d_ref => null()
  end subroutine

  subroutine BaseInterface_cast(from, to, ex)
    class(sidl_BaseInterface_t), intent(in) :: from
    class(sidl_BaseInterface_t), intent(inout) :: to
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    call c_f_pointer(sidl_c_reference_cast(sidl_c_ref(from), to%d_name() // c_null_char, c_null_ptr), to%d_ref)
    if (present(ex)) ex%d_ref => null()
  end subroutine

  elemental logical function ref_is_null(self)
    type(sidl_ref_t), intent(in) :: self
    ref_is_null = .not. c_associated(self%p)
  end function

  subroutine ref_cast(from, to, ex)
    type(sidl_ref_t), intent(in) :: from
    class(sidl_BaseInterface_t), intent(inout) :: to
    type(sidl_BaseInterface_t), intent(out), optional :: ex
    call c_f_pointer(sidl_c_reference_cast(from%p, to%d_name() // c_null_char, c_null_ptr), to%d_ref)
    if (present(ex)) ex%d_ref => null()
  end subroutine

  subroutine ref_set(to, from)
    type(sidl_ref_t), intent(inout) :: to
    class(sidl_BaseInterface_t), intent(in) :: from
    call sidl_c_reference_add(sidl_c_ref(from), c_null_ptr)
    call sidl_c_reference_delete(to%p, c_null_ptr)
    to%p = sidl_c_ref(from)
  end subroutine

  ! Strings

  elemental logical function string_is_null(self)
    type(sidl_string_t), intent(in) :: self
    string_is_null = .not. c_associated(self%p)
  end function

  !> For `in` strings, which are read in place: the length, and an address that is never null.
  pure integer function sidl_len(s)
    type(c_ptr), intent(in) :: s
    sidl_len = int(sidl_c_strlen(s))
  end function

  function sidl_chars(s) result(r)
    type(c_ptr), intent(in) :: s
    type(c_ptr) :: r
    character(kind=c_char), save, target :: empty = ' '
    r = s
    if (.not. c_associated(s)) r = c_loc(empty)
  end function

  !> The text of a string of C, '' for NULL; sidl_take also frees it.
  subroutine sidl_copy(s, text)
    type(c_ptr), intent(in) :: s
    character(len=:), allocatable, intent(out) :: text
    character(kind=c_char, len=sidl_c_strlen(s)), pointer :: chars
    call c_f_pointer(sidl_chars(s), chars)
    text = chars
  end subroutine

  subroutine sidl_take(s, text)
    type(c_ptr), intent(in) :: s
    character(len=:), allocatable, intent(out) :: text
    call sidl_copy(s, text)
    call sidl_c_string_free(s)
  end subroutine

  !> A new string of C; NULL for what is not allocated.
  function sidl_give(text) result(s)
    character(len=*), intent(in), optional :: text
    type(c_ptr) :: s
    character(kind=c_char), pointer :: chars(:)
    integer :: i
    s = c_null_ptr
    if (.not. present(text)) return
    s = sidl_c_string_alloc(len(text, c_size_t))
    if (.not. c_associated(s)) error stop 'out of memory for a string'
    call c_f_pointer(s, chars, [len(text)])
    do i = 1, len(text)
      chars(i) = text(i:i)
    end do
  end function

  subroutine string_set(to, text)
    type(sidl_string_t), intent(inout) :: to
    character(len=*), intent(in) :: text
    type(c_ptr) :: old
    old = to%p
    to%p = sidl_give(text)
    call sidl_c_string_free(old)
  end subroutine

  subroutine string_get(text, from)
    character(len=:), allocatable, intent(out) :: text
    type(sidl_string_t), intent(in) :: from
    call sidl_copy(from%p, text)
  end subroutine

  !> Frees a struct's string.
  subroutine sidl_free(s)
    type(sidl_string_t), intent(inout) :: s
    call sidl_c_string_free(s%p)
    s%p = c_null_ptr
  end subroutine

  ! Exceptions

  subroutine sidl_throw(ex, exception, note, file, line, method)
    type(sidl_BaseInterface_t), intent(inout) :: ex
    class(sidl_BaseInterface_t), intent(inout) :: exception
    character(len=*), intent(in) :: note
    character(len=*), intent(in), optional :: file, method
    integer, intent(in), optional :: line
    character(len=:), allocatable :: in_file, in_method
    integer :: at
    in_file = 'Fortran'
    in_method = 'a procedure'
    at = 0
    if (present(file)) in_file = file
    if (present(method)) in_method = method
    if (present(line)) at = line
    call c_f_pointer(sidl_c_exception_fill(sidl_c_ref(exception), note // c_null_char, in_file // c_null_char, at, &
      in_method // c_null_char), ex%d_ref)
    exception%d_ref => null()
  end subroutine

  !> Adds this place to the trace of an exception that is passed on.
  subroutine update_exception(ex, file, line, method)
    type(sidl_BaseInterface_t), intent(in) :: ex
    character(len=*), intent(in) :: file, method
    integer, intent(in) :: line
    call sidl_c_update_exception(sidl_c_ref(ex), file // c_null_char, line, method // c_null_char)
  end subroutine

  !> Returns whether ex holds an exception of the named type.
  logical function sidl_catch(ex, name)
    class(sidl_BaseInterface_t), intent(in) :: ex
    character(len=*), intent(in) :: name
    call isType(ex, name, sidl_catch)
  end function

  !> For stubs: hands the exception of a call over, or stops the program if the caller takes none.
  subroutine sidl_raise(e, ex)
    type(c_ptr), intent(in) :: e
    type(sidl_BaseInterface_t), intent(inout), optional :: ex
    character(len=:), allocatable :: text
    if (present(ex)) then
      call c_f_pointer(e, ex%d_ref)
    else
      call sidl_take(sidl_c_report(e), text)
      error stop text
    end if
  end subroutine

  !> For Impl files: sidl.NotImplementedException.
  subroutine not_implemented(ex, method)
    type(sidl_BaseInterface_t), intent(inout) :: ex
    character(len=*), intent(in) :: method
    call c_f_pointer(sidl_c_misuse(0, method // ' is not implemented' // c_null_char), ex%d_ref)
  end subroutine

  !> For generated code: sidl.LangSpecificException about a method's argument, unless e holds one already.
  subroutine sidl_misuse(e, text)
    type(c_ptr), intent(inout) :: e
    character(len=*), intent(in) :: text
    if (.not. c_associated(e)) e = sidl_c_misuse(1, text // c_null_char)
  end subroutine
end module
