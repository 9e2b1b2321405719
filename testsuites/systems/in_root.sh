#!/usr/bin/env bash
# in_root.sh STEP KIND...: one step of systems.py, in a system's root.  Its last line, "result: ...", stands in the
# table.  The kinds are the packages that are made here; /root/packages has those of another system.
set -euo pipefail
step=$1
kinds=("${@:2}")
export DEBIAN_FRONTEND=noninteractive
result() { printf 'result: %s\n' "$*"; }
need() { dpkg-query -W "$@" >/dev/null 2>&1 || { apt-get -qq update || true; apt-get -qq install -y --no-install-recommends "$@"; }; }

kernel=/tmp/twice.cl
printf 'kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }\n' >"$kernel"

# works PROGRAM: evaluates a function, and executes a kernel where a compiler is installed.
works() {
  "$1" eval sin 1
  "$1" run "$kernel" -g 4 -a 'float[4]=1,2,3,4' --print 0
}

# Sets packages to a folder with files of this kind, which are made first where that is to be done here.
make_packages() {
  packages=/root/packages
  if [[ -z $(ls "$packages"/*."$1" 2>/dev/null) ]]; then
    packages=/root/assay/build/packages
    [[ -n $(ls "$packages"/*."$1" 2>/dev/null) ]] || ./dev package "${kinds[@]}"
  fi
}

if [[ -d /root/assay ]]; then cd /root/assay; fi
case "$step" in
  build)
    ./dev build
    result "$(c++ -dumpversion | sed 's/^/GCC /')"
    ;;
  tests)
    # Of ctest's summary: "100% tests passed, 0 tests failed out of 6009".
    status=0
    ./dev test --release 2>&1 | tee /tmp/tests.log || status=$?
    result "$(sed -n 's/.*, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 of \2 fail/p' /tmp/tests.log | tail -1)"
    exit "$status"
    ;;
  validate)
    status=0
    build/release/bin/assay validate --opencl Portable --level smoke 2>&1 | tee /tmp/validate.log || status=$?
    ((status <= 1)) || exit "$status"
    # PoCL's version is its driver's: "device: ...; driver 3.1+debian; level smoke, ...".
    version=$(sed -n 's/^device: .*; driver \([^;]*\);.*/PoCL \1/p' /tmp/validate.log | head -1)
    result "${version:+$version: }$(sed -n 's/^\([0-9]* pass, [0-9]* fail\).*/\1/p' /tmp/validate.log | tail -1)"
    ;;
  run)
    works build/release/bin/assay
    build/release/bin/assay run "$kernel" -g 4 -a 'float[4]=1,2,3,4' --json /tmp/run.json --quiet
    result "$(python3 -c 'import json; print(json.load(open("/tmp/run.json"))["compilers"][0])')"
    ;;
  exec)
    need clinfo
    build/release/bin/assay exec -- clinfo | grep -i 'platform name.*assay'
    result yes
    ;;
  wheel)
    need python3-venv python3-pip
    make_packages whl
    rm -rf /tmp/venv
    python3 -m venv /tmp/venv
    # The wheel of this Python among those of all.
    /tmp/venv/bin/pip install --quiet --find-links "$packages" --no-index --no-deps assay
    /tmp/venv/bin/pip install --quiet assay --find-links "$packages"
    (cd /tmp && /tmp/venv/bin/python -c 'import assay; print(assay.__version__, assay.eval("sin", 1.0))')
    result "$(/tmp/venv/bin/python -c 'import sys; print("Python %d.%d" % sys.version_info[:2])')"
    ;;
  deb)
    make_packages deb
    apt-get -qq install -y --no-install-recommends "$packages"/*.deb
    (cd /tmp && works assay)
    result yes
    ;;
  tarball)
    make_packages tar.gz
    rm -rf /tmp/unpacked
    mkdir /tmp/unpacked
    tar -xzf "$packages"/*.tar.gz -C /tmp/unpacked
    program=$(echo /tmp/unpacked/*/bin/assay)
    "$program" eval sin 1
    result "$(getconf GNU_LIBC_VERSION)"
    ;;
esac
