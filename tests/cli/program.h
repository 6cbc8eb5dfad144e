// The program as a person runs it, in a folder of its own: to its end, or as a child process that
// can be interrupted and killed.
//
//   expect("generate er -n 5 -o data", 0, {"5 e-obm instances"});
//   Child child = start({"train", "ff", "--train", "data", "-o", "run"});
//   child.signal(SIGKILL);
#pragma once

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/temp_folder.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace foresight {

struct Outcome {
  int exit_code;       // -1 if a signal ended it
  std::string output;  // both streams
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The program while it runs. It is killed at the end of the scope.
class Child {
 public:
  Child(const std::filesystem::path& folder, std::vector<std::string> arguments) {
    static int number = 0;
    output_ = folder / fmt::format("output-{}", number++);
    arguments.insert(arguments.begin(), FORESIGHT_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int file = ::open(output_.c_str(), O_WRONLY | O_CREAT, 0666);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    if (::chdir(folder.c_str()) == 0) ::execv(FORESIGHT_PROGRAM, words.data());
    ::_exit(127);
  }
  ~Child() {
    signal(SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }

  /// Until it is ready to be interrupted; one that never is, ends.
  void wait_for_interrupt_handler() const {
    while (!ended() && !catches(SIGINT)) pause();
  }

  /// How it ended, whenever that is.
  Outcome wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output_)};
  }

  /// The same; but one that is still at work after minutes is left alone, and gives nothing.
  std::optional<Outcome> wait_patiently() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    while (!ended()) {
      if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
      pause();
    }
    return wait();
  }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

 private:
  bool ended() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == pid_;
  }

  bool catches(int number) const {
    std::ifstream status(fmt::format("/proc/{}/status", pid_));
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1)) % 2 == 1;
    }
    return false;
  }

  std::filesystem::path output_;
  pid_t pid_;
};

class ProgramTest : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    const std::string command = fmt::format("cd '{}' && {{ '{}' {}; }} 2>&1",
                                            folder_.path().string(), FORESIGHT_PROGRAM, arguments);
    std::FILE* pipe = popen(command.c_str(), "r");
    Outcome outcome{-1, {}};
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      outcome.output.append(buffer, n);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    return outcome;
  }

  void expect(const std::string& arguments, int exit_code,
              std::initializer_list<std::string> pieces) const {
    expect(run(arguments), arguments, exit_code, pieces);
  }

  static void expect(const Outcome& outcome, const std::string& what, int exit_code,
                     std::initializer_list<std::string> pieces) {
    EXPECT_EQ(outcome.exit_code, exit_code) << what << "\n" << outcome.output;
    for (const std::string& piece : pieces) {
      EXPECT_NE(outcome.output.find(piece), std::string::npos)
          << what << ": \"" << piece << "\" is not in:\n"
          << outcome.output;
    }
  }

  /// An error for a person: one line that begins with the program's name, of no system's wording.
  void expect_sentence(const std::string& arguments, int exit_code,
                       std::initializer_list<std::string> pieces) const {
    const Outcome outcome = run(arguments);
    expect(outcome, arguments, exit_code, pieces);
    for (const char* foreign :
         {"filesystem error", "terminate called", "json.exception", "[json"}) {
      EXPECT_EQ(outcome.output.find(foreign), std::string::npos) << outcome.output;
    }
    EXPECT_NE(outcome.output.find("foresight: "), std::string::npos) << outcome.output;
  }

  Child start(std::vector<std::string> arguments) const {
    return Child(folder_.path(), std::move(arguments));
  }

  /// The name and the content of every file below a folder.
  std::map<std::string, std::string> content(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(folder))) {
      if (entry.is_regular_file()) files[entry.path()] = read_file(entry.path());
    }
    return files;
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

  TempFolder folder_;
};

}  // namespace foresight
