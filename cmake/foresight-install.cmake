# What `cmake --install` puts in place: the library and the commands, the program, the public headers, and
# the package that find_package(foresight) finds.
include(CMakePackageConfigHelpers)
set(FORESIGHT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/foresight)
get_target_property(FORESIGHT_LIBRARY_TYPE foresight_library TYPE)

# Installed shared libraries are found beside what uses them, wherever the folder is moved.
set(FORESIGHT_SHARED OFF)
if(FORESIGHT_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
  set(FORESIGHT_SHARED ON)
  file(RELATIVE_PATH library_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(foresight_commands PROPERTIES INSTALL_RPATH "$ORIGIN")
  set_target_properties(foresight_program PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir}")
endif()

install(TARGETS foresight_library foresight_commands EXPORT foresight
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS foresight_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Exactly the headers that foresight.h lists.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS foresight/foresight.h)
file(STRINGS foresight/foresight.h lines REGEX "^#include \"foresight/")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^#include \"(.+)\".*" "\\1" header "${line}")
  cmake_path(GET header PARENT_PATH folder)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${header})
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  else()
    install(FILES ${PROJECT_BINARY_DIR}/generated/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  endif()
endforeach()
install(FILES foresight/foresight.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foresight)

install(EXPORT foresight NAMESPACE foresight:: FILE foresight-targets.cmake DESTINATION ${FORESIGHT_PACKAGE_DIR})
configure_package_config_file(cmake/foresight-config.cmake.in foresight-config.cmake
                              INSTALL_DESTINATION ${FORESIGHT_PACKAGE_DIR})
write_basic_package_version_file(foresight-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foresight-config.cmake ${PROJECT_BINARY_DIR}/foresight-config-version.cmake
        DESTINATION ${FORESIGHT_PACKAGE_DIR})
