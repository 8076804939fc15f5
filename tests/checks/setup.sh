#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/setup on machines made of stubs: what is installed is a file of names.
. "$(dirname "$0")/lib.sh"
bin=$scratch/bin
mkdir "$bin"
have=$scratch/have log=$scratch/apt
# stub NAME: a program in $bin, its text on stdin
stub() {
    cat >"$bin/$1"
    chmod +x "$bin/$1"
}
stub dpkg-query <<END
#!/bin/sh
for last in "\$@"; do :; done
grep -qx "\$last" "$have" || exit 1
case "\$*" in
*Depends*) echo "clang-14 (>= 14~)" ;;
*) printf installed ;;
esac
END
stub apt-get <<END
#!/bin/sh
echo "apt-get \$*" >>"$log"
[ "\$1" = install ] || exit 0
for word in "\$@"; do case \$word in install | -*) ;; *) echo "\$word" >>"$have" ;; esac; done
END
stub clang <<END
#!/bin/sh
exit 1
END
stub sudo <<END
#!/bin/sh
echo "sudo" >>"$log"
exec "\$@"
END
stub id <<END
#!/bin/sh
cat "$scratch/uid"
END
setup() { PATH="$bin:/usr/bin:/bin" sh "$repo/tools/setup" "$@"; }
fresh() {
    : >"$have"
    : >"$log"
    echo "$1" >"$scratch/uid"
}
logged() { grep -q -- "$1" "$log"; }

fresh 0
catches "--check on a bare machine" 'missing: gcc' setup --check
passes "root installs" setup
passes "updates once" test "$(grep -c 'apt-get update' "$log")" -eq 1
passes "installs the compiler's run-time" logged 'install.* libclang-rt-14-dev'
passes "root needs no sudo" test "$(grep -c sudo "$log")" -eq 0
: >"$log"
setup >"$scratch/said"
passes "one quiet line" grep -qx 'setup: nothing is missing' "$scratch/said"
passes "and does nothing" test ! -s "$log"
passes "--check agrees" setup --check
grep -v '^pkg-config$' "$have" >"$have.new"
echo pkgconf >>"$have.new"
mv "$have.new" "$have"
passes "either of two will do" setup --check
fresh 1000
passes "a user installs by sudo" setup
passes "with sudo" logged sudo
if [ ! -x /usr/bin/sudo ] && [ ! -x /bin/sudo ]; then
    rm "$bin/sudo"
    fresh 1000
    catches "neither root nor sudo" 'run as root: apt-get install -y gcc' setup
fi
catches "an unknown option" 'usage' setup --frobnicate
finish
