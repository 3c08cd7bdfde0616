// A section: one key of the configuration, from its declaration to a checked plain struct. The room that uses
// it declares it, beside the code that uses it:
//
//   struct Options { int count = 1; };                         // what a missing section means, too
//   config::Section<Options> section() {
//     return {.option = {.name = "servers", .type = config::section({...}), .description = "...", .example =
//     "..."},
//             .read = [](const config::Value& value, config::Problems& problems) { ... },
//             .check = [](const Options& own, const config::Sections& all, config::Problems& problems) { ...
//             }};
//   }
//   const config::SectionRegistration registration{section};   // a key at the top of the configuration
//
// A section that is not registered is part of another one, which includes its option and calls its read.
// Every section must pass testing/section_conformance.hpp.
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

// The values of the registered sections, one of each type.
class Sections {
 public:
  template <class T>
  const T* find() const {
    const auto found = values_.find(typeid(T));
    return found == values_.end() ? nullptr : std::any_cast<T>(&found->second);
  }
  // Error(internal) where no registered section reads a T.
  template <class T>
  const T& get() const {
    const T* value = find<T>();
    TAILRACE_ASSERT(value != nullptr, std::string("no section reads a ") + typeid(T).name());
    return *value;
  }
  // Moves it out; get() no longer has it.
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

  // True if the section's form was valid, so that its value is complete.
  bool is_sound(std::string_view key) const { return !flawed_.contains(key); }
  void mark_flawed(const std::string& key) { flawed_.insert(key); }

 private:
  std::unordered_map<std::type_index, std::any> values_;
  std::set<std::string, std::less<>> flawed_;
};

template <class T>
struct Section {
  Option option;
  // Reads the value, which is incomplete after mistakes of form, and adds mistakes between its own options. A
  // section that is not given is T().
  std::function<T(const Value& value, Problems& problems)> read;
  // Adds mistakes in relation to other sections, after all are read.
  std::function<void(const T& own, const Sections& all, Problems& problems)> check{};
};

// Reads a section that is part of another one. None if it is not given.
template <class T>
std::optional<T> read_part(const Section<T>& part, const Value& whole, Problems& problems) {
  const Value* value = whole.find(part.option.name);
  return value != nullptr ? std::optional<T>(part.read(*value, problems)) : std::nullopt;
}

// A section of any type. Without `read` it is an option without a value.
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

// Adds a section to the configuration. `declare` is called when the schema is first needed, since it may name
// formats, codecs and the like, which other static objects register.
class SectionRegistration {
 public:
  template <class T>
  explicit SectionRegistration(Section<T> (*declare)())
      : SectionRegistration(std::function([declare] { return any_section(declare()); })) {}
  explicit SectionRegistration(Option (*declare)());  // of an option that is not available yet

 private:
  explicit SectionRegistration(std::function<AnySection()> declare);
};

// All registered sections: first those in `order`, then the others by name.
std::vector<AnySection> registered_sections(const std::vector<std::string>& order);

// Reads every section from the root map. Their checks run in their order, after all are read: a check may ask
// `problems` what earlier ones found.
Sections read_all(const std::vector<AnySection>& sections, const Value& root, Problems& problems);
void check_all(const std::vector<AnySection>& sections, const Sections& values, Problems& problems);

}  // namespace tailrace::config
