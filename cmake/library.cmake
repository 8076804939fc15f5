# SPDX-License-Identifier: Apache-2.0
# The library, twice: as shipped (dusk_shared, dusk_static) and once more with
# -DDUSK_TESTING (dusk_testing: coin tapes, planted bugs, failing allocations).
set(DUSK_LIBRARY_ROOMS base numeric random tensor accounting mechanisms ledger table query learn deep local attack audit)
if(DUSK_WITHOUT_ROOMS)
  list(REMOVE_ITEM DUSK_LIBRARY_ROOMS ${DUSK_WITHOUT_ROOMS})
endif()
set(DUSK_SOURCES "")
foreach(room ${DUSK_LIBRARY_ROOMS})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
  list(APPEND DUSK_SOURCES ${sources})
endforeach()
# Compiled apart: the kernels once per instruction set, the table maker for the build machine.
list(FILTER DUSK_SOURCES EXCLUDE REGEX "random/(quantile_kernel|make_quantile_table)\\.c$")

set(DUSK_LIBRARIES PkgConfig::SODIUM PkgConfig::CRYPTO PkgConfig::MPFR PkgConfig::GMP PkgConfig::SQLITE
  PkgConfig::JANSSON PkgConfig::PQ PkgConfig::LAPACKE PkgConfig::BLAS PkgConfig::ZLIB PkgConfig::PNG ${DUSK_PG_QUERY} m pthread ${CMAKE_DL_LIBS})

# Quantile tables are computed, with their error bounds, at build time.
add_executable(make_quantile_table src/random/make_quantile_table.c)
target_include_directories(make_quantile_table PRIVATE src include)
target_link_libraries(make_quantile_table PRIVATE PkgConfig::MPFR PkgConfig::GMP m)
target_compile_options(make_quantile_table PRIVATE -O2 -ffp-contract=off)
set(DUSK_TABLE ${PROJECT_BINARY_DIR}/generated/quantile_table.c)
add_custom_command(OUTPUT ${DUSK_TABLE}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
  COMMAND make_quantile_table ${DUSK_TABLE}
  DEPENDS make_quantile_table VERBATIM)
list(APPEND DUSK_SOURCES ${DUSK_TABLE})

set(DUSK_KERNELS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND DUSK_KERNELS v3 v4)
endif()

# dusk_objects(name definitions): every object of the library in one object library.
function(dusk_objects name)
  add_library(${name} OBJECT ${DUSK_SOURCES})
  target_compile_definitions(${name} PRIVATE ${ARGN})
  set(objects $<TARGET_OBJECTS:${name}>)
  foreach(kernel ${DUSK_KERNELS})
    add_library(${name}_kernel_${kernel} OBJECT src/random/quantile_kernel.c)
    target_compile_definitions(${name}_kernel_${kernel} PRIVATE DUSK_KERNEL=${kernel} ${ARGN})
    target_compile_options(${name}_kernel_${kernel} PRIVATE -O3 -Wno-psabi)
    if(kernel STREQUAL v3)
      target_compile_options(${name}_kernel_${kernel} PRIVATE -march=x86-64-v3)
    elseif(kernel STREQUAL v4)
      target_compile_options(${name}_kernel_${kernel} PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${name}_kernel_${kernel}>)
  endforeach()
  foreach(target ${name} ${name}_kernel_baseline ${name}_kernel_v3 ${name}_kernel_v4)
    if(TARGET ${target})
      target_include_directories(${target} PRIVATE src include)
      target_link_libraries(${target} PRIVATE dusk_flags ${DUSK_LIBRARIES})
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
  endforeach()
  set(${name}_all ${objects} PARENT_SCOPE)
endfunction()

dusk_objects(dusk_release_objects)
add_library(dusk_shared SHARED ${dusk_release_objects_all})
add_library(dusk_static STATIC ${dusk_release_objects_all})
foreach(target dusk_shared dusk_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME dusk LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endforeach()
target_link_libraries(dusk_shared PRIVATE dusk_flags ${DUSK_LIBRARIES})
target_link_options(dusk_shared PRIVATE -Wl,--no-undefined)
# Sanitizer run-times are not linked into shared objects.
if(DUSK_SANITIZE)
  set_target_properties(dusk_shared PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

if(DUSK_TESTS)
  dusk_objects(dusk_testing_objects DUSK_TESTING)
  add_library(dusk_testing STATIC ${dusk_testing_objects_all})
  set_target_properties(dusk_testing PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(dusk_testing INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(dusk_testing INTERFACE DUSK_TESTING)
  target_link_libraries(dusk_testing INTERFACE dusk_flags ${DUSK_LIBRARIES})
endif()
