# SPDX-License-Identifier: Apache-2.0
# The program: a customer of the public headers, linked against the library.
file(GLOB DUSK_PROGRAM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.c)
if(DUSK_PROGRAM_SOURCES)
  add_executable(dusk ${DUSK_PROGRAM_SOURCES})
  target_include_directories(dusk PRIVATE src include)
  # A sanitizer looks at one library, and that of the tests has everything in it.
  if(DUSK_SANITIZE AND DUSK_TESTS)
    target_link_libraries(dusk PRIVATE dusk_testing dusk_quick_link)
  else()
    target_link_libraries(dusk PRIVATE dusk_flags dusk_static ${DUSK_LIBRARIES})
  endif()
endif()
