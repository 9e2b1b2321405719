#!/usr/bin/env bash
# One step of systems.py, in the root in which assay is compiled for arm64 and tried under QEMU.  Its last line,
# "result: ...", stands in the table.
set -euo pipefail
step=$1
export DEBIAN_FRONTEND=noninteractive
result() { printf 'result: %s\n' "$*"; }
build=build/arm64
programs=(base_tests numerics_tests numerics_image_tests interp_tests)

install() {
  # LLVM's C library and clang-22 are in the updates for security, on the same mirror.
  sed -n 's!/debian \([a-z]*\) .*!/debian-security \1-security main!p' /etc/apt/sources.list >/etc/apt/sources.list.d/security.list
  dpkg --add-architecture arm64
  apt-get -qq update
  foreign=(libmpfr-dev libgmp-dev nettle-dev libfmt-dev libpng-dev zlib1g-dev libedit-dev libbsd-dev libmd-dev
    libncurses-dev libgtest-dev libgmock-dev libllvmlibc-22-dev spirv-tools)
  apt-get -qq install -y --no-install-recommends g++-aarch64-linux-gnu qemu-user libsimde-dev cmake ninja-build python3 \
    nlohmann-json3-dev libcli11-dev libexpected-dev spirv-headers opencl-c-headers "${foreign[@]/%/:arm64}" \
    clang-19 libclang-common-19-dev llvm-spirv-19 clang-22 libclang-common-22-dev bubblewrap  # which tests start as they are on this machine
}

cd /root/assay
case "$step" in
  build)
    [[ ${ASSAY_NO_SETUP:-} == 1 ]] || install
    cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DASSAY_BENCHMARKS=OFF -DASSAY_PYTHON=OFF
    cmake --build "$build" --target "${programs[@]}"
    result "GCC $(aarch64-linux-gnu-g++ -dumpversion)"
    ;;
  tests)
    # Without those that start their own program again: the kernel does not know what to start it with.
    failed=0
    all=0
    shards=$(nproc)
    for program in "${programs[@]}"; do
      for ((shard = 0; shard < shards; ++shard)); do
        GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard qemu-aarch64 "$build/bin/$program" --gtest_brief=1 \
          --gtest_filter='-*DeathTest.*' >"/tmp/$program.$shard.log" 2>&1 &
      done
      wait
      for ((shard = 0; shard < shards; ++shard)); do
        log=/tmp/$program.$shard.log
        cat "$log"
        ran=$(sed -n 's/^\[==========\] \([0-9]*\) tests*.* ran.*/\1/p' "$log" | tail -1)
        [[ -n $ran ]] || { result "$program ended early"; exit 1; }
        lost=$(sed -n 's/^ *\([0-9]*\) FAILED TESTS*$/\1/p' "$log" | tail -1)
        all=$((all + ran)) failed=$((failed + ${lost:-0}))
      done
    done
    result "$failed of $all fail"
    ((failed == 0))
    ;;
esac
