// A section is a key of the configuration, from its declaration to a checked plain struct. The room that uses
// it declares it, beside the code that uses it:
//
//   struct Options { int count = 1; };                         // the value of a missing section
//   config::Section<Options> section() {
//     return {.option = {.name = "servers", .type = config::section({...}), .description = "...", .example =
//     "..."},
//             .read = [](const config::Value& value, config::Problems& problems) { ... },
//             .check = [](const Options& own, const config::Sections& all, config::Problems& problems) { ...
//             }};
//   }
//   const config::SectionRegistration registration{section};   // a key at the top of the configuration
//
// A section that is not registered is part of another one, which contains its option and calls its `read`.
// testing/section_conformance.hpp tests the rules for all sections.
#pragma once

#include <any>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace tailrace::config {

// The values that the registered sections read, one of each type.
class Sections {
 public:
  template <class T>
  const T* find() const {
    const auto found = values_.find(typeid(T));
    return found == values_.end() ? nullptr : std::any_cast<T>(&found->second);
  }
  // Throws Error(internal) if no registered section reads a T.
  template <class T>
  const T& get() const {
    const T* value = find<T>();
    TAILRACE_ASSERT(value != nullptr, std::string("no section reads a ") + typeid(T).name());
    return *value;
  }
  // Moves the value out; get() does not find it afterwards.
  template <class T>
  T take() {
    T value = get<T>();
    values_.erase(typeid(T));
    return value;
  }
  template <class T>
  void set(T value) {
    values_.insert_or_assign(typeid(T), std::move(value));
  }

  // Whether the form of the section had no mistake, so that no value is left out.
  bool is_sound(std::string_view key) const { return !flawed_.contains(key); }
  void mark_flawed(const std::string& key) { flawed_.insert(key); }

 private:
  std::unordered_map<std::type_index, std::any> values_;
  std::set<std::string, std::less<>> flawed_;
};

template <class T>
struct Section {
  Option option;
  // Reads the options that are there (after mistakes of form some are left out), and adds mistakes in the
  // combination of its own options. The value of a section that is not given is T().
  std::function<T(const Value& value, Problems& problems)> read;
  // Adds mistakes in the combination with other sections. Called after all sections are read.
  std::function<void(const T& own, const Sections& all, Problems& problems)> check{};
};

// Reads a section that is part of another one; nothing if it is not given.
template <class T>
std::optional<T> read_part(const Section<T>& part, const Value& whole, Problems& problems) {
  const Value* value = whole.find(part.option.name);
  return value != nullptr ? std::optional<T>(part.read(*value, problems)) : std::nullopt;
}

// A section of any type. Without `read` it is a known option without a value.
struct AnySection {
  Option option;
  std::function<void(const Value* value, Sections& into, Problems& problems)> read{};
  std::function<void(const Sections& all, Problems& problems)> check{};
};

template <class T>
AnySection any_section(Section<T> section) {
  AnySection any{.option = std::move(section.option)};
  any.read = [read = std::move(section.read)](const Value* value, Sections& into, Problems& problems) {
    into.set<T>(value != nullptr ? read(*value, problems) : T());
  };
  if (section.check)
    any.check = [check = std::move(section.check)](const Sections& all, Problems& problems) {
      if (const T* own = all.find<T>()) check(*own, all, problems);
    };
  return any;
}

// Adds a section to the configuration. Its function is called when the schema is first needed, since it may
// name what other static objects register (formats, codecs).
class SectionRegistration {
 public:
  template <class T>
  explicit SectionRegistration(Section<T> (*declare)())
      : SectionRegistration(std::function([declare] { return any_section(declare()); })) {}
  explicit SectionRegistration(Option (*declare)());  // for an option that is not available yet

 private:
  explicit SectionRegistration(std::function<AnySection()> declare);
};

// All registered sections: first those that `order` names, then the others by name.
std::vector<AnySection> registered_sections(const std::vector<std::string>& order);

// Reads every section from the map that contains them, then calls their checks in order: a check may look up
// in `problems` what those before it found.
Sections read_all(const std::vector<AnySection>& sections, const Value& root, Problems& problems);
void check_all(const std::vector<AnySection>& sections, const Sections& values, Problems& problems);

}  // namespace tailrace::config
