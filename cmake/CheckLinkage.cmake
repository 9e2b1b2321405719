# cmake -DNM= -DREADELF= -DPROGRAM= -DSTATIC_RUNTIME= -P CheckLinkage.cmake
#
# The program must neither define C library functions (AssayLlvmLibc.cmake says how it could) nor
# export anything to the drivers that it loads, nor need a library that a bare machine lacks.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} --dynamic --defined-only ${PROGRAM}
                OUTPUT_VARIABLE exported COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TWViuBD] [^\n]+" exported "${exported}")
# Data that every program shares with glibc by copy relocation.
list(FILTER exported EXCLUDE REGEX " [VBDW] (stdout|stderr|stdin|environ|__environ|_environ)(@|$)")
if(exported)
  message(SEND_ERROR "${PROGRAM} exports symbols to the libraries that it loads: ${exported}")
endif()

execute_process(COMMAND ${NM} --defined-only ${PROGRAM} OUTPUT_VARIABLE defined
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] (printf|snprintf|strtod|memcpy|memset|malloc|open|sin|sinf|exp|expf)\n"
       shadowing "${defined}")
if(shadowing)
  message(SEND_ERROR "${PROGRAM} defines functions that belong to glibc: ${shadowing}")
endif()

if(STATIC_RUNTIME)
  execute_process(COMMAND ${READELF} --dynamic ${PROGRAM} OUTPUT_VARIABLE dynamic
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Shared library: \\[[^]]+\\]" needed "${dynamic}")
  list(FILTER needed EXCLUDE REGEX "\\[(libc|libm|ld-linux-x86-64)\\.so\\.")
  if(needed)
    message(SEND_ERROR "${PROGRAM} needs more than glibc: ${needed}")
  endif()
endif()
