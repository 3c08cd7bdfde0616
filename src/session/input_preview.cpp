#include "session/input_preview.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "calendar/calendar.hpp"
#include "env/programs.hpp"
#include "input/preview/preview.hpp"
#include "regrid/section.hpp"

namespace tailrace::session {
namespace {

// The bound of all servers together; 0: their number is not known before the job.
double memory_of(const settings::ServersOptions& servers, std::size_t ranks) {
  const bool is_known = servers.per_node == 0 && servers.per_domain == 0;
  const auto count =
      servers.mode == settings::Mode::dedicated ? (is_known ? servers.count : 0) : static_cast<int>(ranks);
  return static_cast<double>(servers.memory) * count;
}

input::PreviewContext context_of(const settings::Configuration& configuration) {
  return {.calendar = calendar::Calendar(configuration.time.calendar, configuration.time.start),
          .folder = env::beside_library(""),
          .directory = "",
          .weights = configuration.sections.get<regrid::Cache>().directory};
}

using PreviewEntry = std::function<std::optional<input::EntryPreview>(const input::Entry& entry)>;

// Collects the mistakes of all entries, so that the user sees them together.
std::string preview_all(const settings::Configuration& configuration, double memory,
                        const PreviewEntry& preview) {
  std::vector<input::EntryPreview> entries;
  std::string faults;
  for (const input::Entry& entry : configuration.sections.get<input::Options>().entries) try {
      if (auto found = preview(entry)) entries.push_back(std::move(*found));
    } catch (const Error& error) {
      faults += (faults.empty() ? "" : "\n") + std::string(error.what());
    }
  if (!faults.empty()) throw Error(ErrorCode::configuration, faults);
  return input::describe(entries, context_of(configuration).calendar, memory);
}

}  // namespace

std::string preview_input(const settings::Configuration& configuration) {
  const PreviewEntry preview = [&](const input::Entry& entry) {
    if (std::ranges::any_of(entry.files, settings::is_open)) return input::EntryPreview{.entry = &entry};
    return input::preview_of(entry, context_of(configuration));
  };
  return preview_all(configuration, memory_of(configuration.servers, 0), preview);
}

std::string preview_input(const settings::Configuration& configuration, const plan::Plan& plan,
                          const model::Declarations& declarations, std::size_t ranks) {
  const PreviewEntry preview = [&](const input::Entry& entry) -> std::optional<input::EntryPreview> {
    std::vector<int> fields;
    for (const plan::InputPlan& each : plan.inputs)
      if (std::ranges::count(entry.fields, declarations.fields[base::index(each.field)].name,
                             &input::FieldRequest::name) > 0)
        fields.push_back(each.field);
    if (fields.empty()) return std::nullopt;  // the plan warns of it
    return input::preview_of(entry, fields, declarations, context_of(configuration));
  };
  return preview_all(configuration, memory_of(configuration.servers, ranks), preview);
}

}  // namespace tailrace::session
