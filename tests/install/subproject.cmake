# Configures a project that adds the library and the examples as parts of its own, and looks at what it would
# compile: the project must be left alone.
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/subproject -B ${WORK} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DSOURCE=${SOURCE})
file(STRINGS ${WORK}/compile_commands.json commands REGEX "\"command\"")
set(seen 0)
foreach(command IN LISTS commands)
  if(command MATCHES "-Werror" OR command MATCHES "_test\\.cpp|gtest")
    message(FATAL_ERROR "a part of another project has warnings that are errors, or tests: ${command}")
  endif()
  if(command MATCHES "examples/own_policy\\.cpp")
    math(EXPR seen "${seen} + 1")
    if(command MATCHES " -(W|O)")
      message(FATAL_ERROR "flags of the library reach the project around it: ${command}")
    endif()
  endif()
endforeach()
if(NOT seen EQUAL 1)
  message(FATAL_ERROR "the example is compiled ${seen} times")
endif()
