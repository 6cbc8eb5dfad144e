// What this program runs on, for reports that say where their figures come from.
//
//   fmt::print("measured on {}, {} cores\n", this_machine().cpu, this_machine().cores);
#pragma once

#include <cstdint>
#include <string>

namespace foresight {

struct Machine {
  std::string cpu;  // as the system names it, or "unknown"
  int cores = 0;    // the ones this process may use
  std::uint64_t memory_bytes = 0;
  std::string system;  // e.g. "Linux 6.1.0 x86_64"
};
Machine this_machine();

/// The time now, as 2026-11-15T22:10:00Z.
std::string timestamp();

}  // namespace foresight
