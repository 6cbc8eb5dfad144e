# run(COMMAND...) runs it and stops the test if it fails.
# run_for(RESULT COMMAND...) also stores what it printed.
function(run_for output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ECHO_OUTPUT_VARIABLE)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed with ${result}: ${command}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()
function(run)
  run_for(ignored ${ARGN})
endfunction()

# expect(TEXT PATTERN): stops the test if the text does not match.
function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern} in:\n${text}")
  endif()
endfunction()
