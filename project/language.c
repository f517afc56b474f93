/* SPDX-License-Identifier: BSD-3-Clause */
/* The languages of components: their files, and what a driver's `go` looks like in them. */
#include "project.h"

static const struct language languages[] = {
    [PORTOLAN_SIDL_C] =
        {
            .endings = {"c", "h"},
            .comment = "/*",
            .comment_end = " */",
            .indent = "        ",
            .include = "#include \"@.h\"\n",
            .separator = "_",
            .in_sidl = {"        %s%s %s = NULL;\n",
                        "        @ = portolan_port_get(services, \"@\", \"%s\", _ex);\n"
                        "        SIDL_CHECK(*_ex);\n",
                        "        portolan_port_release(services, \"@\", @);\n"},
            .in_c = {"        %s%s *%s = NULL;\n",
                     "        @ = portolan_foreign_get(services, \"@\", \"%s\", _ex);\n"
                     "        SIDL_CHECK(*_ex);\n",
                     "        if (@)\n            gov_cca_Services_releasePort(services, \"@\", "
                     "&(sidl_BaseInterface){NULL});\n"},
            .go = "        gov_cca_Services services = @__get_data(self)->services;\n",
            .begin = "\n",
            .steps = "        portolan_ports_SwapPoint_reached(@, 0, _ex);\n"
                     "        SIDL_CHECK(*_ex);\n"
                     "        for (int32_t step = 1; step <= 10; step++) {\n"
                     "            /* One time step: call the ports here. */\n"
                     "            portolan_ports_SwapPoint_reached(@, step, _ex);\n"
                     "            SIDL_CHECK(*_ex);\n"
                     "        }\n",
            .no_steps = "        /* Call the ports here. */\n",
            .leave = "    EXIT:\n",
            .end = "        return *_ex ? -1 : 0;\n",
        },
    [PORTOLAN_SIDL_CXX] =
        {
            .name = "C++",
            .endings = {"cxx", "hxx"},
            .comment = "/*",
            .comment_end = " */",
            .indent = "    ",
            .include = "#include \"@.hxx\"\n",
            .includes_all = true,
            .separator = "::",
            .in_sidl = {"    const portolan::connected<%s::%s> %s(services_, \"%s\");\n", "", ""},
            .in_c = {"    const portolan::used<%s%s> %s(services_, \"%s\");\n", "", ""},
            .go = "",
            .begin = "\n",
            .steps = "    @.reached(0);\n"
                     "    for (int32_t step = 1; step <= 10; step++) {\n"
                     "        /* One time step: call the ports here. */\n"
                     "        @.reached(step);\n"
                     "    }\n",
            .no_steps = "    /* Call the ports here. */\n",
            .leave = "",
            .end = "    return 0;\n",
        },
    [PORTOLAN_SIDL_F03] =
        {
            .name = "Fortran",
            .endings = {"F90", NULL},
            .comment = "!",
            .comment_end = "",
            .indent = "    ",
            .include = "  use @\n",
            .include_port = "  use gov_cca, only: gov_cca_Port_t\n",
            .includes_all = true,
            .separator = "_",
            .in_sidl = {"    type(%s%s_t) :: %s\n",
                        "      call data%%services%%getPort('@', port, ex)\n"
                        "      if (not_null(ex)) exit work\n"
                        "      call cast(port, @)\n"
                        "      call deleteRef(port)\n",
                        "    if (not_null(@)) call data%services%releasePort('@', ignored)\n"
                        "    call deleteRef(@)\n"},
            .go = "    type(@_data), pointer :: data\n"
                  "    type(gov_cca_Port_t) :: port\n"
                  "    type(sidl_BaseInterface_t) :: ignored\n",
            .step = "    integer(sidl_int) :: step\n",
            .begin = "    call @_get_data(self, data)\n    retval = -1\n    work: block\n",
            .steps = "      call @%reached(0, ex)\n"
                     "      if (not_null(ex)) exit work\n"
                     "      do step = 1, 10\n"
                     "        ! One time step: call the ports here.\n"
                     "        call @%reached(step, ex)\n"
                     "        if (not_null(ex)) exit work\n"
                     "      end do\n",
            .no_steps = "      ! Call the ports here.\n",
            .leave = "      retval = 0\n    end block work\n",
            .end = "",
        },
    [PORTOLAN_SIDL_PYTHON] = /* python.c writes the module */
    {
        .name = "Python",
        .endings = {"py"},
        .include = "",
        .separator = ".",
        .in_sidl = {"", "", ""},
    },
};

const struct language *language_get(enum portolan_sidl_language language)
{
    return &languages[language];
}
