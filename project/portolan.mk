# SPDX-License-Identifier: BSD-3-Clause
# Rules for a project of components, to be included by its Makefile (portolan-new(1)):
#
#   PORTS      += my.Smoother             an interface in my.sidl
#   PORTS      += my.ops=solver.h:ops     a struct in a C header, as port type my.ops
#   COMPONENTS += my.Jacobi               a class in my.sidl, its code in my_Jacobi_Impl.c, .cxx, .F90 or .py
#   ASSEMBLY    = my.xml                  what `make run` and `make check` run
#
# For each component, where they are needed: my_Jacobi_SOURCES, my_Jacobi_CFLAGS, my_Jacobi_LIBS. All
# that is made goes to build/, except Impl files that are not there yet.

portolan_prefix := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
PORTOLAN ?= $(portolan_prefix)/bin/portolan
export PORTOLAN
portolan_pc := $(dir $(firstword $(wildcard $(portolan_prefix)/lib*/pkgconfig/portolan.pc \
  $(portolan_prefix)/lib/*/pkgconfig/portolan.pc)))
export PKG_CONFIG_PATH := $(patsubst %/,%,$(portolan_pc)):$(PKG_CONFIG_PATH)
portolan_ask = $(shell PKG_CONFIG_PATH='$(PKG_CONFIG_PATH)' pkg-config $(1) portolan)
CFLAGS ?= -O2 -g -Wall -Wextra -Wno-unused-parameter
CXXFLAGS ?= $(CFLAGS)
# Calls are as fast as those of C if gfortran sees a package's module together with its callers: -flto.
FFLAGS ?= -O2 -g -Wall -Wno-unused-dummy-argument -flto -ffat-lto-objects
FC := $(if $(filter default undefined,$(origin FC)),gfortran,$(FC))
# How ranks are started: make run LAUNCH="mpiexec -n 4"
LAUNCH ?=
# How often `make measure` runs a setting at most.
REPEAT ?= 5

# Commands are short unless V=1.
portolan_say = $(if $(V),,@echo '  $(1)';)
portolan_cflags := -fPIC -fexceptions -fvisibility=hidden $(call portolan_ask,--cflags) -I. -Ibuild
portolan_libs := $(call portolan_ask,--libs)
# What those in Fortran need, too; only asked for if there are any.
portolan_fask = $(shell PKG_CONFIG_PATH='$(PKG_CONFIG_PATH)' pkg-config $(1) portolan-fortran)
portolan_fflags = -fPIC -Jbuild $(call portolan_fask,--cflags)
portolan_c_name = $(subst .,_,$(1))
portolan_port_type = $(firstword $(subst =, ,$(1)))
portolan_port_header = $(word 2,$(subst =, ,$(subst :, ,$(1))))
portolan_port_struct = $(lastword $(subst :, ,$(1)))

# A package is a file of that name.
portolan_packages := $(sort $(foreach c,$(COMPONENTS) \
  $(foreach p,$(PORTS),$(if $(findstring =,$(p)),,$(p))),$(firstword $(subst ., ,$(c)))))
portolan_sidl := $(addsuffix .sidl,$(portolan_packages))
portolan_tables := $(portolan_packages:%=build/%.o)
portolan_modules := $(portolan_packages:%=build/%_mod.o)
portolan_python := $(foreach c,$(COMPONENTS),$(if $(wildcard $(call portolan_c_name,$(c))_Impl.py),$(c)))
portolan_compiled := $(filter-out $(portolan_python),$(COMPONENTS))
portolan_made := $(foreach c,$(portolan_compiled),build/$(call portolan_c_name,$(c)).so) \
  $(foreach c,$(portolan_python),$(patsubst %,build/%,$(call portolan_c_name,$(c))_Impl.py $($(call portolan_c_name,$(c))_SOURCES))) \
  $(foreach p,$(PORTS),build/$(call portolan_c_name,$(call portolan_port_type,$(p)))_proxy.so)

all: $(portolan_made)

# Components in Python are next to their descriptions, as links, and find the module `portolan`, also in Meson's builds.
build/%.py: %.py | build/sidl.done
	$(call portolan_say,PY   $<)ln -sf ../$< $@
ifneq ($(wildcard *_Impl.py),)
portolan_module := $(filter-out /usr/%,$(wildcard $(portolan_prefix)/lib*/python3*/*-packages/portolan))
export PYTHONPATH := $(subst $() ,:,$(strip $(PYTHONPATH) $(dir $(firstword $(portolan_module)))))
endif

# Objects are made again when the flags change.
export portolan_flags := $(CC) $(CFLAGS) $(CXX) $(CXXFLAGS) $(FC) $(FFLAGS) $(portolan_cflags)
build/flags: FORCE
	@mkdir -p build; [ "$$(cat $@ 2>/dev/null)" = "$$portolan_flags" ] || echo "$$portolan_flags" >$@
FORCE:

# Headers, tables, descriptions, and what is missing in Impl files; `touch`, because files that do not
# change keep their time.
build/sidl.done: $(portolan_sidl) $(MAKEFILE_LIST)
	@mkdir -p build
	$(call portolan_say,SIDL $(portolan_sidl))$(PORTOLAN) sidl --server=C --impl=. --output=build $(portolan_sidl)
	@touch $@
# Included, so that make reads this file again once the Impl files are there, whose names say their language.
ifneq ($(MAKECMDGOALS),clean)
-include build/sidl.done
endif

build/%.o: %.c build/sidl.done build/flags
	$(call portolan_say,CC   $<)$(CC) $(CFLAGS) $(portolan_cflags) -MMD -c $< -o $@
define portolan_compile
build/%.o: %.$(1) build/sidl.done build/flags
	$$(call portolan_say,$(2) $$<)$(3) -c $$< -o $$@
endef
$(foreach e,cc cxx,$(eval $(call portolan_compile,$(e),CXX ,$$(CXX) $$(CXXFLAGS) $$(portolan_cflags) -MMD)))
$(foreach e,f90 F90,$(eval $(call portolan_compile,$(e),F   ,$$(FC) $$(FFLAGS) $$(portolan_fflags))))
# The modules of packages, those first that others use.
build/modules.done: build/sidl.done build/flags
	$(call portolan_say,F    $(portolan_modules))cd build && $(FC) $(FFLAGS) $(subst -Jbuild,-J.,$(portolan_fflags)) -c \
	  $$(awk '/^STUBMODULESRCS/ {on = 1} on {ends = !/\\$$/; gsub(/STUBMODULESRCS =|\\/, ""); print; if (ends) exit}' babel.make)
	@touch $@
build/%.o: build/%.c build/sidl.done build/flags
	$(call portolan_say,CC   $<)$(CC) $(CFLAGS) $(portolan_cflags) -MMD -c $< -o $@
-include $(wildcard build/*.d)

# $(call portolan_chain,OBJECTS): each is compiled after the one before it.
portolan_chain = $(if $(word 2,$(1)),$(eval $(word 2,$(1)): $(word 1,$(1)))$(call portolan_chain,$(wordlist 2,99,$(1))))
# $(call portolan_component,CLASS,C_NAME)
define portolan_component
portolan_impl_$(2) := $$(or $$(wildcard $(2)_Impl.cxx $(2)_Impl.F90),$(2)_Impl.c)
$$(portolan_impl_$(2)) build/$(2)_Skel.c: build/sidl.done ;
portolan_sources_$(2) := $$(portolan_impl_$(2)) $$($(2)_SOURCES)
portolan_cxx_$(2) := $$(filter %.cc %.cxx,$$(portolan_sources_$(2)))
portolan_cxx += $$(portolan_cxx_$(2))
portolan_fortran_$(2) := $$(filter %.f90 %.F90,$$(portolan_sources_$(2)))
portolan_fortran += $$(portolan_fortran_$(2))
portolan_objects_$(2) := $$(addprefix build/,$$(addsuffix .o,$$(basename $$(portolan_sources_$(2)))))
$$(portolan_objects_$(2)): CFLAGS += $$($(2)_CFLAGS)
# In Fortran, a source may use modules of those before it, and the Impl file those of all.
$$(call portolan_chain,$$(patsubst %,build/%.o,$$(basename $$(filter-out %_Impl.F90,$$(portolan_fortran_$(2))) $$(filter %_Impl.F90,$$(portolan_fortran_$(2))))))
$$(if $$(portolan_fortran_$(2)),$$(eval $$(portolan_objects_$(2)): | build/modules.done))
portolan_objects_$(2) += build/$(2)_Skel.o
portolan_objects_$(2) += $$(if $$(portolan_fortran_$(2)),$(portolan_modules))
portolan_libs_$(2) := $$(if $$(portolan_fortran_$(2)),$$(call portolan_fask,--libs) $$(if $$(portolan_cxx_$(2)),-lstdc++))
build/$(2).so: $$(portolan_objects_$(2)) $(portolan_tables)
	$$(call portolan_say,LINK $$@)$$(if $$(portolan_fortran_$(2)),$$(FC),$$(if $$(portolan_cxx_$(2)),$$(CXX),$$(CC)) $$(CFLAGS)) -shared -o $$@ $$^ \
	  $$($(2)_LIBS) $$(LDFLAGS) $$(portolan_libs_$(2)) $$(portolan_libs)
build/$(2).a: $$(portolan_objects_$(2)) $(portolan_tables)
	$$(call portolan_say,AR   $$@)$$(AR) rcs $$@ $$^
portolan_archives += build/$(2).a
endef

# $(call portolan_port,PORT,C_NAME)
define portolan_port
$(if $(findstring =,$(1)),build/$(2)_proxy.c: $(call portolan_port_header,$(1)) $(wildcard $(2).context)
	@mkdir -p build
	$$(call portolan_say,PORT $(1))$$(PORTOLAN) proxygen -q $$< --port=$(call portolan_port_struct,$(1))=$(call portolan_port_type,$(1)) \
	  $(addprefix --context=,$(wildcard $(2).context)) -o build,build/$(2)_proxy.c: build/sidl.done
	$$(call portolan_say,PORT $(1))$$(PORTOLAN) proxygen -q $(firstword $(subst ., ,$(1))).sidl --port=$(1) -o build)
	@touch $$@
build/$(2)_proxy.so: build/$(2)_proxy.o $(if $(findstring =,$(1)),,$(portolan_tables))
	$$(call portolan_say,LINK $$@)$$(CC) $$(CFLAGS) -shared -o $$@ $$^ $$(LDFLAGS) $$(portolan_libs)
build/$(2)_proxy.a: build/$(2)_proxy.o $(if $(findstring =,$(1)),,$(portolan_tables))
	$$(call portolan_say,AR   $$@)$$(AR) rcs $$@ $$^
portolan_archives += build/$(2)_proxy.a
endef

$(foreach p,$(portolan_packages),$(eval build/$(p).c: build/sidl.done ;)$(eval build/$(p)_mod.o: build/modules.done ;))
$(foreach c,$(portolan_compiled),$(eval $(call portolan_component,$(c),$(call portolan_c_name,$(c)))))
$(foreach p,$(PORTS),$(eval $(call portolan_port,$(p),$(call portolan_c_name,$(call portolan_port_type,$(p))))))

check: all
	$(PORTOLAN) check $(ASSEMBLY)
	@if [ -f test.sh ]; then echo sh test.sh; sh test.sh; fi

measure: all
	$(LAUNCH) $(PORTOLAN) measure --repeat=$(REPEAT) $(ASSEMBLY)

# Measured, modelled, chosen, run with swaps, and compared with each fixed assembly.
run: measure
	$(PORTOLAN) model $(ASSEMBLY)
	$(PORTOLAN) optimize $(ASSEMBLY) || [ $$? -eq 3 ]
	$(LAUNCH) $(PORTOLAN) run $(ASSEMBLY)
	$(LAUNCH) $(PORTOLAN) measure --quiet --all-fixed $(ASSEMBLY)
	$(PORTOLAN) report $(ASSEMBLY)

# One program without shared objects of its own.
link: all $(portolan_archives)
	$(PORTOLAN) link $(ASSEMBLY) -o $(basename $(ASSEMBLY)) -- $(if $(strip $(portolan_fortran)),$(call portolan_fask,--libs) -lgfortran) \
	  $(if $(strip $(portolan_cxx)),-lstdc++) $(LDLIBS)

clean:
	rm -rf build

.PHONY: all check measure run link clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
