#!/usr/bin/env bash
# Do the docs fit the tree? Links lead somewhere, files they name exist, the picture is
# drawn from its text.
. "$(dirname "$0")/lib.bash"

awk -f "$ROOT/docs/architecture.awk" "$ROOT/docs/architecture.txt" >drawn.svg
check "architecture.svg is drawn from architecture.txt" cmp drawn.svg "$ROOT/docs/architecture.svg"

# A stranger finds every room: folders of src that the page does not name.
rooms() { # rooms TREE PAGE
    find "$1/src" -mindepth 1 -maxdepth 2 -type d -printf 'src/%P\n' | sort | while read -r d; do
        grep -qE "\`$d[/\`]" "$2" || echo "$d"
    done
}
rooms "$ROOT" "$ROOT/docs/architecture.md" >unnamed
check "architecture.md names every folder of src" test ! -s unnamed
sed 's/^/# /' unnamed
mkdir -p tree/src/known/inner tree/src/new
echo 'in `src/known/x.c`' >page.md
check "folders that it does not name are noticed" test "$(rooms tree page.md | xargs)" = "src/known/inner src/new"

# dead_links FILE: relative links that lead nowhere.
dead_links() {
    grep -oE '\]\([^)#: ]+' "$1" | sed 's/^](//' | while read -r to; do
        [ -e "$(dirname "$1")/$to" ] || echo "$1: $to"
    done
}
# missing FILE: files of the tree that it names, in backquotes, and that are not there.
missing() {
    grep -oE '`(src|tests|docs|bench|include)/[A-Za-z0-9_./*-]+`' "$1" | tr -d '`' | while read -r name; do
        case $name in *name.c | *NAME*) continue ;; esac # a place for the new one
        compgen -G "$ROOT/$name" >/dev/null || echo "$1: $name"
    done
}
for f in "$ROOT"/*.md "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md "$ROOT"/tests/*/README.md; do
    dead_links "$f"
    missing "$f"
done >bad
check "links and file names lead somewhere" test ! -s bad
sed 's/^/# /' bad

printf '[x](nowhere.md) `src/none.c` `src/sched/*.c` [y](README.md)\n' >wrong.md
touch README.md
{ dead_links wrong.md; missing wrong.md; } >seen
check "wrong ones are seen" test "$(cat seen)" = "wrong.md: nowhere.md
wrong.md: src/none.c"
# The site leaves nothing out: each page is in its list, and links stay within it (or lead to folders).
for f in "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md; do
    name=${f#"$ROOT"/docs/}
    grep -q "[[ ]$name" "$ROOT/mkdocs.yml" || echo "$name is not in mkdocs.yml"
    grep -oE '\]\(\.\.[^)#: ]+' "$f" | sed 's/^](//' | while read -r to; do
        at=$(realpath -m "$(dirname "$f")/$to")
        case $at in "$ROOT"/docs/*) ;; *) [ -d "$at" ] || echo "$name: $to is no page" ;; esac
    done
done >bad
check "the site has all pages, and links to pages" test ! -s bad
sed 's/^/# /' bad
# Every command that takes options of its own has a page.
for c in $(sed -n 's/^HD_CMD(\([a-z]*\),.*/\1/p' "$ROOT/src/cli/cmd.def" | grep -vE '^(cxx|help|version)$'); do
    check "heddle $c has a page" test -s "$ROOT/docs/cmd/$c.md"
done
finish
