# classes.bash: what the scripts about the MAP coverage paper share: campaigns of `heddle gen` over the
# classes of tests/gen. Sourced after lib.bash.
all_classes() { (cd "$ROOT/tests/gen" && ls c/*.h cxx/*.hpp | sed 's,.*/,,; s,\..*,,'); }
# gen CLASS OPTION... [-- FLAG...]: nothing is remembered, no program is made; the result is in r.json
gen() {
    local class=$1
    shift
    case " $* " in *" -- "*) ;; *) set -- "$@" -- ;; esac
    rm -rf dir r.json
    "$HEDDLE" gen -q --no-confirm --dir dir --json r.json --header "$ROOT"/tests/gen/c*/"$class".h* "$@" \
        $(ls "$ROOT/tests/gen/c/$class.c" 2>/dev/null) >/dev/null 2>log </dev/null
    local rc=$?
    stop_if_interrupted r.json
    case $rc in 0 | 66) ;; *) tail -n 1 log >&2; return 1 ;; esac
}
middle() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else print "-" }'; }
