#!/usr/bin/env bash
# The Debian packages of `./dev package` in a bare root: they install, and what a user does first works.
#
# usage: packages_test.sh [FOLDER]      FOLDER: with the packages, default build/packages
#
# Not part of the tests that ctest runs: it needs root, debootstrap, and the network for Debian's packages (about 90 MB
# for the root and 500 MB for the compilers).  The root is made below TMPDIR and removed at the end.
# Environment: ASSAY_DEBIAN_MIRROR, default http://deb.debian.org/debian; http_proxy as usual.
set -euo pipefail

packages=$(cd -- "${1:-build/packages}" && pwd -P)
mirror=${ASSAY_DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=bookworm

say() { printf 'packages_test: %s\n' "$*"; }
fail() {
  say "FAILED: $*" >&2
  exit 1
}

((EUID == 0)) || fail "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt install debootstrap"
found=("$packages"/assay_*.deb)
[[ -f ${found[0]} ]] || fail "no assay_*.deb in $packages: ./dev package makes it"

root=$(mktemp -d)/root
remove_root() {
  for folder in proc dev; do
    if mountpoint -q "$root/$folder"; then umount -l "$root/$folder"; fi
  done
  rm -rf --one-file-system -- "${root%/root}"
}
trap remove_root EXIT
trap 'exit 130' INT TERM

say "a bare $suite from $mirror"
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"${root%/root}/log" 2>&1 ||
  { tail -20 "${root%/root}/log" >&2; fail "debootstrap"; }
mount -t proc proc "$root/proc" || say "no /proc in the root: what needs it may fail"
mount --bind /dev "$root/dev" || fail "/dev cannot be had in the root"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
# Another user's documents are wanted here, and services are not started.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod +x "$root/usr/sbin/policy-rc.d"
mkdir "$root/packages" && cp "$packages"/*.deb "$root/packages"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
install_in_root() {
  inside apt-get install -qq "$@" >"${root%/root}/log" 2>&1 || { tail -20 "${root%/root}/log" >&2; fail "apt-get install $*"; }
}
# expect CODE TEXT COMMAND...: what it prints goes on, and must have the text.
expect() {
  local code=$1 text=$2 status=0 output
  shift 2
  output=$(inside "$@" 2>&1) || status=$?
  printf '%s\n' "\$ $*" "$output" | sed 's/^/  /'
  ((status == code)) || fail "'$*' ended with $status, not $code"
  [[ $output == *"$text"* ]] || fail "'$*' does not print '$text'"
}

inside apt-get update -qq
say "assay alone, without what it recommends"
install_in_root --no-install-recommends /packages/"${found[0]##*/}"
expect 0 'assay ' assay --version
expect 0 0x3f576aa4 assay eval sin 1
expect 0 '1 pass' assay validate --library libm.so.6 --functions sin --formats float
printf 'kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }\n' >"$root/root/k.cl"
expect 2 'apt install clang-15 libclang-common-15-dev llvm-spirv-15 bubblewrap' \
  assay run /root/k.cl -g 4 -a 'float[4]=range(0,1)'
expect 0 'assay-run' ls /usr/share/man/man1/assay-run.1 /usr/share/bash-completion/completions/assay
expect 0 'libmpfr.so.6 => /lib' ldd /usr/lib/libassay-opencl.so

say "with what it recommends"
install_in_root clang-15 libclang-common-15-dev llvm-spirv-15 bubblewrap
expect 0 '3: 6 (0x40c00000)' assay run /root/k.cl -g 4 -a 'float[4]=range(0,1)' --print 0
expect 0 'k.cl:1' assay debug /root/k.cl -g 4 -a 'float[4]=range(0,1)' --batch --ex 'break twice' --ex run --ex where
expect 0 '8 pass, 0 fail' assay validate --library libm.so.6 --functions sin,cos,tan,exp,log,sqrt,atan,pow --formats double

for package in libassay-dev python3-assay; do
  made=("$packages"/"$package"_*.deb)
  if [[ ! -f ${made[0]} ]]; then
    say "$package was not built: skipped"
    continue
  fi
  say "$package"
  install_in_root /packages/"${made[0]##*/}"
  if [[ $package == python3-assay ]]; then
    expect 0 'assay 0.84147' python3 -c 'import assay, numpy; print(assay.__name__, assay.eval("sin", numpy.float32(1)))'
  fi
done

say "removed again"
inside apt-get purge -qq assay >/dev/null 2>&1 || fail "apt-get purge assay"
[[ ! -e $root/usr/bin/assay && ! -e $root/usr/share/doc/assay ]] || fail "files are left behind"
say "all is well"
