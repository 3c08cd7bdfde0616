#include "settings/legacy.hpp"

#include "monc/convention.hpp"
#include "monc/dialect.hpp"

namespace tailrace::settings {
namespace {

const std::vector<const time::Convention*>& conventions() {
  static const std::vector<const time::Convention*> all{&monc::convention()};
  return all;
}

}  // namespace

std::vector<std::string> legacy_names() {
  std::vector<std::string> names;
  for (const time::Convention* each : conventions()) names.push_back(each->name());
  return names;
}

const time::Convention& convention_of(const std::string& legacy) {
  for (const time::Convention* each : conventions())
    if (each->name() == legacy) return *each;
  return time::standard_convention();
}

const config::Dialects& dialects() {
  static const config::Dialects all{&monc::dialect()};
  return all;
}

}  // namespace tailrace::settings
