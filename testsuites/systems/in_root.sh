#!/usr/bin/env bash
# One step of systems.py, in a system's root.  Its last line, "result: ...", stands in the table.
set -euo pipefail
step=$1
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

tarball() {
  rm -rf /tmp/unpacked
  mkdir /tmp/unpacked
  tar -xzf "$1" -C /tmp/unpacked
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
    rm -rf /tmp/wheel /tmp/venv
    python3 -m venv /tmp/venv
    /tmp/venv/bin/pip wheel --quiet --no-deps --wheel-dir /tmp/wheel .
    /tmp/venv/bin/pip install --quiet /tmp/wheel/*.whl
    (cd /tmp && /tmp/venv/bin/python -c 'import assay; print(assay.__version__)')
    result yes
    ;;
  deb)
    ./dev package TGZ DEB
    apt-get -qq install -y --no-install-recommends ./build/packages/*.deb
    (cd /tmp && works assay)
    result yes
    ;;
  tarball)
    archive=/root/assay.tar.gz
    if [[ -d /root/assay ]]; then
      [[ -n $(ls build/packages/*.tar.gz 2>/dev/null) ]] || ./dev package TGZ
      archive=$(echo build/packages/*.tar.gz)
    fi
    tarball "$archive"
    program=$(echo /tmp/unpacked/*/bin/assay)
    "$program" eval sin 1
    result yes
    ;;
esac
