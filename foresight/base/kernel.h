// Marks a hot loop to be compiled for several instruction sets, the best chosen when the program
// starts. A binary built anywhere therefore runs on any x86-64, and other architectures build too.
#pragma once

// Resolvers run before the sanitizers are ready, so sanitized builds take the plain version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__ELF__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FORESIGHT_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FORESIGHT_KERNEL
#endif
