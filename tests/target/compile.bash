# compile.bash: programs of this folder compiled once for all tests of a build. Sourced.

# compile COMMAND OUT FILE: as the header of FILE asks. With PROGRAMS (a folder), what a test has
# compiled there before is copied: the same command, source and headers give the same program.
compile() {
    local key
    [ -n "${PROGRAMS:-}" ] || { $1 -o "$2" "$3"; return; }
    key=$({ echo "$1 $3"; cat "$3" "${BASH_SOURCE[0]%/*}"/*/*.h "${BASH_SOURCE[0]%/*}"/../../include/heddle/*; } 2>/dev/null | sha256sum)
    key=$PROGRAMS/${key%% *}
    if [ ! -f "$key" ]; then
        mkdir -p "$PROGRAMS" && $1 -o "$key.$$" "$3" && mv -f "$key.$$" "$key" || return
    fi
    cp "$key" "$2"
}
