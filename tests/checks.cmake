# SPDX-License-Identifier: Apache-2.0
# Checks of the tree itself, each with a self-test (check.X.catches) in which
# planted violations must be caught.
set(tools ${PROJECT_SOURCE_DIR}/tools)
find_program(DUSK_PYTHON python3)
function(dusk_check name)
  add_test(NAME check.${name} COMMAND ${ARGN})
  set_tests_properties(check.${name} PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

dusk_check(rooms ${DUSK_PYTHON} ${tools}/check_rooms.py ${PROJECT_SOURCE_DIR})
dusk_check(proofs ${DUSK_PYTHON} ${tools}/proofs.py check ${PROJECT_SOURCE_DIR}/src)
dusk_check(mutants ${DUSK_PYTHON} ${tools}/check_mutants.py ${PROJECT_SOURCE_DIR})
dusk_check(style ${DUSK_PYTHON} ${tools}/check_style.py ${PROJECT_SOURCE_DIR})
dusk_check(headers ${tools}/check_headers.sh ${PROJECT_SOURCE_DIR}/include)
dusk_check(client ${tools}/check_client.sh ${PROJECT_SOURCE_DIR})
dusk_check(device ${tools}/check_device.sh ${PROJECT_SOURCE_DIR})
dusk_check(format ${tools}/check_format.sh ${PROJECT_SOURCE_DIR})
dusk_check(sample ${DUSK_PYTHON} ${tools}/make_sample.py --check ${PROJECT_SOURCE_DIR}/examples)
foreach(name rooms proofs style headers format exports setup client device)
  dusk_check(${name}.catches ${CMAKE_CURRENT_SOURCE_DIR}/checks/${name}.sh)
endforeach()

# What is shipped is looked at in builds that could be shipped.
if(NOT DUSK_SANITIZE AND NOT DUSK_COVERAGE)
  dusk_check(exports ${tools}/check_exports.sh $<TARGET_FILE:dusk_shared>
    ${CMAKE_CURRENT_SOURCE_DIR}/exports.txt ${PROJECT_SOURCE_DIR}/include)
  add_test(NAME install.examples COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install.sh
    ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
  set_tests_properties(install.examples PROPERTIES LABELS slow TIMEOUT 600)
endif()
