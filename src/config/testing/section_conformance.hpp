// What every section must keep; a new section's test is one call to check_section, and one to check_mistakes
// with what a user may write wrong and what he is told.
#pragma once

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "config/check.hpp"
#include "config/documents/documents.hpp"
#include "config/section.hpp"

namespace tailrace::config::testing {

inline const std::string file_name = "run.yaml";

// The configuration of this section alone.
template <class T>
Type alone(const Section<T>& section) {
  return config::section({section.option});
}

struct Attempt {
  bool allow_open = false;
  Problems problems{};
};

// The value that the section reads from a configuration with nothing else.
template <class T>
T read(const Section<T>& section, const std::string& yaml, Attempt& attempt) {
  const Node node = parse_yaml(file_name, yaml, attempt.problems);
  const Value root = check(node, alone(section), "", {.allow_open = attempt.allow_open}, attempt.problems);
  const Value* value = root.find(section.option.name);
  return value != nullptr ? section.read(*value, attempt.problems) : T();
}

template <class T>
std::string problems_of(const Section<T>& section, const std::string& yaml, bool allow_open = false) {
  Attempt attempt{.allow_open = allow_open};
  EXPECT_NO_THROW(read(section, yaml, attempt)) << yaml;
  return attempt.problems.text();
}

// An option as the reference page shows it: `output.<file>.variables[].every`.
struct Shown {
  std::string path;
  std::string example;  // `every: 10 s`; empty where there is none
};

inline std::vector<Shown> shown_on(const std::string& page) {
  const std::regex pattern("#+ `([^`]+)`\n|- Example: `(.*)`\n");
  std::vector<Shown> shown;
  for (std::sregex_iterator match(page.begin(), page.end(), pattern), end; match != end; ++match) {
    if ((*match)[1].matched)
      shown.push_back({.path = (*match)[1], .example = ""});
    else
      shown.back().example = (*match)[2];
  }
  return shown;
}

inline std::vector<std::string> words_of(const std::string& path) {
  const std::regex word("\\[\\]|[^.\\[\\]]+");
  return {std::sregex_token_iterator(path.begin(), path.end(), word), std::sregex_token_iterator()};
}

// `inner`, a map, put where the option of that path stands.
inline std::string put_at(const std::string& path, std::string inner) {
  std::vector<std::string> words = words_of(path);
  for (words.pop_back(); !words.empty(); words.pop_back()) {
    const std::string& word = words.back();
    if (word == "[]")
      inner = "[" + inner + "]";
    else
      inner = "{" + (word.front() == '<' ? "some_name" : word) + ": " + inner + "}";
  }
  return inner;
}

// Of a JSON schema: what it says of that path.
inline const nlohmann::json* find_in(const nlohmann::json& schema, const std::vector<std::string>& words,
                                     std::size_t next = 0) {
  if (next == words.size()) return &schema;
  if (schema.contains("anyOf"))
    for (const auto& each : schema["anyOf"])
      if (const auto* found = find_in(each, words, next)) return found;
  const std::string& word = words[next];
  const char* key = word == "[]" ? "items" : word.front() == '<' ? "additionalProperties" : "properties";
  if (!schema.contains(key)) return nullptr;
  const auto& inner = schema[key];
  if (word == "[]" || word.front() == '<') return find_in(inner, words, next + 1);
  return inner.contains(word) ? find_in(inner[word], words, next + 1) : nullptr;
}

// What is wrong with the form of an option that stands alone: others that are required are missing then, and
// it may not be available yet.
template <class T>
std::string form_problems_of(const Section<T>& section, const std::string& yaml) {
  Problems problems;
  check(parse_yaml(file_name, yaml, problems), alone(section), "", {}, problems);
  const std::regex expected("[^\n]*(\" is missing \\(|: is not available yet)[^\n]*\n?");
  return std::regex_replace(problems.text(), expected, "");
}

// A section that is not given, one that is empty, and a plain struct mean the same.
template <class T>
void check_defaults(const Section<T>& section) {
  Attempt attempt;
  const T empty = read(section, section.option.name + ": {}", attempt);
  if (!attempt.problems.empty()) return;  // something is required
  if constexpr (requires { empty.empty(); })
    EXPECT_TRUE(empty.empty());
  else
    EXPECT_EQ(empty, T()) << "the defaults of the declaration are not those of the struct";
}

// Each option, alone: the page's example is accepted, the JSON schema knows it, its misspelling leads to it,
// and the section reads all of these, however many holes they leave.
template <class T>
void check_option(const Section<T>& section, const Shown& shown, const nlohmann::json& schema) {
  SCOPED_TRACE(shown.path);
  const std::string name = words_of(shown.path).back();
  if (!shown.example.empty()) {
    const std::string yaml = put_at(shown.path, "{" + shown.example + "}");
    EXPECT_EQ(form_problems_of(section, yaml), "");
    problems_of(section, yaml);
  }
  const nlohmann::json* json = find_in(schema, words_of(shown.path));
  ASSERT_NE(json, nullptr) << "the JSON schema does not know it";
  EXPECT_TRUE(json->contains("description"));
  problems_of(section, put_at(shown.path, "{" + name + ": '{open}'}"), true);
  const std::string wrong = put_at(shown.path, "{" + name + name.back() + ": 1}");
  EXPECT_THAT(problems_of(section, wrong),
              ::testing::ContainsRegex("run.yaml:1:[0-9]+  [^\n]*: this key is unknown. Did you mean \"" +
                                       name + "\""));
}

template <class T>
void check_section(const Section<T>& section) {
  SCOPED_TRACE(section.option.name);
  ASSERT_NO_THROW(assert_well_declared(alone(section)));
  EXPECT_EQ(problems_of(section, section.option.name + ": " + section.option.example), "");
  check_defaults(section);
  const auto schema = nlohmann::json::parse(documents::json_schema(alone(section), "one section"));
  for (const Shown& shown : shown_on(documents::reference_markdown(alone(section), "")))
    check_option(section, shown, schema);
}

struct Mistake {
  std::string yaml;
  std::string told;  // all lines
};

template <class T>
void check_mistakes(const Section<T>& section, const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    const std::string told = problems_of(section, mistake.yaml);
    EXPECT_EQ(told, mistake.told) << mistake.yaml;
    EXPECT_THAT(told, ::testing::ContainsRegex("^run.yaml:[0-9]+:[0-9]+  " + section.option.name));
  }
}

}  // namespace tailrace::config::testing
