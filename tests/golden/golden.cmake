# SPDX-License-Identifier: Apache-2.0
# Golden cases: tests/golden/COMMAND/X.sh is the test golden.COMMAND.X.
if(TARGET dusk)
  file(GLOB golden_cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*/*.sh)
  foreach(case ${golden_cases})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_LIST_DIR} ${case})
    string(REGEX REPLACE "\\.sh$" "" name ${name})
    string(REPLACE "/" "." name ${name})
    add_test(NAME golden.${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh ${case})
    set_tests_properties(golden.${name} PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77
      ENVIRONMENT DUSK=$<TARGET_FILE:dusk>)
  endforeach()
endif()
