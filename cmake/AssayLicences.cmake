# Licences of the libraries that are parts of the programs, as their Debian packages have them, and the texts that
# those name.  Where the libraries are no packages of Debian's, nothing is installed: such
# a build is for its own machine.
#
# assay_install_licences(DESTINATION FOLDER [COMPONENT NAME]): FOLDER/libgmp-dev, FOLDER/LGPL-3.
list(APPEND assay_parts pybind11-dev)  # of the Python module (AssayPython.cmake)
list(REMOVE_DUPLICATES assay_parts)
set(assay_licences "")
foreach(part IN LISTS assay_parts)
  set(file /usr/share/doc/${part}/copyright)
  if(NOT EXISTS ${file})
    continue()
  endif()
  list(APPEND assay_licences ${part}=${file})
  file(READ ${file} text)
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" common "${text}")
  foreach(file IN LISTS common)
    get_filename_component(name ${file} NAME)
    if(EXISTS ${file} AND NOT "${name}=${file}" IN_LIST assay_licences)
      list(APPEND assay_licences ${name}=${file})
    endif()
  endforeach()
endforeach()

function(assay_install_licences)
  foreach(licence IN LISTS assay_licences)
    string(REGEX MATCH "^([^=]+)=(.+)$" all ${licence})
    set(name ${CMAKE_MATCH_1})
    file(REAL_PATH ${CMAKE_MATCH_2} file)
    install(FILES ${file} RENAME ${name} ${ARGN})
  endforeach()
endfunction()
