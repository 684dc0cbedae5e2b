# heddleTest.cmake: functions for CTest; see heddleConfig.cmake and docs/cmake.md.

# Compiles and links these targets with -fsanitize=thread, by which Heddle sees their accesses.
function(heddle_instrument)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE -g -fsanitize=thread)
    target_link_options(${target} PRIVATE -fsanitize=thread
      $<$<OR:$<C_COMPILER_ID:Clang>,$<CXX_COMPILER_ID:Clang>>:-shared-libsan>)
  endforeach()
endfunction()

set(_HEDDLE_ONE NAME RUNS TIME TIMEOUT WORKING_DIRECTORY)
set(_HEDDLE_MANY COMMAND OPTIONS LABELS)

# The command in front of the program, to `out`; what was given is in A_*.
macro(_heddle_command out)
  set(${out} "${HEDDLE_EXECUTABLE}" test --quiet)
  if(A_RUNS)
    list(APPEND ${out} --runs ${A_RUNS})
  endif()
  if(A_TIME)
    list(APPEND ${out} --time ${A_TIME})
  endif()
  list(APPEND ${out} ${A_OPTIONS})
endmacro()

function(heddle_test)
  cmake_parse_arguments(PARSE_ARGV 0 A "ALLOW_SKIP" "${_HEDDLE_ONE}" "${_HEDDLE_MANY}")
  if(NOT A_NAME) # heddle_test(name program [arguments...])
    list(POP_FRONT A_UNPARSED_ARGUMENTS A_NAME)
    set(A_COMMAND ${A_UNPARSED_ARGUMENTS})
    set(A_UNPARSED_ARGUMENTS)
  endif()
  if(A_UNPARSED_ARGUMENTS OR NOT A_NAME OR NOT A_COMMAND)
    message(FATAL_ERROR "heddle_test(NAME name COMMAND program [arg...] ...): what is "
      "'${A_UNPARSED_ARGUMENTS}'?")
  endif()
  list(POP_FRONT A_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  _heddle_command(command)
  if(A_WORKING_DIRECTORY)
    set(where WORKING_DIRECTORY "${A_WORKING_DIRECTORY}")
  endif()
  add_test(NAME "${A_NAME}" COMMAND ${command} -- ${program} ${A_COMMAND} ${where})
  if(A_LABELS)
    set_tests_properties("${A_NAME}" PROPERTIES LABELS "${A_LABELS}")
  endif()
  if(A_TIMEOUT)
    set_tests_properties("${A_NAME}" PROPERTIES TIMEOUT "${A_TIMEOUT}")
  endif()
  if(A_ALLOW_SKIP) # 98: nothing could be tested
    set_tests_properties("${A_NAME}" PROPERTIES SKIP_RETURN_CODE 98)
  endif()
endfunction()

# A CTest test for each test of a test program, found when it has been built.
function(heddle_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 A "ALLOW_SKIP" "${_HEDDLE_ONE};TESTS;TEST_PREFIX"
    "${_HEDDLE_MANY};ARGS")
  if(A_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_discover_tests: what is '${A_UNPARSED_ARGUMENTS}'?")
  endif()
  if(NOT A_TESTS)
    set(A_TESTS "*")
  endif()
  if(NOT A_WORKING_DIRECTORY)
    set(A_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  _heddle_command(command)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_heddle_tests.cmake")
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${target}_heddle_include.cmake")
  # What the script is to know, without the trouble of lists on a command line.
  set(known "${CMAKE_CURRENT_BINARY_DIR}/${target}_heddle_known.cmake")
  set(text "")
  foreach(name A_TESTS A_TEST_PREFIX A_ARGS A_LABELS A_TIMEOUT A_ALLOW_SKIP A_WORKING_DIRECTORY
      command HEDDLE_EXECUTABLE file)
    string(APPEND text "set(${name} [==[${${name}}]==])\n")
  endforeach()
  file(WRITE "${known}" "${text}")
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS "${file}"
    COMMAND "${CMAKE_COMMAND}" "-DKNOWN=${known}" "-DPROGRAM=$<TARGET_FILE:${target}>"
      -P "${_HEDDLE_DISCOVER}")
  file(WRITE "${include}" "if(EXISTS [==[${file}]==])\n  include([==[${file}]==])\nelse()\n"
    "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()
