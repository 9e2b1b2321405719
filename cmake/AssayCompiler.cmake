# How every source file of assay is compiled.  A file that needs more (vector instructions for a
# hot loop, -frounding-math) says so in the CMakeLists.txt of its folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# No -DNDEBUG: an oracle would rather stop than answer wrongly.  No -march=native: a binary built
# here is carried to the machine that has the device, which is another x86-64 processor.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(ASSAY_CCACHE ccache)
mark_as_advanced(ASSAY_CCACHE)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It must be told that a precompiled header may be trusted by its content, or it caches no file that uses one.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${ASSAY_CCACHE})
endif()

# Everything of assay links this.
add_library(assay_options INTERFACE)
target_include_directories(
  assay_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# A fused multiply-add where the source has a product and a sum is another result; the compiler may
# form one only where the source says fma.
# A designated initializer leaves out the members that keep their defaults: no warning for that.
target_compile_options(
  assay_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                          -ffp-contract=off)
# char is signed on x86-64; what reads bytes as numbers was written there.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(assay_options INTERFACE -fsigned-char)
endif()
# The libraries become part of the program and of the OpenCL driver, which is a shared object.  Hidden
# names are accessed in both as in a program; only the driver's entry points are visible.
target_compile_options(assay_options INTERFACE -fPIC -fvisibility=hidden)
if(ASSAY_WERROR)
  target_compile_options(assay_options INTERFACE -Werror)
endif()

# Reports and checkpoints name the build that made them (oracle/devices/identity.h).
target_link_options(assay_options INTERFACE LINKER:--build-id=sha1)

if(ASSAY_SANITIZE)
  # -Og -g1: with -O1 -g the compiler takes more than twice as long over instrumented code, and a
  # report needs no more than function names and lines.
  target_compile_options(
    assay_options INTERFACE -Og -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
                            -fno-sanitize-recover=all)
  target_link_options(assay_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The instrumentation hides initializations from this warning (GCC manual, -fsanitize).
    target_compile_options(assay_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(ASSAY_STATIC_RUNTIME)
  target_link_options(assay_options INTERFACE -static-libstdc++ -static-libgcc)
endif()
