# SPDX-License-Identifier: BSD-3-Clause
# For tests of pages in Chromium: source it after tap.sh. Skips where there is none.

for tool in chromium chromedriver dot; do
    command -v $tool >/dev/null || skip_all "$tool is not installed; ./configure --install-deps=check installs it"
done
[ -e /usr/share/nodejs/d3/dist/d3.min.js ] || skip_all 'D3 is not installed (Debian: node-d3)'
export HOME="$work" # Chromium's profile goes there

# browse SCRIPT WORD...: runs a script of this folder, which prints TAP lines, and numbers them.
browse() {
    script=$1
    shift
    timeout 280 /usr/bin/python3 "$SOURCE/tests/$script" "$@" >found 2>err </dev/null ||
        echo 'not ok - the browser came to its end' >>found
    while IFS= read -r line; do
        case $line in
        'ok '*) tests_run=$((tests_run + 1)) && echo "ok $tests_run ${line#ok }" ;;
        'not ok '*) tests_run=$((tests_run + 1)) && echo "not ok $tests_run ${line#not ok }" && sed 's/^/#  /' err ;;
        *) echo "$line" ;;
        esac
    done <found
}
