# The flags for all our own sources. Another compiler may know more warnings than ours: there they
# must not keep a project from building that only uses this one.
option(FORESIGHT_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
add_library(foresight_flags INTERFACE)
target_compile_options(foresight_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
                                                 $<$<BOOL:${FORESIGHT_WERROR}>:-Werror>)

# Where assertions are on, the standard library checks its own, too: no index outside a container.
target_compile_definitions(foresight_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
