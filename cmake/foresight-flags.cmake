# The flags for all our own sources: warnings are errors.
add_library(foresight_flags INTERFACE)
target_compile_options(foresight_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Werror)

# Where assertions are on, the standard library checks its own, too: no index outside a container.
target_compile_definitions(foresight_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
