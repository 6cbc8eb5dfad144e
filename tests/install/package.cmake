# Installs the build into a fresh folder, and compares the headers there with the list of public ones. Then
# builds a consumer of them, which is what README shows.
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

file(REMOVE_RECURSE ${PREFIX} ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
run_for(version ${PREFIX}/bin/foresight --version)
expect("${version}" "^foresight [0-9]+\\.[0-9]+\\.[0-9]+\n$")

file(STRINGS ${SOURCE}/foresight/foresight.h listed REGEX "^#include \"foresight/")
list(TRANSFORM listed REPLACE "^#include \"(.+)\".*" "\\1")
list(APPEND listed foresight/foresight.h)
file(GLOB_RECURSE installed RELATIVE ${PREFIX}/include ${PREFIX}/include/*)
list(SORT listed)
list(SORT installed)
if(NOT listed STREQUAL installed)
  message(FATAL_ERROR "installed are\n${installed}\nbut foresight.h lists\n${listed}")
endif()

run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${PREFIX} -DSOURCE=${SOURCE})
run(${CMAKE_COMMAND} --build ${WORK})
run_for(text ${WORK}/readme)
expect("${text}" "greedy reaches 0\\.[0-9]+ of the optimum")
