#!/usr/bin/env bash
# Builds a real program from its Debian source with plain -fsanitize=thread, as
# its users would. Prints the path of the binary.
#   build.sh pbzip2|pigz|lbzip2|xz-utils|libzstd|memcached|redis|minimap2|x264|lrzip|zpaq [native]
# "native" builds the same without instrumentation, for comparison.
set -eu
pkg=$1 kind=${2:-tsan}
here=$(cd "$(dirname "$0")" && pwd)
work=${HEDDLE_BENCH_WORK:-$here/../work}
mkdir -p "$work/bin"
work=$(cd "$work" && pwd)
out="$work/bin/$pkg-$kind"
[ -x "$out" ] && { echo "$out"; exit 0; }
src=$("$here/fetch.sh" "$pkg")
dir="$work/build-$pkg-$kind"
rm -rf "$dir" && cp -a "$src" "$dir" && cd "$dir"
flags="-g -O2"
[ "$kind" = tsan ] && flags="$flags -fsanitize=thread"
log="$work/build-$pkg-$kind.log"
{
    case $pkg in
    pbzip2) make CXXFLAGS="$flags" LDFLAGS="$flags" && cp pbzip2 "$out" ;;
    pigz) make CFLAGS="$flags" LDFLAGS="$flags" && cp pigz "$out" ;;
    lbzip2) # its copy of gnulib predates today's libc, which no longer names these bits
        ./configure CPPFLAGS="-D_IO_ftrylockfile -D_IO_EOF_SEEN=0x10 -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100" \
            CFLAGS="$flags" LDFLAGS="$flags" && make && cp src/lbzip2 "$out" ;;
    xz-utils) ./configure --disable-shared --disable-nls CFLAGS="$flags" LDFLAGS="$flags" && make && cp src/xz/xz "$out" ;;
    libzstd) make -C programs zstd ZSTD_LEGACY_SUPPORT=0 HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 MOREFLAGS="$flags" && cp programs/zstd "$out" ;;
    memcached) ./configure --disable-docs --disable-coverage CFLAGS="$flags -Wno-error" LDFLAGS="$flags" && make memcached && cp memcached "$out" ;;
    redis) # flags by the environment: its makefiles add to them
        CFLAGS="$flags" LDFLAGS="$flags" make -j2 -C src redis-server MALLOC=libc USE_SYSTEMD=no OPTIMIZATION=-O2 && cp src/redis-server "$out" ;;
    minimap2) make CFLAGS="$flags" LIBS="$flags -lm -lz -lpthread" minimap2 && cp minimap2 "$out" ;;
    x264) ./configure --disable-asm --disable-lavf --disable-swscale --disable-ffms --disable-gpac --disable-lsmash \
            --disable-opencl --extra-cflags="$flags" --extra-ldflags="$flags" && make x264 && cp x264 "$out" ;;
    lrzip) autoreconf -fi && ./configure --disable-asm --disable-shared CFLAGS="$flags" CXXFLAGS="$flags" LDFLAGS="$flags" && make && cp lrzip "$out" ;;
    zpaq) g++ $flags -Dunix -DNOJIT zpaq.cpp libzpaq.cpp -pthread -o "$out" ;;
    *) echo "build.sh: no recipe for $pkg" >&2; exit 64 ;;
    esac
} > "$log" 2>&1 || { echo "build.sh: building $pkg failed, see $log" >&2; tail -5 "$log" >&2; exit 1; }
echo "$out"
