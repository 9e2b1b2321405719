# Packages by CPack, after everything that installs something: `./dev package`, or cpack -G TGZ in the build folder.
# The components are packages of Debian's: assay; dev and python where the build has them.
set(ASSAY_PACKAGE_CONTACT "The developers of assay <assay@localhost>" CACHE STRING "Maintainer in Debian packages")
mark_as_advanced(ASSAY_PACKAGE_CONTACT)

set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_CONTACT "${ASSAY_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "bit-accurate SPIR-V interpreter and numerical-conformance oracle for OpenCL")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)

set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

# The tarball has everything in one folder that may lie anywhere.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

get_cmake_property(components COMPONENTS)
set(CPACK_COMPONENTS_ALL "")
foreach(component assay dev python)
  if(component IN_LIST components)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Libraries that the programs are linked to, by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_ASSAY_DESCRIPTION
    "assay executes OpenCL kernels exactly and reports undefined behavior and data races, and says whether a\n\
device's arithmetic is as accurate as the specification demands. With clang and llvm-spirv it compiles OpenCL C.")
set(CPACK_DEBIAN_ASSAY_PACKAGE_NAME assay)
# What compiles OpenCL C, and the sandbox in which it does.
set(CPACK_DEBIAN_ASSAY_PACKAGE_RECOMMENDS "bubblewrap")
# apt takes the first of the alternatives that the system has: of Debian 12, 13, and 14 and later.
foreach(package clang-@ libclang-common-@-dev llvm-spirv-@)
  set(alternatives "")
  foreach(version 15 19 21 22)
    string(REPLACE @ ${version} one ${package})
    list(APPEND alternatives ${one})
  endforeach()
  list(JOIN alternatives " | " alternatives)
  string(APPEND CPACK_DEBIAN_ASSAY_PACKAGE_RECOMMENDS ", ${alternatives}")
endforeach()
# The other compiler; OpenCL devices; places in applications.
set(CPACK_DEBIAN_ASSAY_PACKAGE_SUGGESTS "clang-22, libclang-common-22-dev, ocl-icd-libopencl1, binutils")

set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and libraries of assay, for find_package(assay).")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libassay-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "spirv-tools-dev | spirv-tools, libmpfr-dev, libgmp-dev, nettle-dev, libpng-dev, zlib1g-dev")

set(CPACK_COMPONENT_PYTHON_DESCRIPTION "assay as a module of Python: import assay.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-assay)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
# The module has its own copies of MPFR and the like, of which dpkg-shlibdeps knows nothing.
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
if(python IN_LIST CPACK_COMPONENTS_ALL)
  # It is a module of the Python that it was built with, and takes of glibc what this system has.
  execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[0-9.]+" glibc "${glibc}")
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "libc6 (>= ${glibc}), python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "${CPACK_DEBIAN_ASSAY_PACKAGE_RECOMMENDS}")

include(CPack)
