# How all of our own sources are compiled. Another compiler may know more warnings than ours: there they
# must not keep a project from building that only uses this one.
option(FORESIGHT_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
add_library(foresight_flags INTERFACE)
target_compile_options(foresight_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
                                                 $<$<BOOL:${FORESIGHT_WERROR}>:-Werror>)
