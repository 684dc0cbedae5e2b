#!/usr/bin/env bash
# Fetches and unpacks the source of a Debian package into bench/work/src, using
# the machine's own package sources with source packages switched on in a
# private copy of their configuration: nothing on the machine is changed.
#   fetch.sh PACKAGE   -> prints the unpacked folder
set -eu
pkg=$1
here=$(cd "$(dirname "$0")" && pwd)
work=${HEDDLE_BENCH_WORK:-$here/../work}
mkdir -p "$work/src" "$work/apt/sources.list.d" "$work/apt/lists/partial"
work=$(cd "$work" && pwd)
done_file="$work/src/$pkg.dir"
if [ -s "$done_file" ] && [ -d "$(cat "$done_file")" ]; then cat "$done_file"; exit 0; fi

: > "$work/apt/sources.list"
[ -f /etc/apt/sources.list ] &&
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > "$work/apt/sources.list"
for f in /etc/apt/sources.list.d/*; do
    case $f in
    *.list) sed -n 's/^deb /deb-src /p' "$f" > "$work/apt/sources.list.d/$(basename "$f")" ;;
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$f" > "$work/apt/sources.list.d/$(basename "$f")" ;;
    esac
done
opts=(-o "Dir::Etc::sourcelist=$work/apt/sources.list" -o "Dir::Etc::sourceparts=$work/apt/sources.list.d"
      -o "Dir::State::lists=$work/apt/lists")
[ -f "$work/apt/updated" ] || { apt-get "${opts[@]}" -qq update >&2; touch "$work/apt/updated"; }
command -v dpkg-source >/dev/null || { echo "fetch.sh: needs dpkg-dev (apt-get install dpkg-dev)" >&2; exit 1; }
cd "$work/src"
if ! apt-get "${opts[@]}" -qq source "$pkg" >&2; then
    # A mirror may lack Debian's patches; the upstream archive alone will do.
    orig=$(find . -maxdepth 1 -name "${pkg}_*.orig.tar.*" ! -name '*.asc' | head -1)
    [ -n "$orig" ] || { echo "fetch.sh: the package source of $pkg cannot be had here" >&2; exit 1; }
    tar xf "$orig" >&2
fi
dir=$(find "$work/src" -maxdepth 1 -type d -name "$pkg-*" | head -1)
echo "$dir" | tee "$done_file"
