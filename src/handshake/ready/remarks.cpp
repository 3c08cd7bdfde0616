#include "handshake/ready/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "settings/translated.hpp"

namespace tailrace::handshake {

Told told_at_start(const std::vector<std::string>& warnings, const config::Sources& sources) {
  const auto is_about = [&sources](const std::string& warning) {
    return std::ranges::any_of(sources, [&](const config::SourceFile& source) {
      return settings::is_translated(source) && warning.starts_with(source.name + ":");
    });
  };
  Told told;
  for (const std::string& warning : warnings)
    (is_about(warning) ? told.details : told.warnings).push_back(warning);
  std::vector<std::string>& about = told.details;
  if (about.size() == 1) return {warnings, {}};
  if (about.empty()) return told;
  const std::string place = about.front().substr(0, about.front().find(' '));
  told.warnings.insert(
      told.warnings.begin(),
      fmt::format("{}  this is the first of {} remarks on files that were written for another program "
                  "(TAILRACE_LOG=info lists them; `tailrace check`, those that need no model)",
                  place, about.size()));
  return told;
}

}  // namespace tailrace::handshake
