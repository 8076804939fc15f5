# SPDX-License-Identifier: Apache-2.0
# What the library stands on. Each missing piece is named with the package
# that has it; tools/setup installs them all.
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "pkg-config is missing: run tools/setup, or install the package pkg-config")
endif()

function(dusk_require target module package)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} is missing: run tools/setup, or install the package ${package}")
  endif()
endfunction()

dusk_require(SODIUM libsodium libsodium-dev)   # hashes, ChaCha20
dusk_require(CRYPTO libcrypto libssl-dev)      # AES-CTR
dusk_require(GMP gmp libgmp-dev)
dusk_require(MPFR mpfr libmpfr-dev)            # the slow path of certified reals
dusk_require(SQLITE sqlite3 libsqlite3-dev)    # the ledger; the engine that is always there
dusk_require(JANSSON jansson libjansson-dev)   # JSON
dusk_require(PQ libpq libpq-dev)               # PostgreSQL
dusk_require(BLAS openblas libopenblas-serial-dev)  # linear algebra
dusk_require(LAPACKE lapacke liblapacke-dev)
dusk_require(ZLIB zlib zlib1g-dev)             # IDX files as they are distributed
dusk_require(PNG libpng libpng-dev)            # folders of pictures
# PostgreSQL's own grammar; no .pc file
find_library(DUSK_PG_QUERY NAMES pg_query)
find_path(DUSK_PG_QUERY_INCLUDE pg_query.h)
if(NOT DUSK_PG_QUERY OR NOT DUSK_PG_QUERY_INCLUDE)
  message(FATAL_ERROR "libpg_query is missing: run tools/setup, or install the package libpg-query-dev")
endif()
if(DUSK_TESTS)
  dusk_require(CMOCKA cmocka libcmocka-dev)
  # ball arithmetic, the oracle of the enclosure tests; no .pc file in every release
  find_library(DUSK_ARB NAMES flint-arb arb)
  find_library(DUSK_FLINT NAMES flint)
  find_path(DUSK_ARB_INCLUDE arb.h PATH_SUFFIXES flint)
  if(NOT DUSK_FLINT OR NOT DUSK_ARB_INCLUDE)
    message(FATAL_ERROR "Arb is missing: run tools/setup, or install the package libflint-arb-dev")
  endif()
  add_library(dusk_arb INTERFACE)
  target_link_libraries(dusk_arb INTERFACE ${DUSK_FLINT})
  if(DUSK_ARB)
    target_link_libraries(dusk_arb INTERFACE ${DUSK_ARB} ${DUSK_FLINT})
  endif()
  target_include_directories(dusk_arb SYSTEM INTERFACE ${DUSK_ARB_INCLUDE})
endif()
