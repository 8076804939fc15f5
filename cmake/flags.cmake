# SPDX-License-Identifier: Apache-2.0
# One interface target carries the flags of every object of the project.
add_library(dusk_flags INTERFACE)
target_compile_options(dusk_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla
  -ffp-contract=off -fvisibility=hidden -fno-math-errno
  $<$<BOOL:${DUSK_WERROR}>:-Werror>)
target_compile_definitions(dusk_flags INTERFACE _DEFAULT_SOURCE)
# Test programs are many and small: where there is a linker that is quick it links them.
add_library(dusk_quick_link INTERFACE)
find_program(DUSK_LLD ld.lld)
if(DUSK_LLD)
  target_link_options(dusk_quick_link INTERFACE -fuse-ld=lld)
endif()
if(DUSK_SANITIZE)
  target_compile_options(dusk_flags INTERFACE -fsanitize=${DUSK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dusk_flags INTERFACE -fsanitize=${DUSK_SANITIZE})
endif()
if(DUSK_SANITIZE STREQUAL "memory")
  # MPFR is not instrumented; what calls it on public parameters is left out.
  target_compile_options(dusk_flags INTERFACE -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/taint/ignore.txt)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-fno-sanitize-memory-param-retval DUSK_HAS_PARAM_RETVAL)
  if(DUSK_HAS_PARAM_RETVAL)
    target_compile_options(dusk_flags INTERFACE -fno-sanitize-memory-param-retval)
  endif()
endif()
if(DUSK_FUZZ)
  target_compile_options(dusk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(DUSK_COVERAGE)
  target_compile_options(dusk_flags INTERFACE --coverage)
  target_link_options(dusk_flags INTERFACE --coverage)
endif()
