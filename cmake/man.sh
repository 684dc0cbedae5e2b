#!/bin/sh
# man.sh HEDDLE VERSION PAGE.md OUT: a man page from a page of docs/cmd, with the options that
# the command itself lists.
set -e
heddle=$1 version=$2 page=$3 out=$4
here=$(dirname "$0")
command=$(basename "$page" .md)
if [ "$command" = index ]; then
    name=heddle
    brief="drive a program's threads through interleavings that were never tested"
else
    name=heddle-$command
    brief=$("$heddle" help "$command" | sed -n 2p)
fi
{
    awk -v name="$name" -v brief="$brief" -v version="$version" -f "$here/man.awk" "$page"
    if [ "$command" != index ]; then
        printf '.SH OPTIONS\n.nf\n'
        "$heddle" help "$command" | sed -e '1,/^Options:$/d' -e 's/\\/\\e/g; s/-/\\-/g; s/^\([.'\'']\)/\\\&\1/'
        printf '.fi\n.SH SEE ALSO\n.BR heddle (1)\n'
    fi
} >"$out.new"
mv "$out.new" "$out"
