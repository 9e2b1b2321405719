# The Python module needs pybind11 and the headers of the Python that will import it.
#
# ASSAY_PYTHON_EXECUTABLE is that Python: Debian's, which has Debian's pybind11 and NumPy, unless it is named, or the
# one that `pip install .` runs.  Its answers are asked for, not CMake's FindPython: a machine has several.
if(SKBUILD AND Python_EXECUTABLE)
  set(ASSAY_PYTHON_EXECUTABLE ${Python_EXECUTABLE} CACHE FILEPATH "The Python that the module is for" FORCE)
endif()
if(NOT ASSAY_PYTHON_EXECUTABLE)
  find_program(ASSAY_PYTHON_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(ASSAY_PYTHON_EXECUTABLE python3)
endif()
mark_as_advanced(ASSAY_PYTHON_EXECUTABLE)

# assay_ask_python(<variable> <expression>): what Python prints for it; "" where it fails.
function(assay_ask_python variable expression)
  execute_process(COMMAND ${ASSAY_PYTHON_EXECUTABLE} -c "import sys, sysconfig; print(${expression})"
                  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(answer "")
  endif()
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

set(ASSAY_PYTHON_INCLUDE_DIR "")
if(ASSAY_PYTHON_EXECUTABLE)
  assay_ask_python(ASSAY_PYTHON_INCLUDE_DIR "sysconfig.get_path('include')")
  assay_ask_python(ASSAY_PYTHON_SUFFIX "sysconfig.get_config_var('EXT_SUFFIX')")
  assay_ask_python(pybind11_hint "__import__('pybind11').get_include()")
endif()
find_path(PYBIND11_INCLUDE_DIR pybind11/pybind11.h HINTS ${pybind11_hint})
mark_as_advanced(PYBIND11_INCLUDE_DIR)

set(assay_python_missing "")
if(NOT EXISTS "${ASSAY_PYTHON_INCLUDE_DIR}/Python.h")
  list(APPEND assay_python_missing python3-dev)
endif()
if(NOT PYBIND11_INCLUDE_DIR)
  list(APPEND assay_python_missing python3-pybind11)
endif()
if(assay_python_missing)
  list(JOIN assay_python_missing " " assay_python_missing)
  message(FATAL_ERROR "The Python module needs what is missing for ${ASSAY_PYTHON_EXECUTABLE}: ${assay_python_missing}\n"
                      "Install them (Debian's names), name another Python with -DASSAY_PYTHON_EXECUTABLE=PATH, or "
                      "build without the module: -DASSAY_PYTHON=OFF.")
endif()
