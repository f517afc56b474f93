# SPDX-License-Identifier: BSD-3-Clause
# After `make install`: what a shell needs to find Portolan in a prefix that it does not search.
import json, subprocess, sys

asked = ['meson', 'introspect', '--buildoptions', sys.argv[1]]
option = {o['name']: o['value'] for o in json.loads(subprocess.check_output(asked))}
prefix = option['prefix']
if prefix not in ('/usr', '/usr/local'):
    print(f'''
Portolan is in {prefix}. In a shell, or in ~/.profile, once:
    export PATH={prefix}/{option['bindir']}:$PATH
    export PKG_CONFIG_PATH={prefix}/{option['libdir']}/pkgconfig:$PKG_CONFIG_PATH
The second is for programs of your own; `man portolan` works with the first.''')
