#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command beside a PostgreSQL server of its own: on a socket in a temporary folder, as an
# unprivileged user, gone when the command has ended or this script was killed.
# usage: postgres_server.sh [-f FILE_SIZE_KIB] COMMAND [ARGUMENT...]
# The command finds the server by PORTOLAN_TEST_POSTGRES, a URI whose data base is empty.
# Users: portolan, who may do all, and secret with the password "sesame".
limit=
if [ "$1" = -f ]; then
    limit=$2
    shift 2
fi

skip() {
    echo "1..0 # SKIP $1"
    echo "skipped: $1" >&2
    exit 77
}

bin=
for folder in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin; do
    [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && bin=$folder
done
[ "$bin" ] || skip "there is no PostgreSQL server here (Debian: postgresql)"
command -v setpriv >/dev/null || skip "there is no setpriv (Debian: util-linux)"

# shellcheck disable=SC2086 # $as_user is words
# The server refuses to be root, and its user may not enter the folders that we may.
user=
[ "$(id -u)" != 0 ] || user=$(id -un postgres 2>/dev/null || echo nobody)
as_user='setpriv --pdeathsig QUIT'
[ -z "$user" ] || as_user="$as_user --reuid $user --regid $(id -g "$user") --clear-groups"

work=
for folder in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
    [ ${#folder} -lt 60 ] && work=$(mktemp -d "$folder/portolan-pg.XXXXXX" 2>/dev/null) || continue
    [ -z "$user" ] || chown "$user" "$work"
    (cd "$work" 2>/dev/null && $as_user test -w "$work") && break
    rmdir "$work"
    work=
done
[ "$work" ] || skip "there is no folder that user '$user' can reach"

server= log=
finish() {
    status=$?
    trap - EXIT
    [ -z "$server" ] || { kill -CONT "$server" && kill -QUIT "$server" && wait "$server"; } 2>/dev/null
    [ -z "$log" ] || wait "$log"
    cd / && rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

here=$PWD
cd "$work" || exit 1
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGOPTIONS PGSERVICE PGPASSFILE
export LC_ALL=C
$as_user "$bin/initdb" -D "$work/data" -U portolan -A trust -E UTF8 --locale=C -N \
    --wal-segsize=1 >"$work/initdb.log" 2>&1 || {
    cat "$work/initdb.log" >&2
    exit 1
}
cat >>"$work/data/postgresql.conf" <<EOF
listen_addresses = ''
unix_socket_directories = '$work'
fsync = off
max_connections = 30
shared_buffers = 32MB
max_wal_size = 256MB
log_checkpoints = off
EOF
sed -i '1i local all secret scram-sha-256' "$work/data/pg_hba.conf"
mkfifo "$work/log" && { [ -z "$user" ] || chown "$user" "$work/log"; }
(
    [ -z "$limit" ] || ulimit -f "$((limit * 2))" # dash counts blocks of 512 bytes
    exec $as_user "$bin/postgres" -D "$work/data" 2>"$work/log"
) &
server=$!
exec 3<"$work/log"
ready=
while [ -z "$ready" ] && read -r line <&3; do
    echo "$line" >>"$work/messages"
    case $line in *"ready to accept connections"*) ready=yes ;; esac
done
[ "$ready" ] || {
    cat "$work/messages" >&2
    exit 1
}
cat <&3 >>"$work/messages" &
log=$!
exec 3<&-
"$bin/psql" -q -h "$work" -U portolan -d postgres \
    -c "CREATE ROLE secret LOGIN PASSWORD 'sesame'" || exit 1

export PORTOLAN_TEST_POSTGRES="postgresql://portolan@/postgres?host=$work"
export PORTOLAN_TEST_POSTGRES_PID=$server
cd "$here" || exit 1
"$@"
