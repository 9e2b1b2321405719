# Programs for systems with an older glibc than this one: ASSAY_GLIBC_ROOT is a folder with the files of
# Debian's libc6 and libc6-dev (`./dev package` has one made).  They are only linked with: sources see the headers of
# this system.  cmake/older_glibc.c has what assay and GCC's own libraries take from the newer glibc.
set(ASSAY_GLIBC_ROOT "" CACHE PATH "Folder of an older glibc that the programs are linked with")
mark_as_advanced(ASSAY_GLIBC_ROOT)

if(ASSAY_GLIBC_ROOT)
  set(libraries ${ASSAY_GLIBC_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  if(NOT EXISTS ${libraries}/crt1.o)
    message(FATAL_ERROR "ASSAY_GLIBC_ROOT: there is no ${libraries}/crt1.o; "
                        "unpack libc6 and libc6-dev into that folder")
  endif()
  add_library(assay_older_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/older_glibc.c)
  # Tests and benchmarks have ASSAY_STAYS_HERE: they take more of this system, and its shared libraries.
  set(leaves $<NOT:$<BOOL:$<TARGET_PROPERTY:ASSAY_STAYS_HERE>>>)
  target_link_libraries(assay_options INTERFACE $<${leaves}:$<TARGET_OBJECTS:assay_older_glibc>>)
  # Its threads and dlopen are libraries of their own.
  set(options --sysroot=${ASSAY_GLIBC_ROOT} -B${libraries}/ -L${libraries}
              -L${ASSAY_GLIBC_ROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
              LINKER:--push-state,--no-as-needed -lpthread -ldl LINKER:--pop-state)
  target_link_options(assay_options INTERFACE "$<${leaves}:${options}>")
endif()
