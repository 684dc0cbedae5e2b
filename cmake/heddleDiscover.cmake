# heddleDiscover.cmake: cmake -DKNOWN=file -DPROGRAM=path -P: asks a test program that has just been
# built for its tests, and writes a CTest file with one test each (heddle_discover_tests).
include("${KNOWN}")

execute_process(COMMAND "${HEDDLE_EXECUTABLE}" test --list-tests --tests "${A_TESTS}" -- "${PROGRAM}" ${A_ARGS}
  OUTPUT_VARIABLE names ERROR_VARIABLE said RESULT_VARIABLE status WORKING_DIRECTORY "${A_WORKING_DIRECTORY}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "heddle_discover_tests: ${PROGRAM} could not be asked for its tests: ${said}")
endif()

# A bracket argument of CMake's: any text but the closing bracket itself.
function(quoted out)
  set(text "")
  foreach(word ${ARGN})
    string(APPEND text " [==[${word}]==]")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(script "")
quoted(front ${command})
quoted(args ${A_ARGS})
while(names MATCHES "^([^\n]*)\n")
  set(name "${CMAKE_MATCH_1}")
  string(LENGTH "${name}" length)
  math(EXPR length "${length} + 1")
  string(SUBSTRING "${names}" ${length} -1 names)
  string(REGEX REPLACE "([][*?\\])" "\\\\\\1" glob "${name}") # this very test
  string(APPEND script "add_test([==[${A_TEST_PREFIX}${name}]==]${front} --tests [==[${glob}]==] --"
    " [==[${PROGRAM}]==]${args})\n"
    "set_tests_properties([==[${A_TEST_PREFIX}${name}]==] PROPERTIES WORKING_DIRECTORY"
    " [==[${A_WORKING_DIRECTORY}]==]")
  if(A_LABELS)
    string(APPEND script " LABELS [==[${A_LABELS}]==]")
  endif()
  if(A_TIMEOUT)
    string(APPEND script " TIMEOUT [==[${A_TIMEOUT}]==]")
  endif()
  if(A_ALLOW_SKIP)
    string(APPEND script " SKIP_RETURN_CODE 98")
  endif()
  string(APPEND script ")\n")
endwhile()
file(WRITE "${file}" "${script}")
