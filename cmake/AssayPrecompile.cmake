# Precompiled headers.  More than half of the time of a build went into reading the same headers of the
# standard library, fmt, GoogleTest and JSON again for each file.  A precompiled header belongs to one set of
# compiler options, so there is one for each set; the libraries and tests that share options share it.
#
# Nothing may depend on them: a file includes what it uses, and ./dev tidy compiles without them.
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON turns them off.  JSON stands only where nearly every file includes it,
# because a file pays half a second for the templates that its literal operators instantiate.

set(assay_common_headers
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstdlib> <cstring>
    <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <optional> <random>
    <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
    <tl/expected.hpp> ${CMAKE_CURRENT_LIST_DIR}/fmt_instances.h)

set(assay_empty_source ${PROJECT_BINARY_DIR}/generated/precompiled.cc)
file(CONFIGURE OUTPUT ${assay_empty_source} CONTENT "// What precompiled headers are attached to.\n" @ONLY)

# assay_precompiled(<name> [HEADERS header...] [LIBRARIES library...] [OPTIONS option...]): a set of
# precompiled headers that targets with these options share.
function(assay_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES;OPTIONS")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${assay_empty_source})
  target_link_libraries(${name} PRIVATE assay_options assay_fmt tl::expected ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${assay_common_headers} ${arg_HEADERS})
endfunction()

assay_precompiled(assay_precompiled_libraries)
# Commands read options and write reports, and the compiler spends much on them.  What computes is in the libraries.
set(assay_command_options $<$<CONFIG:Release>:-O1>)
assay_precompiled(
  assay_precompiled_commands HEADERS <nlohmann/json.hpp> LIBRARIES nlohmann_json::nlohmann_json
  OPTIONS ${assay_command_options})
if(ASSAY_TESTS)
  # What a test does itself is little: to optimize it takes longer than to run it as it is.
  set(assay_test_options "")
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(assay_test_options -O0)
  endif()
  set(assay_test_headers HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBRARIES GTest::gmock GTest::gtest)
  assay_precompiled(assay_precompiled_tests ${assay_test_headers} OPTIONS ${assay_test_options})
  assay_precompiled(assay_precompiled_optimized_tests ${assay_test_headers})
endif()

# assay_precompile(<target> <set>): compiles the target with assay_precompiled_<set>.
function(assay_precompile target set)
  target_precompile_headers(${target} REUSE_FROM assay_precompiled_${set})
endfunction()
