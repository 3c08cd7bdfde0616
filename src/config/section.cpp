#include "config/section.hpp"

#include <algorithm>
#include <tuple>

namespace tailrace::config {
namespace {

// Constructed at its first use, because registrations are static objects of other files.
std::vector<std::function<AnySection()>>& registry() {
  static std::vector<std::function<AnySection()>> declarations;
  return declarations;
}

}  // namespace

SectionRegistration::SectionRegistration(std::function<AnySection()> declare) {
  registry().push_back(std::move(declare));
}

SectionRegistration::SectionRegistration(Option (*declare)())
    : SectionRegistration(std::function([declare] { return AnySection{.option = declare()}; })) {}

std::vector<AnySection> registered_sections(const std::vector<std::string>& order) {
  std::vector<AnySection> sections;
  for (const auto& declare : registry()) sections.push_back(declare());
  const auto rank = [&](const AnySection& section) {
    const std::string& name = section.option.name;
    return std::tuple(std::find(order.begin(), order.end(), name) - order.begin(), name);
  };
  std::sort(sections.begin(), sections.end(),
            [&](const AnySection& a, const AnySection& b) { return rank(a) < rank(b); });
  return sections;
}

Sections read_all(const std::vector<AnySection>& sections, const Value& root, Problems& problems) {
  Sections values;
  for (const AnySection& section : sections)
    if (section.read) section.read(root.find(section.option.name), values, problems);
  for (const AnySection& section : sections)
    if (problems.touch(section.option.name)) values.mark_flawed(section.option.name);
  return values;
}

void check_all(const std::vector<AnySection>& sections, const Sections& values, Problems& problems) {
  for (const AnySection& section : sections)
    if (section.check) section.check(values, problems);
}

}  // namespace tailrace::config
