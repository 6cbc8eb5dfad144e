// Compiles a hot loop for several instruction sets; the best one is chosen when the program starts.
//
//   FORESIGHT_KERNEL void add(const float* a, const float* b, std::size_t n, float* sum) { ... }
//
// So a program runs on every x86-64 processor, wherever it was built. Other architectures get the
// plain version.
#pragma once

// The choice runs before the sanitizers are ready, so sanitized builds take the plain version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__ELF__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FORESIGHT_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FORESIGHT_KERNEL
#endif
