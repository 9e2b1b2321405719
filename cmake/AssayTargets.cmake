# One function a kind of target; the folders' CMakeLists.txt are a few lines each.

# assay_sources(<variable> <suffix> [folder...] [RECURSE]): the folders' *<suffix>.cc, with RECURSE also
# those of the folders in them; an empty suffix means the library's own sources.  No folder: this one.
function(assay_sources variable suffix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RECURSE" "" "")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  if(NOT arg_UNPARSED_ARGUMENTS)
    set(arg_UNPARSED_ARGUMENTS .)
  endif()
  set(patterns)
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(APPEND folder "*${suffix}.cc")
    list(APPEND patterns ${folder})
  endforeach()
  file(${glob} sources CONFIGURE_DEPENDS ${patterns})
  if(suffix STREQUAL "")
    list(FILTER sources EXCLUDE REGEX "(_(test|benchmark|fuzz)|/main)\\.cc$")
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# assay_compile_together(<target> [APART file...]): with ASSAY_UNITY compiles the files of a folder in one piece, up to
# eight of them.  A file alone spends most of its time on headers and on instances of templates; files that are
# compiled together read and make them once.  Nothing may depend on it: the presets debug and tidy compile each file by
# itself.  APART: files whose names in their unnamed namespaces are also those of another.  CMake itself leaves files
# with options of their own out.
function(assay_compile_together target)
  if(NOT ASSAY_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "APART")
  list(TRANSFORM arg_APART PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC knows a file's own unnamed namespace by the file's being the one that it was given.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${arg_APART})
  set(last_folder)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last_folder)
      set(count 0)
      set(last_folder ${folder})
    endif()
    math(EXPR piece "${count} / 8")
    math(EXPR count "${count} + 1")
    cmake_path(GET folder FILENAME room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${piece})
  endforeach()
endfunction()

# assay_library(<name> [folder...] [RECURSE] [PRECOMPILED set] [APART file...]): a static library, or an interface while
# there is no source yet.  Sets <name>_SCOPE to the keyword with which more libraries are linked to it.
# PRECOMPILED: another set of precompiled headers than `libraries` (AssayPrecompile.cmake).
# APART: see assay_compile_together.
function(assay_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "APART")
  assay_sources(sources "" ${arg_UNPARSED_ARGUMENTS})
  if(sources)
    add_library(${name} STATIC ${sources})
    if(NOT arg_PRECOMPILED)
      set(arg_PRECOMPILED libraries)
    endif()
    assay_precompile(${name} ${arg_PRECOMPILED})
    assay_compile_together(${name} APART ${arg_APART})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${name} ${scope} assay_options)
  # What a fuzzer steers by.  Numbers are computed without looking at untrusted bytes.
  if(ASSAY_FUZZ AND sources AND NOT name STREQUAL "assay_numerics")
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set(${name}_SCOPE ${scope} PARENT_SCOPE)
endfunction()

# assay_link_first(<target> <library>...): where the target's objects have the same template or inline function as one
# of these libraries, or of those that they need, the library's is taken.  That of a test that is not optimized makes the
# library slow: reports are read six times slower.
function(assay_link_first target)
  set(left ${ARGN})
  set(seen "")
  while(left)
    list(POP_FRONT left library)
    string(REGEX REPLACE "^.<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library IN_LIST seen OR NOT library MATCHES "^assay_" OR NOT TARGET ${library})
      continue()
    endif()
    list(APPEND seen ${library})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_options(${target} PRIVATE LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive)
    endif()
    get_target_property(more ${library} INTERFACE_LINK_LIBRARIES)
    if(more)
      list(APPEND left ${more})
    endif()
  endwhile()
endfunction()

# assay_tests(<name> [OPTIMIZED] [RECURSE] [FOLDER folder...] LIBRARIES library... [APART file...]): one executable of
# all *_test.cc, each test known to ctest by its own name, labelled with the executable's.
function(assay_tests name)
  if(NOT ASSAY_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED;RECURSE" "" "FOLDER;LIBRARIES;APART")
  set(recurse)
  if(arg_RECURSE)
    set(recurse RECURSE)
  endif()
  assay_sources(sources "_test" ${arg_FOLDER} ${recurse})
  if(NOT sources)
    return()
  endif()
  if(NOT TARGET assay_test_main)
    add_library(assay_test_main OBJECT ${PROJECT_SOURCE_DIR}/cmake/test_main.cc)
    target_link_libraries(assay_test_main PRIVATE assay_options GTest::gmock GTest::gtest)
  endif()
  add_executable(${name} ${sources} $<TARGET_OBJECTS:assay_test_main>)
  set_target_properties(${name} PROPERTIES ASSAY_STAYS_HERE ON)  # AssayOlderGlibc.cmake
  target_link_libraries(
    ${name} PRIVATE ${arg_LIBRARIES} assay_options nlohmann_json::nlohmann_json GTest::gmock GTest::gtest)
  target_compile_definitions(
    ${name}
    PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
            ASSAY_BINARY="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/assay"
            ASSAY_LLVM_LIBC_MATH="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libllvmlibc-math.so")
  if(arg_OPTIMIZED AND assay_test_options)
    assay_precompile(${name} optimized_tests)
  else()
    target_compile_options(${name} PRIVATE ${assay_test_options})
    assay_precompile(${name} tests)
    assay_link_first(${name} ${arg_LIBRARIES})
  endif()
  assay_compile_together(${name} APART ${arg_APART})
  # A test may ask the shared library or run the program.
  add_dependencies(${name} assay_llvmlibc)
  # An instrumented program starts in a third of a second, thousands of times: so eight parts of each.
  if(ASSAY_SANITIZE)
    foreach(part RANGE 7)
      add_test(NAME asan.${name}.${part} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(
        asan.${name}.${part} PROPERTIES LABELS ${name} TIMEOUT 1800
                                        ENVIRONMENT "GTEST_TOTAL_SHARDS=8;GTEST_SHARD_INDEX=${part}")
    endforeach()
    return()
  endif()
  # NO_PRETTY_VALUES: a parameter without a printer would give the test another name at each run.
  gtest_discover_tests(
    ${name}
    NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS ${name} TIMEOUT 600)
endfunction()

# assay_benchmarks(<name> [RECURSE] [FOLDER folder...] LIBRARIES library...): one executable of all
# *_benchmark.cc.
function(assay_benchmarks name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE" "" "FOLDER;LIBRARIES")
  set(recurse)
  if(arg_RECURSE)
    set(recurse RECURSE)
  endif()
  assay_sources(sources "_benchmark" ${arg_FOLDER} ${recurse})
  if(ASSAY_BENCHMARKS AND sources)
    add_executable(${name} ${sources})
    set_target_properties(${name} PROPERTIES ASSAY_STAYS_HERE ON)
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} assay_options benchmark::benchmark_main)
    assay_precompile(${name} libraries)
  endif()
endfunction()

# assay_fuzz_targets([RECURSE] [FOLDER folder...] LIBRARIES library...): one executable for each *_fuzz.cc,
# in bin/fuzz/.
function(assay_fuzz_targets)
  cmake_parse_arguments(PARSE_ARGV 0 arg "RECURSE" "" "FOLDER;LIBRARIES")
  set(recurse)
  if(arg_RECURSE)
    set(recurse RECURSE)
  endif()
  assay_sources(sources "_fuzz" ${arg_FOLDER} ${recurse})
  if(NOT ASSAY_FUZZ)
    return()
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} assay_options)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(
      ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/fuzz)
  endforeach()
endfunction()

# ASSAY_VECTOR_SETS: the sets of vector instructions for which hot loops are compiled.
#   all     each set as fast as it can be: packages
#   tested  each set, but only the best one of this machine is fast: ./dev build and ./dev test
#   host    the best set of this machine: ./assay, and what the sanitizers look at.  On a processor without that set the
#           programs say so.
set(ASSAY_VECTOR_SETS all CACHE STRING "all, tested (only this machine's best set is fast) or host (it alone)")
set_property(CACHE ASSAY_VECTOR_SETS PROPERTY STRINGS all tested host)
if(NOT ASSAY_VECTOR_SETS MATCHES "^(all|tested|host)$")
  message(FATAL_ERROR "ASSAY_VECTOR_SETS is '${ASSAY_VECTOR_SETS}'; it is all, tested or host")
endif()
set(assay_host_set sse2)
set(assay_vector_sets sse2)
# Elsewhere than on x86-64 the instructions of SSE2 are made of that processor's (base/vector_instructions.h).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  # As numerics/vector_set.cc asks the processor.
  file(STRINGS /proc/cpuinfo processor REGEX "^flags" LIMIT_COUNT 1)
  if(processor MATCHES " avx2 " AND processor MATCHES " fma " AND processor MATCHES " f16c " AND processor MATCHES " bmi2 ")
    set(assay_host_set avx2)
    if(processor MATCHES " avx512f " AND processor MATCHES " avx512bw " AND processor MATCHES " avx512dq "
       AND processor MATCHES " avx512vl " AND processor MATCHES " avx512cd ")
      set(assay_host_set avx512)
    endif()
  endif()
  if(ASSAY_VECTOR_SETS STREQUAL "host")
    set(assay_vector_sets ${assay_host_set})
  else()
    set(assay_vector_sets sse2 avx2 avx512)
  endif()
endif()
set(compiled_sets)
foreach(set sse2 avx2 avx512)
  if(set IN_LIST assay_vector_sets)
    list(APPEND compiled_sets true)
  else()
    list(APPEND compiled_sets false)
  endif()
endforeach()
list(JOIN compiled_sets ", " compiled_sets)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/vector_sets.h @ONLY CONTENT
"// Which sets of vector instructions this build has, in the order of numerics::VectorSet.
#pragma once
namespace assay {
inline constexpr bool kCompiledVectorSets[] = {${compiled_sets}};
}  // namespace assay
")

# GCC 12's intrinsics for AVX-512 begin with a vector without a value on purpose (_mm512_undefined_epi32): without -O2 it
# warns of them.
set(assay_no_uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)

# assay_vector_sets(<target> <file without .inc>... FLAGS flag...): compiles each file once for each set of vector
# instructions, which ASSAY_VECTOR_SET_NAMESPACE names; which one runs is chosen at start (numerics/for_vector_sets.h).
function(assay_vector_sets target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAGS")
  set(sse2_flags)
  set(avx2_flags -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(avx512_flags ${avx2_flags} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
                   -mprefer-vector-width=512)
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    foreach(set IN LISTS assay_vector_sets)
      set(source ${PROJECT_BINARY_DIR}/generated/${path}_${set}.cc)
      file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#define ASSAY_VECTOR_SET_NAMESPACE ${set}
#define ASSAY_VECTOR_SET_TEXT \"${set}\"
#include \"${path}.inc\"
")
      target_sources(${target} PRIVATE ${source})
      set(options ${arg_FLAGS} ${${set}_flags})
      if(ASSAY_VECTOR_SETS STREQUAL "tested" AND NOT set STREQUAL assay_host_set)
        list(APPEND options -O1 ${assay_no_uninitialized})
      endif()
      set_source_files_properties(
        ${source} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
    endforeach()
  endforeach()
endfunction()
