#!/usr/bin/env bash
# bench/gen_libs.sh: `heddle gen` on libraries of Debian, without a spec: functions in the header, understood, runs
# with threads, how it ended, findings. Libraries whose source can be had are built with -fsanitize=thread, the
# others are linked as they are installed.
#   HEDDLE=path/to/heddle bench/gen_libs.sh [NAME...]
# Needs: libglib2.0-dev libjansson-dev libyaml-dev libconfuse-dev libtalloc-dev libiniparser-dev liborcania-dev libjson-c-dev
# libevent-dev libxml2-dev libexpat1-dev libmagic-dev.
# Environment: TIME (60 seconds each), SEED (1), KEEP (a folder that keeps what was printed).
set -u
HEDDLE=${HEDDLE:?set HEDDLE to the heddle command}
HERE=$(cd "$(dirname "$0")" && pwd)
TIME=${TIME:-60} SEED=${SEED:-1} KEEP=${KEEP-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
wanted=" $* "

lib() { # lib NAME HEADER OPTIONS... -- FLAGS
    local name=$1 header=$2
    shift 2
    [ "$wanted" = "  " ] || case $wanted in *" $name "*) ;; *) return ;; esac
    [ -f "$header" ] || { echo "$name: not here"; return; }
    rm -rf .heddle out err out.json
    "$HEDDLE" gen --time "$TIME" --seed "$SEED" --json out.json --header "$header" "$@" >out 2>err
    local rc=$?
    printf '%-14s %-40s %6s runs  status %s  %s\n' "$name" \
        "$(sed -n 's/.*: \([0-9]* functions, [0-9]* understood\).*/\1/p' err | head -1)" \
        "$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' out.json | head -1)" "$rc" "$(grep '^FINDING' out | tr '\n' ' ')"
    if [ -n "$KEEP" ]; then
        mkdir -p "$KEEP/$name" && cp out err "$KEEP/$name"
        [ ! -d .heddle/findings ] || cp -r .heddle/findings "$KEEP/$name"
    fi
    [ "$rc" = 0 ] || [ "$rc" = 66 ] || { failed=1; tail -3 err; }
}
source_of() { "$HERE/real/fetch.sh" "$1" 2>/dev/null; }

glib=$(pkg-config --cflags --libs glib-2.0)
g=$(pkg-config --variable=includedir glib-2.0)/glib-2.0/glib/glib.h
[ -f "$g" ] || g=$(pkg-config --variable=includedir glib-2.0)/glib-2.0/glib.h
lib async_queue "$g" --prefix g_async_queue_ -- $glib
lib hash_table "$g" --prefix g_hash_table_ --contract lock -- $glib
lib queue "$g" --prefix g_queue_ --contract lock -- $glib
lib sequence "$g" --prefix g_sequence_ --contract lock -- $glib
lib ptr_array "$g" --prefix g_ptr_array_ -- $glib
s=$(source_of cjson)
lib cjson "$s/cJSON.h" -- -I"$s" "$s/cJSON.c"
s=$(source_of libdatrie)
lib datrie "$s/datrie/trie.h" --prefix trie_ -- -I"$s" "$s"/datrie/{alpha-map,darray,dstring,fileutils,tail,trie,trie-string}.c
s=$(source_of jansson)
mkdir -p config && printf '#define %s 1\n' HAVE_STDINT_H HAVE_UNISTD_H HAVE_SYS_TIME_H HAVE_GETTIMEOFDAY USE_URANDOM \
    HAVE_ATOMIC_BUILTINS >config/jansson_private_config.h && echo '#define INITIAL_HASHTABLE_ORDER 3' >>config/jansson_private_config.h
lib jansson /usr/include/jansson.h --prefix json_ -- -DHAVE_CONFIG_H -I"$work/config" -I"$s/src" "$s"/src/{dump,error,hashtable,hashtable_seed,load,memory,pack_unpack,strbuffer,strconv,utf,value,version}.c
lib json-c /usr/include/json-c/json_object.h -- -ljson-c
lib yaml /usr/include/yaml.h --prefix yaml_ -- -lyaml
lib confuse /usr/include/confuse.h --prefix cfg_ -- -lconfuse
lib talloc /usr/include/talloc.h --prefix talloc_ -- -ltalloc
lib iniparser /usr/include/iniparser/iniparser.h -- -I/usr/include/iniparser -liniparser
lib orcania /usr/include/orcania.h -- -lorcania
lib evbuffer /usr/include/event2/buffer.h --prefix evbuffer_ -- -levent
lib xml_hash /usr/include/libxml2/libxml/hash.h --prefix xmlHash -- -I/usr/include/libxml2 -lxml2
printf '#include <libxml/tree.h>\n#include <libxml/dict.h>\n' >dict.h # it needs the other one
lib xml_dict "$work/dict.h" --prefix xmlDict -- -I/usr/include/libxml2 -lxml2
lib expat /usr/include/expat.h --prefix XML_ -- -lexpat
lib magic /usr/include/magic.h --prefix magic_ -- -lmagic
exit $failed
