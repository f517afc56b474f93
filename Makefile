# SPDX-License-Identifier: BSD-3-Clause
# Forwards to Meson's build; ./configure says where that is.
-include config.mk
BUILDDIR ?= build
CLANG_FORMAT ?= clang-format-14

# For Open MPI, where that is chosen: tests run as whoever builds, with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# What is installed, and the examples. `ninja` builds the tests as well.
all: $(BUILDDIR)/build.ninja
	@ninja -C $(BUILDDIR) $$(python3 tools/targets.py $(BUILDDIR))

# Packages that only tests need, if ./configure was asked to install; what they add is found by Meson.
check: $(BUILDDIR)/build.ninja
	@case "$(DEPS)" in use | check) sh tools/install_deps.sh check | grep . && \
		meson setup --reconfigure $(BUILDDIR) >/dev/null || true ;; esac
	@ninja -C $(BUILDDIR)
	@meson test -C $(BUILDDIR) --no-rebuild --print-errorlogs -t 3

demo: $(BUILDDIR)/build.ninja
	@ninja -C $(BUILDDIR) demo
	@sh examples/heat/demo.sh $(BUILDDIR)

# The README's picture of the page that `make demo` writes.
pictures: $(BUILDDIR)/build.ninja
	@ninja -C $(BUILDDIR) demo
	@sh docs/pictures.sh $(BUILDDIR)

bench: $(BUILDDIR)/build.ninja
	@ninja -C $(BUILDDIR) bench

format:
	@git ls-files '*.c' '*.h' ':!*golden*' ':!sidl/test/babel' ':!*hello_*_Impl.*' ':!tests/conformance/impl' | xargs $(CLANG_FORMAT) -i

# The commit's files alone, with its time: the same bytes wherever they are packed.
dist:
	@version=$$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build) && \
	git archive --format=tar --prefix=portolan-$$version/ HEAD | gzip -9n >portolan-$$version.tar.gz && \
	echo "written: portolan-$$version.tar.gz"

# What programs are compiled against, as a release leaves it: of a build with debug information, by abigail-tools.
abi: all
	@dumps=$$(mktemp -d) && tools/abi.sh $(BUILDDIR) "$$dumps" && \
	tar -C "$$dumps" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c . | gzip -9n >packaging/abi.tar.gz; \
	rm -r "$$dumps"

install: all
	@meson install -C $(BUILDDIR) --no-rebuild
	@[ "$(DESTDIR)" ] || python3 tools/installed.py $(BUILDDIR)

clean:
	@rm -rf $(BUILDDIR) config.mk configure.log

$(BUILDDIR)/build.ninja:
	@echo "run ./configure first" >&2; exit 1

.PHONY: all check demo pictures bench abi dist format install clean
