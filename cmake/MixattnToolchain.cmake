# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM, MLIR, warnings, sanitizers and the helpers that state what a folder is.

find_package(Threads REQUIRED)
# Asked for by LLVM's package first.
set(ZLIB_USE_STATIC_LIBS ${MIXATTN_STATIC})
# "22.1" and not "22": MLIR's version file accepts the exact minor only.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}" "${PROJECT_SOURCE_DIR}/cmake")
# Without it add_mlir_doc writes into the root of the file system.
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
find_program(LLVM_EXTERNAL_LIT NAMES lit llvm-lit HINTS "${LLVM_TOOLS_BINARY_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Without the two, ccache keeps nothing that reads a precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
  # A precompiled header that says when it was made is new to ccache each time.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

# Generated and overridden functions leave parameters unused, as in LLVM.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(MIXATTN_WERROR)
  add_compile_options(-Werror)
endif()
if(MIXATTN_ASSERTIONS)
  foreach(type IN ITEMS RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${type} "${CMAKE_CXX_FLAGS_${type}}")
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
  endforeach()
endif()
if(MIXATTN_SANITIZE)
  # vptr needs type information that Debian's libMLIR does not export.
  add_compile_options(-fsanitize=${MIXATTN_SANITIZE} -fno-sanitize=vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MIXATTN_SANITIZE})
endif()
if(MIXATTN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Libraries that code over MLIR links: the shared `MLIR` and `LLVM` only, for naming single
# components would pull static copies in addition to the shared ones.
set(MIXATTN_MLIR_LIBS MLIR LLVM)
if(MIXATTN_STATIC)
  include(MixattnStatic)
endif()

# mixattn_mlir_library(NAME sources... [LINK_LIBS libs...] [DEPENDS targets...])
# A static library over MLIR.
function(mixattn_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} ${MIXATTN_MLIR_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# mixattn_plain_library(NAME sources... [LINK_LIBS libs...])
# A static library without MLIR or LLVM: what remains when the compiler is gone.
function(mixattn_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

configure_file(${PROJECT_SOURCE_DIR}/cmake/Version.h.in ${PROJECT_BINARY_DIR}/mixattn/Version.h @ONLY)
