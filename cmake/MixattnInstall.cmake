# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cmake --install` gives the tools, the C header of the ABI, the libraries with
# their headers, and the package that find_package(mixattn) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The same <mixattn/abi.h> in the build folder, for examples and tests.
configure_file(${PROJECT_SOURCE_DIR}/lib/Runtime/abi.h
               ${PROJECT_BINARY_DIR}/include/mixattn/abi.h COPYONLY)
install(FILES ${PROJECT_SOURCE_DIR}/lib/Runtime/abi.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mixattn)

foreach(tool IN ITEMS mixattn-compile mixattn-lsp-server mixattn-opt mixattn-run)
  if(TARGET ${tool})
    # libMLIR and libLLVM may lie outside the system's library folders.
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Headers include each other from the root of the repository
# ("dialect/attn/AttnOps.h"); below include/mixattn the same paths hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/dialect ${PROJECT_BINARY_DIR}/dialect
                  ${PROJECT_SOURCE_DIR}/passes ${PROJECT_BINARY_DIR}/passes
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mixattn
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc"
        PATTERN "CMakeFiles" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/Runtime
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mixattn/lib
        FILES_MATCHING PATTERN "*.h")

# The libraries, for dialects, passes and algorithms from outside.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mixattn)
if(TARGET MixattnPasses)
  get_property(rooms GLOBAL PROPERTY MIXATTN_ROOMS)
  foreach(library IN ITEMS MixattnDialect MixattnRuntime MixattnTile ${rooms})
    target_include_directories(${library} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mixattn>)
    install(TARGETS ${library} EXPORT mixattn-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
  install(EXPORT mixattn-targets NAMESPACE mixattn:: DESTINATION ${package_dir})
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/mixattn-config.cmake.in
  ${PROJECT_BINARY_DIR}/mixattn-config.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/mixattn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mixattn-config.cmake
              ${PROJECT_BINARY_DIR}/mixattn-config-version.cmake
        DESTINATION ${package_dir})
