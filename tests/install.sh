#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD SOURCE CC
# Install into a scratch prefix, then build and run every examples/*.c against
# what was installed: by pkg-config with the shared and with the static
# library, and as a CMake package. Look at the rest of what was installed.
set -eu
cmake=$1 build=$2 source=$3 cc=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
unset MAKEFLAGS MFLAGS CFLAGS LDFLAGS || true

fail() {
    echo "install: $*"
    exit 1
}
"$cmake" --install "$build" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }

library=$(find "$prefix" -name libdusk.so)
[ -n "$library" ] || fail "libdusk.so is missing"
libdir=$(dirname "$library")
[ -f "$libdir/libdusk.a" ] || fail "libdusk.a is missing"
[ -e "$libdir/libdusk.so.0" ] || fail "libdusk.so.0 is missing"
readelf -d "$library" | grep -q 'SONAME.*\[libdusk\.so\.0\]' || fail "the SONAME is not libdusk.so.0"
if nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v '^dusk_'; then
    fail "the names above are exported and do not begin with dusk_"
fi
for header in "$source"/include/dusk/*.h; do
    cmp "$header" "$prefix/include/dusk/$(basename "$header")"
done

# run NAME PROGRAM: examples read what lies beside them and end well.
run() {
    (cd "$source/examples" && "$2" </dev/null >"$scratch/out" 2>&1) ||
        { cat "$scratch/out"; fail "$1 failed"; }
}
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
[ -n "$(ls "$source"/examples/*.c 2>/dev/null)" ] || fail "there are no examples"
warnings="-std=c17 -Wall -Wextra -Wpedantic -Werror"
for example in "$source"/examples/*.c; do
    name=$(basename "$example" .c)
    "$cc" $warnings "$example" -o "$scratch/$name" $(pkg-config --cflags --libs dusk) -lm -Wl,-rpath,"$libdir"
    run "$name, shared" "$scratch/$name"
    ldd "$scratch/$name" | grep -q "libdusk\.so\.0 => $prefix" || fail "$name is not linked to the installed library"
    "$cc" $warnings "$example" -o "$scratch/$name.static" \
        $(pkg-config --cflags --static --libs dusk | sed 's/-ldusk\b/-l:libdusk.a/') -lm
    run "$name, static" "$scratch/$name.static"
    if ldd "$scratch/$name.static" | grep -q libdusk; then fail "$name is not linked statically"; fi
done

mkdir "$scratch/package"
cat >"$scratch/package/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(customer C)
find_package(dusk 0.1 REQUIRED)
file(GLOB examples "$source/examples/*.c")
foreach(example \${examples})
  get_filename_component(name \${example} NAME_WE)
  add_executable(\${name}_shared \${example})
  target_link_libraries(\${name}_shared dusk::dusk m)
  add_executable(\${name}_static \${example})
  target_link_libraries(\${name}_static dusk::static)
endforeach()
END
{
    "$cmake" -G Ninja -S "$scratch/package" -B "$scratch/package/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
        "$cmake" --build "$scratch/package/build"
} >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the CMake package cannot be used"; }
for example in "$source"/examples/*.c; do
    name=$(basename "$example" .c)
    run "$name, CMake shared" "$scratch/package/build/${name}_shared"
    run "$name, CMake static" "$scratch/package/build/${name}_static"
done

version=$(pkg-config --modversion dusk)
"$prefix/bin/dusk" --version | grep -qF "$version" || fail "dusk --version does not say $version"
for page in dusk.1 dusk-release.1; do
    [ -s "$prefix/share/man/man1/$page" ] || fail "the man page $page is missing"
done
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W error "$prefix"/share/man/man1/*.1 || fail "mandoc finds mistakes"
elif command -v man >/dev/null 2>&1; then
    for page in "$prefix"/share/man/man1/*.1; do
        LC_ALL=C.UTF-8 man --warnings -l "$page" 2>"$scratch/log" >/dev/null || true
        if grep -v '^man: ' "$scratch/log"; then fail "$page has mistakes"; fi
    done
fi
for completion in bash-completion/completions/dusk zsh/site-functions/_dusk fish/vendor_completions.d/dusk.fish; do
    [ -s "$prefix/share/$completion" ] || fail "the completion $completion is missing"
done
bash -n "$prefix/share/bash-completion/completions/dusk" || fail "the bash completion does not parse"
echo "install: ok"
