// Expects a statement to throw Error with a code and a message that contains all given pieces.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "foresight/base/error.h"

namespace foresight {

inline testing::AssertionResult says(const std::string& message, std::string_view part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << message << "\" does not say \"" << part << '"';
}

inline void expect_error(ErrorCode code, std::initializer_list<std::string> pieces,
                         const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& piece : pieces) EXPECT_TRUE(says(error.what(), piece));
  }
}

}  // namespace foresight
