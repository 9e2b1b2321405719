# generated/assay_version.h: ASSAY_VERSION ("0.1.0") and ASSAY_REVISION (the commit that was built,
# with "-modified" where the sources differ from it; empty outside a git checkout).
#
# It is written again when a source or the commit changes, and at no other time, so that a build
# with nothing to do does nothing.
find_package(Git QUIET)
file(GLOB_RECURSE versioned CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/numerics/* ${PROJECT_SOURCE_DIR}/oracle/* ${PROJECT_SOURCE_DIR}/tools/*)
list(FILTER versioned INCLUDE REGEX "\\.(cc|h|def)$")
set(head ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
if(EXISTS ${head})
  list(APPEND versioned ${head})
endif()
set(version_header ${PROJECT_BINARY_DIR}/generated/assay_version.h)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/generated/assay_version.stamp
  BYPRODUCTS ${version_header}
  COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION} -DGIT=${GIT_EXECUTABLE}
          -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${version_header}
          -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/generated/assay_version.stamp
  DEPENDS ${versioned} ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  COMMENT "Noting the version"
  VERBATIM)
add_custom_target(
  assay_version_header DEPENDS ${PROJECT_BINARY_DIR}/generated/assay_version.stamp)
