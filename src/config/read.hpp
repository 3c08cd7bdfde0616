// Reads one option of a section's value.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "config/problems.hpp"
#include "config/value.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {

// The result is `fallback` if the option is not given, or was invalid and removed.
std::string text_of(const Value& section, std::string_view name, const std::string& fallback = "");
bool flag_of(const Value& section, std::string_view name, bool fallback);
int integer_of(const Value& section, std::string_view name, int fallback);  // also for a word instead

// The constant of the chosen word; the first one if the option is not given.
template <class Enum>
Enum choice_of(const Value& section, std::string_view name,
               std::initializer_list<std::pair<const char*, Enum>> choices) {
  const std::string chosen = text_of(section, name);
  for (const auto& [word, meaning] : choices)
    if (chosen == word) return meaning;
  return choices.begin()->second;
}

struct LeastSize {
  std::size_t bytes = 0;
  const char* words = "";  // as a user would write it
};

// Bytes; less than the least is a problem.
std::size_t size_of(const Value& section, std::string_view name, std::size_t fallback, const LeastSize& least,
                    Problems& problems);

// Turns an exception of another room into a problem at the place of the value.
template <class Attempt>
void report(const Value& value, Problems& problems, Attempt attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    problems.add(value.location(), value.path(), error.what());
  }
}

}  // namespace tailrace::config
