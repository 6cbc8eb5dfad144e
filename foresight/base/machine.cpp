#include "foresight/base/machine.h"

#include <ctime>
#include <fstream>

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "foresight/base/parallel.h"

namespace foresight {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine{cpu_name(), thread_count(0), 0, "unknown"};
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) {
    machine.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
  }
  utsname name;
  if (uname(&name) == 0) {
    machine.system = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  }
  return machine;
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace foresight
