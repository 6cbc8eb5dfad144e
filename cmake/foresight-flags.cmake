# The flags for all our own sources: warnings are errors.
add_library(foresight_flags INTERFACE)
target_compile_options(foresight_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Werror)
