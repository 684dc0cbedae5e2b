# fresh.bash: for scripts of this folder that need a fresh Debian, made by debootstrap: checks that
# are counted, $fresh (its folder, removed at the end), $VERSION_CODENAME and $mirror, the one apt
# uses here. Ends the script where there is no root or no debootstrap.
passed=0 failed=0
check() { # check "what" COMMAND...
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); echo "ok - $what"
    else failed=$((failed + 1)); echo "not ok - $what"; tail -20 "$work/log" | sed 's/^/# /'; fi
}
finish() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "skipped: needs root and debootstrap"
    finish
fi
work=$(mktemp -d)
fresh=$work/root
trap 'umount "$fresh/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
. /etc/os-release
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(CREATED_BY)' 2>/dev/null |
    awk -v r="$VERSION_CODENAME" '$2 == r && $3 == "Packages" {print $1; exit}')
