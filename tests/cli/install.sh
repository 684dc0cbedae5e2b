#!/usr/bin/env bash
# An installed tree works, also after it was moved; pkg-config and CMake find it.
. "$(dirname "$0")/lib.bash"
tree=$(cd "$(dirname "$HEDDLE")/.." && pwd)
if ! DESTDIR=$PWD/stage cmake --install "$tree" --prefix /opt/heddle >install.log 2>&1; then
    not_ok "install"
    tail install.log
    finish
fi
ok "install"
mv stage/opt/heddle moved
HEDDLE=$PWD/moved/bin/heddle
racy_c
heddle test --seed 1 -- ./racy
expect 66 "the moved heddle works"
pc=$(dirname "$(find moved -name heddle.pc)")
check "pkg-config finds the header" test "$(realpath "$(PKG_CONFIG_PATH=$PWD/$pc pkg-config --variable=includedir heddle)")" = "$PWD/moved/include"
mkdir proj
cat >proj/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(p C)
find_package(heddle REQUIRED)
enable_testing()
add_executable(racy ../racy.c)
target_link_libraries(racy heddle::heddle)
target_compile_options(racy PRIVATE -g -fsanitize=thread)
target_link_options(racy PRIVATE -fsanitize=thread)
heddle_test(schedules racy)
END
check "CMake finds it" cmake -S proj -B proj/build -DCMAKE_PREFIX_PATH="$PWD/moved"
check "heddle_test builds" cmake --build proj/build
(cd proj/build && ctest) >out 2>&1
check "heddle_test fails for a racy program" grep -q "schedules.*Failed" out
finish
