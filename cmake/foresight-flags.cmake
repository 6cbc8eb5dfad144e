# How all of our own sources are compiled: warnings are errors.
add_library(foresight_flags INTERFACE)
target_compile_options(foresight_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Werror)
