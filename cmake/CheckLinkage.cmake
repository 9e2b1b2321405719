# cmake -DNM= -DREADELF= -DPROGRAM= -DSTATIC_RUNTIME= -P CheckLinkage.cmake
#
# The program must neither define C library functions (AssayLlvmLibc.cmake says how it could) nor
# export anything to the drivers that it loads, nor need a library that a bare machine lacks.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} --dynamic --defined-only ${PROGRAM}
                OUTPUT_VARIABLE exported COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TWViuBD] [^\n]+" exported "${exported}")
# Data of glibc that the program holds a copy of (copy relocations of stdout and the like).
list(FILTER exported EXCLUDE REGEX " [VBDW] [A-Za-z_]+@+GLIBC_")
if(exported)
  message(SEND_ERROR "${PROGRAM} exports symbols to the libraries that it loads: ${exported}")
endif()

# What libstdc++ calls in every program, and what LLVM libc has too: imported, so not shadowed.
execute_process(COMMAND ${NM} --dynamic --undefined-only ${PROGRAM}
                OUTPUT_VARIABLE imported COMMAND_ERROR_IS_FATAL ANY)
foreach(name memcpy memmove memset strlen strtod)
  if(NOT imported MATCHES " U ${name}@")
    message(SEND_ERROR "${PROGRAM} does not take ${name} from glibc")
  endif()
endforeach()

if(STATIC_RUNTIME)
  execute_process(COMMAND ${READELF} --dynamic ${PROGRAM} OUTPUT_VARIABLE dynamic
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Shared library: \\[[^]]+\\]" needed "${dynamic}")
  list(FILTER needed EXCLUDE REGEX "\\[(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\\.so\\.")
  if(needed)
    message(SEND_ERROR "${PROGRAM} needs more than glibc: ${needed}")
  endif()
endif()
