# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MIXATTN_STATIC: tools that hold all of LLVM, MLIR, lld and libstdc++ that they
# use, and ask the system for the C library alone.

# All of MLIR's dialects and passes are registered; of LLVM there are the two
# targets that code is made for.
set(MIXATTN_MLIR_LIBS MLIRRegisterAllDialects MLIRRegisterAllExtensions MLIRRegisterAllPasses
    MLIROptLib MLIRToLLVMIRTranslationRegistration MLIRTargetLLVMIRExport MLIRParser MixattnLlvm)
add_library(MixattnLlvm INTERFACE IMPORTED)
llvm_map_components_to_libnames(components
  AsmParser BitReader BitWriter DTLTO FrontendOpenMP IRReader Instrumentation Linker LTO NVPTX
  Object Option Passes Support X86)
# All targets are asked to initialise themselves.
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target MATCHES "^(NVPTX|X86)$")
    foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND functions "void LLVMInitialize${target}${part}();\n"
                              "void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/Absent.cpp.in ${PROJECT_BINARY_DIR}/Absent.cpp @ONLY)
add_library(MixattnAbsent STATIC ${PROJECT_BINARY_DIR}/Absent.cpp)
llvm_update_compile_flags(MixattnAbsent)
target_link_libraries(MixattnLlvm INTERFACE ${components} MixattnAbsent)

# The packages of MLIR and lld name the shared LLVM, and LLVM's shared libraries
# of others: zstd; Z3 and Polly, which nothing here calls.
find_package(LLD 22.1 REQUIRED CONFIG HINTS "${LLVM_LIBRARY_DIR}/cmake/lld")
find_library(MIXATTN_ZSTD libzstd.a REQUIRED)
get_property(libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(library IN LISTS libraries ITEMS lldCommon lldELF LLVMSupport LLVMExtensions)
  if(TARGET ${library} AND NOT library STREQUAL MLIR)
    get_property(needed TARGET ${library} PROPERTY INTERFACE_LINK_LIBRARIES)
    list(TRANSFORM needed REPLACE "^(\\$<LINK_ONLY:)?LLVM>?$" MixattnLlvm)
    list(TRANSFORM needed REPLACE "^zstd::.*" "${MIXATTN_ZSTD}")
    list(FILTER needed EXCLUDE REGEX "libz3|Polly")
    set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")
  endif()
endforeach()

# libomp.so.5 lies next to the tools. A run path of the old kind is that of what
# they load, too.
set(CMAKE_INSTALL_RPATH "\$ORIGIN")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections,--as-needed
                 -Wl,--disable-new-dtags -s)
# A link takes some GiB: one at a time.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS link=1)
set(CMAKE_JOB_POOL_LINK link)
