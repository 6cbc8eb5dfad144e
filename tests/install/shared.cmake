# Builds the library as a shared one, installs it, and moves it: the program and the examples must still run.
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

file(REMOVE_RECURSE ${PREFIX} ${PREFIX}-elsewhere)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}-library -DCMAKE_CXX_COMPILER=${CXX} -DBUILD_SHARED_LIBS=ON
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DFORESIGHT_UNITY=ON -DFORESIGHT_WEB=OFF
    -DFORESIGHT_TESTS=OFF -DFORESIGHT_BENCH=OFF)
run(${CMAKE_COMMAND} --build ${WORK}-library)
run(${CMAKE_COMMAND} --install ${WORK}-library --prefix ${PREFIX}-elsewhere)
file(RENAME ${PREFIX}-elsewhere ${PREFIX})
run_for(version ${PREFIX}/bin/foresight --version)
expect("${version}" "^foresight ")
file(GLOB archives ${PREFIX}/lib*/*.a)
if(archives)
  message(FATAL_ERROR "a shared library was asked for, but there are ${archives}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/examples.cmake)
