# Third-party libraries.  Each is looked for once, here, and a missing one names its Debian package.
# Archives are preferred to shared objects: the finished program needs only glibc.

set(assay_missing "")
macro(assay_require_tool found package)
  if(NOT ${found})
    list(APPEND assay_missing ${package})
  endif()
endmacro()
# What becomes a part of the programs; its licence comes with them (AssayLicences.cmake).
macro(assay_require found package)
  assay_require_tool(${found} ${package})
  list(APPEND assay_parts ${package})
endmacro()

find_package(Threads REQUIRED)

# numerics: MPFR and GMP.
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY NAMES libmpfr.a mpfr)
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY NAMES libgmp.a gmp)
find_library(MPFR_SHARED_LIBRARY NAMES libmpfr.so mpfr)
find_library(GMP_SHARED_LIBRARY NAMES libgmp.so gmp)
mark_as_advanced(MPFR_INCLUDE_DIR MPFR_LIBRARY MPFR_SHARED_LIBRARY GMP_INCLUDE_DIR GMP_LIBRARY
                 GMP_SHARED_LIBRARY)
assay_require(MPFR_LIBRARY libmpfr-dev)
assay_require(MPFR_INCLUDE_DIR libmpfr-dev)
assay_require(GMP_LIBRARY libgmp-dev)
assay_require(GMP_INCLUDE_DIR libgmp-dev)

# base: SHA-256.
find_path(NETTLE_INCLUDE_DIR nettle/sha2.h)
find_library(NETTLE_LIBRARY NAMES libnettle.a nettle)
mark_as_advanced(NETTLE_INCLUDE_DIR NETTLE_LIBRARY)
assay_require(NETTLE_INCLUDE_DIR nettle-dev)
assay_require(NETTLE_LIBRARY nettle-dev)

# numerics: LLVM libc's correctly rounded functions (AssayLlvmLibc.cmake).
file(GLOB llvm_directories /usr/lib/llvm-*/lib)
list(SORT llvm_directories COMPARE NATURAL ORDER DESCENDING)
find_library(LLVM_LIBC_ARCHIVE NAMES libllvmlibc.a HINTS ${llvm_directories})
mark_as_advanced(LLVM_LIBC_ARCHIVE)
assay_require(LLVM_LIBC_ARCHIVE libllvmlibc-22-dev)

# Everywhere: fmt and tl::expected.
find_package(fmt QUIET CONFIG)
assay_require(fmt_FOUND libfmt-dev)
find_package(tl-expected QUIET CONFIG)
assay_require(tl-expected_FOUND libexpected-dev)

# frontend: SPIRV-Tools (parser, assembler, validator, linker), and SPIRV-Headers' grammar, which a
# script turns into tables.
find_path(SPIRV_TOOLS_INCLUDE_DIR spirv-tools/libspirv.h)
find_library(SPIRV_TOOLS_LINK_LIBRARY NAMES libSPIRV-Tools-link.a)
find_library(SPIRV_TOOLS_OPT_LIBRARY NAMES libSPIRV-Tools-opt.a)
find_library(SPIRV_TOOLS_LIBRARY NAMES libSPIRV-Tools.a)
find_path(SPIRV_GRAMMAR_DIR spirv.core.grammar.json PATH_SUFFIXES spirv/unified1)
mark_as_advanced(SPIRV_TOOLS_INCLUDE_DIR SPIRV_TOOLS_LINK_LIBRARY SPIRV_TOOLS_OPT_LIBRARY
                 SPIRV_TOOLS_LIBRARY SPIRV_GRAMMAR_DIR)
assay_require(SPIRV_TOOLS_INCLUDE_DIR spirv-tools)
assay_require(SPIRV_TOOLS_LINK_LIBRARY spirv-tools)
assay_require(SPIRV_TOOLS_OPT_LIBRARY spirv-tools)
assay_require(SPIRV_TOOLS_LIBRARY spirv-tools)
assay_require(SPIRV_GRAMMAR_DIR spirv-headers)
find_package(Python3 QUIET COMPONENTS Interpreter)
assay_require_tool(Python3_Interpreter_FOUND python3)

# interp/job: PNG files, and the zlib that its archive needs.
find_path(PNG_INCLUDE_DIR png.h)
find_library(PNG_LIBRARY NAMES libpng16.a libpng.a png)
find_library(ZLIB_LIBRARY NAMES libz.a z)
find_library(PNG_SHARED_LIBRARY NAMES libpng16.so png)
find_library(ZLIB_SHARED_LIBRARY NAMES libz.so z)
mark_as_advanced(PNG_INCLUDE_DIR PNG_LIBRARY PNG_SHARED_LIBRARY ZLIB_LIBRARY ZLIB_SHARED_LIBRARY)
assay_require(PNG_INCLUDE_DIR libpng-dev)
assay_require(PNG_LIBRARY libpng-dev)
assay_require(ZLIB_LIBRARY zlib1g-dev)

# oracle: JSON, and the OpenCL headers.  The ICD loader is opened at run time, never linked.
find_package(nlohmann_json QUIET CONFIG)
assay_require(nlohmann_json_FOUND nlohmann-json3-dev)
find_path(OPENCL_INCLUDE_DIR CL/cl.h)
mark_as_advanced(OPENCL_INCLUDE_DIR)
assay_require(OPENCL_INCLUDE_DIR opencl-c-headers)

# tools.
find_package(CLI11 QUIET CONFIG)
assay_require(CLI11_FOUND libcli11-dev)
# The debugger's command line: libedit, and what its archive needs.
find_path(LIBEDIT_INCLUDE_DIR histedit.h)
find_library(LIBEDIT_LIBRARY NAMES libedit.a edit)
find_library(LIBBSD_LIBRARY NAMES libbsd.a bsd)
find_library(LIBMD_LIBRARY NAMES libmd.a md)
find_library(TINFO_LIBRARY NAMES libtinfo.a tinfo)
mark_as_advanced(LIBEDIT_INCLUDE_DIR LIBEDIT_LIBRARY LIBBSD_LIBRARY LIBMD_LIBRARY TINFO_LIBRARY)
assay_require(LIBEDIT_INCLUDE_DIR libedit-dev)
assay_require(LIBEDIT_LIBRARY libedit-dev)
assay_require(LIBBSD_LIBRARY libbsd-dev)
assay_require(LIBMD_LIBRARY libmd-dev)
assay_require(TINFO_LIBRARY libncurses-dev)

if(ASSAY_TESTS)
  find_package(GTest QUIET CONFIG)
  assay_require_tool(GTest_FOUND "libgtest-dev libgmock-dev")
endif()
if(ASSAY_BENCHMARKS)
  find_package(benchmark QUIET CONFIG)
  assay_require_tool(benchmark_FOUND libbenchmark-dev)
endif()

if(assay_missing)
  list(REMOVE_DUPLICATES assay_missing)
  list(JOIN assay_missing " " assay_missing)
  message(FATAL_ERROR "These Debian packages are missing: ${assay_missing}\n"
                      "./dev setup installs everything that assay needs.")
endif()

add_library(assay_mpfr INTERFACE)
target_include_directories(
  assay_mpfr SYSTEM INTERFACE ${MPFR_INCLUDE_DIR} ${GMP_INCLUDE_DIR})
# A shared object cannot have what Debian's archives have for a program: there the shared libraries are used.
set(in_shared_object $<OR:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>)
target_link_libraries(assay_mpfr INTERFACE $<IF:${in_shared_object},${MPFR_SHARED_LIBRARY},${MPFR_LIBRARY}>
                                           $<IF:${in_shared_object},${GMP_SHARED_LIBRARY},${GMP_LIBRARY}>)

add_library(assay_nettle INTERFACE)
target_include_directories(assay_nettle SYSTEM INTERFACE ${NETTLE_INCLUDE_DIR})
target_link_libraries(assay_nettle INTERFACE ${NETTLE_LIBRARY})

add_library(assay_png INTERFACE)
target_include_directories(assay_png SYSTEM INTERFACE ${PNG_INCLUDE_DIR})
target_link_libraries(assay_png INTERFACE $<IF:${in_shared_object},${PNG_SHARED_LIBRARY},${PNG_LIBRARY}>
                                          $<IF:${in_shared_object},${ZLIB_SHARED_LIBRARY},${ZLIB_LIBRARY}>)

add_library(assay_libedit INTERFACE)
target_include_directories(assay_libedit SYSTEM INTERFACE ${LIBEDIT_INCLUDE_DIR})
target_link_libraries(
  assay_libedit INTERFACE ${LIBEDIT_LIBRARY} ${TINFO_LIBRARY} ${LIBBSD_LIBRARY} ${LIBMD_LIBRARY})

add_library(assay_spirv_tools INTERFACE)
target_include_directories(assay_spirv_tools SYSTEM INTERFACE ${SPIRV_TOOLS_INCLUDE_DIR})
target_link_libraries(
  assay_spirv_tools INTERFACE ${SPIRV_TOOLS_LINK_LIBRARY} ${SPIRV_TOOLS_OPT_LIBRARY}
                              ${SPIRV_TOOLS_LIBRARY})

# Debian has fmt as a shared library, which a bare machine lacks, and as headers only, with which
# every file that formats a string takes about three seconds more to compile.  So what is in the
# shared library is compiled here, once; another major version than Debian's is used as headers.
if(fmt_VERSION VERSION_GREATER_EQUAL 9.1 AND fmt_VERSION VERSION_LESS 10)
  add_library(assay_fmt STATIC cmake/fmt_implementation.cc)
  target_link_libraries(assay_fmt PRIVATE assay_options)
  target_include_directories(
    assay_fmt SYSTEM
    INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  add_library(assay_fmt INTERFACE)
  target_link_libraries(assay_fmt INTERFACE fmt::fmt-header-only)
endif()

add_library(assay_opencl_headers INTERFACE)
target_include_directories(assay_opencl_headers SYSTEM INTERFACE ${OPENCL_INCLUDE_DIR})
# Headers since 2025 declare command buffers, which are provisional, only where they are asked for.
target_compile_definitions(assay_opencl_headers INTERFACE CL_TARGET_OPENCL_VERSION=300 CL_ENABLE_BETA_EXTENSIONS)

include(AssayLlvmLibc)
