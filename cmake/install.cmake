# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives: both libraries, headers, dusk.pc, the CMake
# package, the program with its man pages and completions. Everything finds
# its neighbours by relative paths, so the prefix may be chosen at install time.
include(CMakePackageConfigHelpers)
set(DUSK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dusk)
set(DUSK_GENERATED ${PROJECT_BINARY_DIR}/generated)

set_target_properties(dusk_shared PROPERTIES EXPORT_NAME dusk)
set_target_properties(dusk_static PROPERTIES EXPORT_NAME static)
if(NOT DUSK_SANITIZE)
  install(TARGETS dusk_shared dusk_static EXPORT duskTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT duskTargets NAMESPACE dusk:: DESTINATION ${DUSK_PACKAGE_DIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dusk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

configure_package_config_file(cmake/duskConfig.cmake.in ${DUSK_GENERATED}/duskConfig.cmake
  INSTALL_DESTINATION ${DUSK_PACKAGE_DIR})
# Before 1.0 a new minor version may break what was there.
write_basic_package_version_file(${DUSK_GENERATED}/duskConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${DUSK_GENERATED}/duskConfig.cmake ${DUSK_GENERATED}/duskConfigVersion.cmake
  DESTINATION ${DUSK_PACKAGE_DIR})

file(RELATIVE_PATH DUSK_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" DUSK_PC_PREFIX ${DUSK_PC_PREFIX})
configure_file(cmake/dusk.pc.in ${DUSK_GENERATED}/dusk.pc @ONLY)
install(FILES ${DUSK_GENERATED}/dusk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The program writes its own manual and completions, from its option tables.
if(TARGET dusk)
  install(TARGETS dusk RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET dusk AND NOT CMAKE_CROSSCOMPILING AND NOT DUSK_SANITIZE)
  set(man ${DUSK_GENERATED}/man)
  add_custom_command(OUTPUT ${DUSK_GENERATED}/man.stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${man}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${man}
    COMMAND dusk --generate man ${man}
    COMMAND ${CMAKE_COMMAND} -E touch ${DUSK_GENERATED}/man.stamp
    DEPENDS dusk COMMENT "Writing the man pages" VERBATIM)
  set(outputs ${DUSK_GENERATED}/man.stamp)
  foreach(shell bash zsh fish)
    add_custom_command(OUTPUT ${DUSK_GENERATED}/completion.${shell}
      COMMAND dusk --generate ${shell} > ${DUSK_GENERATED}/completion.${shell}
      DEPENDS dusk COMMENT "Writing the ${shell} completion" VERBATIM)
    list(APPEND outputs ${DUSK_GENERATED}/completion.${shell})
  endforeach()
  add_custom_target(dusk_manual ALL DEPENDS ${outputs})
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${DUSK_GENERATED}/completion.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dusk)
  install(FILES ${DUSK_GENERATED}/completion.zsh
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _dusk)
  install(FILES ${DUSK_GENERATED}/completion.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME dusk.fish)
endif()
