#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the entry points of our libmpich. Run as: generate.py MPI_H ROUTINES_LIST BODIES SOURCE...

MPI_H is <mpi.h> after the preprocessor: its prototypes are MPICH's. ROUTINES_LIST is that of mpi/:
the calls named there take time and are reported to the observer; all others cost what they compute.
A routine is served if some SOURCE defines do_NAME, see internal.h, if BODIES, the routines.list of
this folder, has its body, or if it is a collective. A do_NAME with a request that MPI_NAME has not,
which is NULL for that, serves MPI_Iname or MPI_Rname too. Large-count forms share one body: counts
are widened on the way in and narrowed on the way out.
"""
import re
import sys

# What ends a run, and what it would have needed.
NOT_SERVED = [
    (r'^File_|^Register_datarep', 'MPI-IO'),
    (r'^T_', 'the tools interface MPI_T'),
    (r'^Session_|^Group_from_session|^Comm_create_from_group|^Intercomm_create_from_groups',
     'sessions'),
    (r'^P(send|recv|ready|arrived)', 'partitioned communication'),
    (r'spawn|^Comm_(accept|connect|join)|_port$|^(Publish|Lookup|Unpublish)_name',
     'processes that are started or joined later (start all ranks at once, with -n)'),
    (r'^X_', 'extensions of MPICH'),
]
# Routines of MPI-1 and others that another one serves as well.
ALSO = {
    'Address': 'Get_address', 'Attr_delete': 'Comm_delete_attr', 'Attr_get': 'Comm_get_attr',
    'Attr_put': 'Comm_set_attr', 'Comm_disconnect': 'Comm_free',
    'Errhandler_create': 'Comm_create_errhandler', 'Errhandler_get': 'Comm_get_errhandler',
    'Errhandler_set': 'Comm_set_errhandler', 'Get_elements_x': 'Get_elements',
    'Keyval_create': 'Comm_create_keyval', 'Keyval_free': 'Comm_free_keyval',
    'Status_set_elements': 'Status_set_elements_x', 'Type_get_extent_x': 'Type_get_extent',
    'Type_get_true_extent_x': 'Type_get_true_extent', 'Type_hindexed': 'Type_create_hindexed',
    'Type_hvector': 'Type_create_hvector', 'Type_size_x': 'Type_size',
    'Type_struct': 'Type_create_struct',
}
# May be called before MPI_Init and after MPI_Finalize.
ALWAYS = re.compile(r'^(Init|Init_thread|Initialized|Finalized|Get_version|Get_library_version|Abort'
                    r'|Info_.*|Error_.*|Wtime|Wtick|Aint_.*|Status_.*|Comm_get_parent)$')
TIMED = {'Init', 'Init_thread', 'Finalize', 'Abort', 'Wtime', 'Pcontrol'}
COUNTS = re.compile(r'^(count|(send|recv|in|out|origin|target|result)count|(origin|target|result)_count)$')
OUT = re.compile(r'^(int|MPI_(Count|Aint|Comm|Datatype|Group|Op|Request|Info|Win|Errhandler|Message)) \*\w+$')
# MPI_Ibcast is done by do_Bcast, with a request: filled in by main().
FORMS = {}
# Bodies of do_NAME that are written here: filled in by main().
BODIES = {}
# What bodies call the struct of the first parameter of a kind.
OBJECTS = {'c': ('MPI_Comm', 'struct mpi_comm *c = mpi_comm(t, {})'),
           'p': ('MPI_Comm', 'const struct mpi_topology *p = mpi_comm(t, {})->topology'),
           'd': ('MPI_Datatype', 'struct mpi_type *d = mpi_type(t, {})'),
           'g': ('MPI_Group', 'struct mpi_group *g = mpi_group(t, {})'),
           'w': ('MPI_Win', 'struct mpi_win *w = mpi_win(t, {})')}
# Collectives are one function, which takes a struct arguments; see collective.h.
COLLECTIVE = re.compile(r'^(Barrier|Bcast|(Gather|Scatter)v?|(Neighbor_a|A)ll(gatherv?|toall[vw]?)'
                        r'|(Allr|R)educe|Reduce_scatter(_block)?|(S|Exs)can)(_init)?$')
# Of routines, what a communicator must be.
KINDS = [(r'^Cart(dim)?_(get|rank|coords|shift|sub)$', 'check_topology(t, comm, MPI_CART)'),
         (r'^Graph(dims)?_(get|neighbors)', 'check_topology(t, comm, MPI_GRAPH)'),
         (r'^Dist_graph_neighbors', 'check_topology(t, comm, MPI_DIST_GRAPH)'),
         (r'^(Comm_remote_|Intercomm_merge)', 'check_inter(t, {})')]
BUFFER = re.compile(r'^(s|send|r|recv)?(buf|counts?|displs|datatype|types?)(fer)?$')
# Arrays whose length is not the number of partners.
LENGTHS = [
    (r'^Type_create_(subarray|darray)', 'ndims'),
    (r'^Type_', 'count'),
    (r'^I?neighbor_\w+ s', 'entry_neighbours(t, comm, true)'),
    (r'^I?neighbor_', 'entry_neighbours(t, comm, false)'),
    (r'^I?reduce_scatter', 'entry_size(t, comm)'),
    (r'^I?(gather|scatter)v', 'entry_at_root(t, comm, root)'),
    (r'^I?alltoall\w+ s', 'sendbuf == MPI_IN_PLACE ? 0 : entry_partners(t, comm)'),
    (r'', 'entry_partners(t, comm)'),
]
NOTES = [('mpi_bytes(', 'entry_bytes(t, '), ('mpi_rank(', 'entry_rank(t, '),
         ('mpi_size(', 'entry_size(t, '), ('mpi_partners(', 'entry_partners(t, '),
         ('mpi_neighbours(comm)', 'entry_neighbours(t, comm, true)'), ('SUM(', 'entry_sum('),
         ('EACH(', 'entry_each(t, ')]


# Of routines without a fast path: lists that are checked, and what says how long they are.
LISTS = re.compile(r'^(Group|Type|Cart|Graph|Dist_graph)_')
LENGTH_OF_LISTS = ('n', 'count', 'ndims', 'nnodes')


class Parameter:
    def __init__(self, text):
        self.text = ' '.join(text.replace('*', ' * ').replace('[', ' [').split())
        self.text = re.sub(r'\* (?=[*\w])', '*', self.text)
        found = re.search(r'(\w+)((?: \[[^\]]*\])*)$', self.text)
        self.name, self.dims = found.group(1), found.group(2)
        self.type = self.text[:found.start()].strip()
        if '(' in self.text:
            sys.exit(f'generate.py: error: cannot read the parameter {text!r}')


class Routine:
    def __init__(self, result, name, parameters):
        self.result, self.name = result, name
        texts = [] if parameters.strip() in ('void', '') else parameters.split(',')
        self.variadic = bool(texts) and texts[-1].strip() == '...'
        self.parameters = [Parameter(p) for p in (texts[:-1] if self.variadic else texts)]

    def prototype(self, name, first=''):
        rest = ', '.join(p.text for p in self.parameters) + (', ...' if self.variadic else '')
        rest = ', '.join(x for x in (first, rest) if x)
        return f'{self.result} {name}({rest or "void"})'

    def names(self):
        return [p.name for p in self.parameters]

    def has(self, name):
        return name in self.names()


def read_prototypes(path):
    text = re.sub(r'^#.*$', '', open(path, encoding='utf-8').read(), flags=re.M)
    text = re.sub(r'__attribute__ *\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)', '', text)
    found = re.findall(r'(?:^|[;}])\s*((?:unsigned |long )?\w+) (MPIX?_\w+) *\(([^;{}]*)\) *;',
                       ' '.join(text.split()).replace(';', ';;').replace('}', '};'))
    return {name[4:] if name.startswith('MPI_') else 'X_' + name[5:]:
            Routine(result, name, parameters) for result, name, parameters in found
            if '(' not in parameters and name not in ('MPI_DUP_FN',)}


def read_list(path):
    notes = {}
    for line in open(path, encoding='utf-8'):
        if line.strip() and line[0] != '#':
            column = [c.strip() for c in line.split('|')]
            notes[column[0].split('(')[0].replace('[_c]', '')] = column[1] if len(column) > 1 else ''
    return notes


def read_bodies(path):
    """NAME: BODY; a line that begins with blanks goes on with the one before; {a|b} are choices."""
    choices = re.compile(r'\{(\w*(?:\|\w*)+)\}')
    text = re.sub(r'^#.*\n', '', open(path, encoding='utf-8').read(), flags=re.M)
    for line in re.sub(r'\n +', ' ', text).split('\n'):
        found = choices.search(line.partition(':')[0])
        for i in range(found.group(1).count('|') + 1 if found else 1):
            name, _, body = choices.sub(lambda c: c.group(1).split('|')[i], line).partition(':')
            BODIES[name] = body.strip()
    BODIES.pop('', None)


def collective_body(routine):
    fields = []
    for p in routine.parameters:
        found = BUFFER.match(p.name)
        if p.name in ('op', 'root'):
            fields.append(f'.{p.name} = {p.name}')
        elif found:
            side, what = found.group(1), found.group(2).replace('datatype', 'type').replace('buf', 'at')
            is_sent = (side or 's' if routine.name.startswith('MPI_Scatter') else side or 'r')[0] == 's'
            fields.append(f'.{"send" if is_sent else "receive"}.{what} = {p.name}')
    kind, is_init = re.fullmatch('(.*?)(_init)?(?:_c)?', routine.name[4:]).groups()
    return (f'return collective_{"init" if is_init else "call"}(t, {kind.upper()}, comm, request, '
            f'&(const struct arguments){{{", ".join(fields) or "0"}}})')


def complete(routine, body):
    """The body with what it calls by short names, and its errors."""
    body = re.sub(r'need ([^;]*?) else (MPI_ERR_\w+) ', r'if (!(\1)) return mpi_error(t, \2, ', body)
    body = re.sub(r'(return mpi_error\(t, MPI_ERR_\w+, "[^;]*?)(?=;|$)', r'\1)', body)
    for short, (kind, declaration) in OBJECTS.items():
        handle = next((p.name for p in routine.parameters if p.type == kind), None)
        if handle and re.search(rf'(?<![\w.>%]){short}\b', body) and not routine.has(short):
            body = f'{declaration.format(handle)}; {body}'
    return re.sub(r'; (?![^()]*\))', ';\n    ', body)  # outside of for (...)


def write_body(routine, name):
    """do_NAME, or its prototype where a source has it."""
    prototype = routine.prototype('do_' + name, 'struct mpi_task *t')
    if name in FORMS.values():
        prototype = prototype[:-1] + ', MPI_Request *request)'
    if name not in BODIES:
        print(f'{prototype};')
        return
    body = complete(routine, BODIES[name])
    unused = [n for n in ['t'] + routine.names() if not re.search(rf'\b{n}\b', body)]
    lines = [f'(void){n};' for n in unused] + ([body + ';'] if body else [])
    if not re.match(r'\s*return\b', body.split(';')[-1]):
        lines.append('return MPI_SUCCESS;')
    print(f'static inline {prototype}\n{{\n    ' + '\n    '.join(lines) + '\n}')


def lengths_of(name, parameter):
    for pattern, length in LENGTHS:
        if re.search(pattern, name[0].upper() + name[1:].lower() + ' ' + parameter, re.I):
            return length


def condition(routine, name):
    """When an argument of a collective or of an accumulation is significant."""
    side = 'send' if name.startswith('send') else 'recv' if name.startswith('recv') else ''
    if name.startswith('origin') and routine.has('op') and routine.has('result_addr'):
        return 'op != MPI_NO_OP && '
    if routine.has('root') and not side and name in ('count', 'datatype', 'op'):
        return 'root != MPI_PROC_NULL && '
    if routine.has('source') or not side or not routine.has('sendbuf'):
        return ''
    if not routine.has('root'):
        return 'sendbuf != MPI_IN_PLACE && ' if side == 'send' else ''
    own = 'send' if 'ather' in routine.name else 'recv'
    if side == own:
        return f'root >= 0 && {side}buf != MPI_IN_PLACE && '
    return 'entry_is_root(t, comm, root) && '


def checks(routine, name, timed):
    """Expressions that are an error code, in MPICH's order."""
    out, committed = [], timed or re.match(r'(Unp|P)ack|Reduce_local', name)
    receives = not re.match(r'(I?[bsr]?send|.*[bsr]?send_init)', name, re.I)
    for p in routine.parameters:
        if p.type == 'MPI_Comm' and not p.dims and p.name != 'peer_comm':
            out.append((0, f'check_comm(t, {p.name})'))
            out += [(0, check.format(p.name)) for names, check in KINDS if re.search(names, name)]
        if p.type == 'MPI_Win' and not p.dims:
            out.append((0, f'check_win(t, {p.name})'))
        if COUNTS.match(p.name) and p.type in ('int', 'MPI_Count'):
            out.append((1, condition(routine, p.name) + f'check_count(t, "{p.name}", {p.name})'))
        if p.type == 'MPI_Datatype' and not p.dims:
            out.append((2, condition(routine, p.name) +
                        f'check_type(t, {p.name}, {"true" if committed else "false"})'))
        if p.name in ('dest', 'source') and routine.has('comm'):
            out.append((3, f'check_rank(t, comm, {p.name}, {"true" if p.name == "source" else "false"})'))
        if p.name == 'rank' and p.type == 'int' and routine.has('comm'):
            out.append((3, 'check_member(t, comm, rank)'))
        if p.name in ('target_rank', 'rank') and routine.has('win'):
            out.append((3, f'check_target(t, win, {p.name})'))
        if p.name in ('tag', 'sendtag', 'recvtag') and routine.has('comm'):
            any_tag = p.name == 'recvtag' or p.name == 'tag' and receives
            out.append((4, f'check_tag(t, {p.name}, {"true" if any_tag else "false"})'))
        if p.name == 'root':
            out.append((3, 'check_root(t, comm, root)'))
        if p.type == 'MPI_Op':
            out.append((5, condition(routine, p.name) + f'check_op(t, {p.name})'))
        if p.type == 'MPI_Group' and not p.dims:
            out.append((1, f'check_group(t, {p.name})'))
        if p.type == 'MPI_Info' and not p.dims:
            out.append((1, f'check_info(t, {p.name}, {"false" if name.startswith("Info_") else "true"})'))
        length = next((n for n in LENGTH_OF_LISTS if routine.has(n)), None)
        if p.dims and length and LISTS.match(name):
            out.append((6, f'{length} > 0 && check_out(t, "{p.name}", {p.name})'))
        if OUT.match(p.text) and not (name.startswith('Init') and p.name == 'argc'):
            out.append((6, f'check_out(t, "{p.name}", {p.name})'))
    if routine.has('buf') and routine.has('datatype') and routine.has('count'):
        out.append((6, 'check_buffer(t, buf, count, datatype)'))
    # What is conditional is cheap to write so: (condition && (code = check)).
    for _, text in sorted(out, key=lambda x: x[0]):
        head, tail = text.rsplit('&& ', 1) if '&& ' in text else ('', text)
        yield (head + '&& ' if head else '') + f'(code = {tail})'


def notification(routine, notes, name):
    note = notes.get(name, '')
    found = re.match(r'collective(_again)?\((.*?)(, request)?\)$', note)
    if not found:
        return ''
    text = found.group(2)
    for old, new in NOTES:
        text = text.replace(old, new)
    text = text.replace('GATHER(', 'GATHER(t, ').replace('SCATTER(', 'SCATTER(t, ')
    text = re.sub(r'\b(OWN|OWN_entry_each|ROOTED|REDUCED)\((t, )?', r'\1(t, ', text)
    text = text.replace('OWN_entry_each(', 'OWN_EACH(')
    root = 'root' if routine.has('root') else 'PORTOLAN_MPI_NONE'
    request = 'request' if routine.has('request') else 'NULL'
    if found.group(1):
        return f'    if (!code)\n        entry_keep(t, request, {text}, {root});\n'
    return (f'    if (!code && mpi_is_observed())\n'
            f'        mpi_notify_collective(t, mpi_comm(t, comm), {text}, {root}, {request});\n')


def made_of(name, notes):
    """The communicator of which all ranks make another, or a window, or which all leave."""
    special = {'Finalize': 'MPI_COMM_WORLD', 'Intercomm_create': 'local_comm'}
    found = re.match(r'creat(ed|ing|ed_window)\((\w+)', notes.get(name, ''))
    return special.get(name, found and found.group(2))


def write_call(routine, name, number, notes):
    """The common body of both forms: checks, do_NAME, errors."""
    timed = name in TIMED or name in notes
    target = FORMS.get(name, name)
    given = ', '.join(['t'] + routine.names() + (['NULL'] if name in FORMS.values() else []))
    print(f'\nstatic inline {routine.prototype("call_" + name, "const void *site")}\n{{')
    print(f'    static const struct clue_routine routine = {{"MPI_{name}", {number}}};')
    if routine.result != 'int':
        print(f'    struct mpi_task *t = {"begin(&routine, site)" if timed else "mpi_task()"};')
        print(f'    {routine.result} result = do_{target}({given});\n')
        print('    clue_call_end();' if timed else '    (void)routine;\n    (void)site;')
        print('    return result;\n}')
        return
    print(f'    struct mpi_task *t = {"begin(&routine, site)" if timed else "mpi_task()"};\n    int code = 0;\n')
    if not ALWAYS.match(name):
        print(f'    if (!t->has_begun || t->has_ended)\n        out_of_time(t, &routine, site);')
    tests = list(checks(routine, name, timed))
    if tests:
        print('    if (' + ' ||\n        '.join(f'({x})' for x in tests) + ')\n        goto raise;')
    if made_of(name, notes):
        print(f'    collective_check_making(t, mpi_comm(t, {made_of(name, notes)}));')
    print(f'    code = do_{target}({given});')
    print(notification(routine, notes, name), end='')
    comm = next((p.name for p in routine.parameters if p.type == 'MPI_Comm' and not p.dims), 'MPI_COMM_NULL')
    win = next((p.name for p in routine.parameters if p.type == 'MPI_Win' and not p.dims), 'MPI_WIN_NULL')
    if name == 'Comm_free':
        comm = 'comm ? *comm : MPI_COMM_NULL'
    if name == 'Win_free':
        win = 'win ? *win : MPI_WIN_NULL'
    if tests:
        print('raise:')
    print(f'    if (__builtin_expect(code != MPI_SUCCESS, 0))')
    print(f'        return fail(t, &routine, {"NULL" if timed else "site"}, {comm}, {win}, code);')
    if timed:
        print('    clue_call_end();')
    print('    return code;\n}')


def write_alias(name):
    print(f'PORTOLAN_API extern __typeof__(P{name}) {name} '
          f'__attribute__((weak, alias("P{name}")));')


def write_form(narrow, wide, name):
    """An entry point that hands its arguments to call_NAME, which has those of WIDE."""
    before, after, freed, given = [], [], [], ['SITE']
    for p, w in zip(narrow.parameters, wide.parameters):
        if (p.type, p.dims) == (w.type, w.dims) or 'int' not in p.type.split():
            given.append(p.name)
        elif p.dims:
            kind = 'MPI_Count' if 'MPI_Count' in w.type else 'MPI_Aint'
            before.append(f'{kind} *wide_{p.name} = widen({lengths_of(name, p.name)}, {p.name});')
            freed.append(f'free(wide_{p.name});')
            given.append(f'wide_{p.name}')
        elif '*' in p.type:
            kind = 'MPI_Count' if 'MPI_Count' in w.type else 'MPI_Aint'
            initial = f'{p.name} ? *{p.name} : 0' if p.name == 'position' else '0'
            before.append(f'{kind} wide_{p.name} = {initial};')
            after.append(f'if (!code)\n        *{p.name} = wide_{p.name} > INT_MAX ? '
                         f'MPI_UNDEFINED : (int)wide_{p.name};')
            given.append(f'{p.name} ? &wide_{p.name} : NULL')
        else:
            given.append(p.name)
    print(f'\nPORTOLAN_API {narrow.prototype("P" + narrow.name)}\n{{')
    if any('widen(' in x and '(t, ' in x for x in before):
        print('    struct mpi_task *t = mpi_task();')
    for line in before:
        print(f'    {line}')
    value = f'call_{name}({", ".join(given)})'
    if before:
        print(f'    int code = {value};\n')
        for line in after + freed:
            print(f'    {line}')
        print('    return code;\n}')
    else:
        print(f'    return {value};\n}}')
    write_alias(narrow.name)


def write_missing(routine, name, number):
    why = next((text for pattern, text in NOT_SERVED if re.search(pattern, name)), 'this routine')
    print(f'\nPORTOLAN_API {routine.prototype("P" + routine.name)}\n{{')
    print(f'    static const struct clue_routine routine = {{"{routine.name}", {number}}};\n')
    for p in routine.parameters:
        print(f'    (void){p.name};')
    print(f'    not_served(&routine, SITE, "{why}");\n}}')
    write_alias(routine.name)


def main(header, routines, bodies, sources):
    all_routines, notes = read_prototypes(header), read_list(routines)
    read_bodies(bodies)
    BODIES.update({name: collective_body(all_routines.get(name + '_c', routine))
                   for name, routine in all_routines.items() if COLLECTIVE.match(name)})
    served = set(BODIES)
    with_request = [name for name, body in BODIES.items() if re.search(r'\brequest\b', body)]
    for source in sources:
        text = open(source, encoding='utf-8').read()
        served |= set(re.findall(r'^(?:int|double|MPI_Aint) do_(\w+)\(', text, re.M))
        with_request += re.findall(r'^int do_(\w+)\([^{;]*MPI_Request \*request\)\n{', text, re.M)
    for name in with_request:
        FORMS.update({form: name for form in (x + name[0].lower() + name[1:] for x in 'IR')
                      if form in all_routines and not all_routines[name].has('request')})
    unknown = served - set(all_routines)
    if unknown:
        sys.exit(f'generate.py: error: no MPI routine for do_{", do_".join(sorted(unknown))}')
    wide = {name: all_routines[name + '_c'] if name + '_c' in set(all_routines) - served
            else all_routines[name] for name in served | set(FORMS)}
    print('/* Written by generate.py from <mpi.h>, mpi/routines.list and clue/mpi/routines.list; edit '
          'those instead. */')
    print('#include "entry.h"\n')
    for name in sorted(served - set(BODIES)) + list(BODIES):
        write_body(wide[name], name)
    served |= set(FORMS)
    missing = []
    for number, (name, routine) in enumerate(sorted(all_routines.items())):
        if name in served:
            write_call(wide[name], name, number, notes)
            write_form(routine, wide[name], name)
        elif name.endswith('_c') and name[:-2] in served:
            write_form(routine, routine, name[:-2])
        elif ALSO.get(name) not in served:
            write_missing(routine, name, number)
            missing.append(routine.name)
    # What the carrier warns of.
    names = ', '.join(f'"{name}"' for name in missing)
    print(f'\nPORTOLAN_API const char *const clue_unserved[] = {{{names}, NULL}};')
    for name, other in ALSO.items():
        if other in served:
            write_form(all_routines[name], all_routines.get(other + '_c', all_routines[other]), other)


main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
