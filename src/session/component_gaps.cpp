// The fourth part of ServedComponent: samples that are due but do not come. They count for nothing in a
// record, and a record without any holds the fill value.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "session/component.hpp"
#include "session/stream.hpp"

namespace tailrace::session {
namespace {

config::Location place_of(const Configuration& configuration, const std::string& field) {
  for (const FieldGroup& group : configuration.field_groups)
    for (const auto& [name, where] : group.fields)
      if (name == field) return where;
  return {};
}

}  // namespace

// As the client decides it: of what all ranks hold the first one's is taken.
bool ServedComponent::sends(int field, int client) const {
  const auto grid = static_cast<std::size_t>(info_.declarations.fields[static_cast<std::size_t>(field)].grid);
  if (info_.declarations.grids[grid].kind == model::GridKind::replicated) return client == 0;
  return info_.decomposition.regions[grid][static_cast<std::size_t>(client)].size() > 0;
}

void ServedComponent::expect_optional_fields(const std::vector<server::Link>& links) {
  optional_of_field_.assign(info_.declarations.fields.size(), -1);
  for (std::size_t f = 0; f < plan_.fields.size(); ++f) {
    const FieldPlan& plan = plan_.fields[f];
    if (!plan.optional || plan.at_end || streams_of_field_[f].empty()) continue;
    OptionalField optional;
    optional.field = static_cast<int>(f);
    for (const server::Link& link : links)
      if (sends(static_cast<int>(f), link.client)) optional.clients.push_back(link.client);
    std::sort(optional.clients.begin(), optional.clients.end());
    optional.put.assign(optional.clients.size(), 0);
    optional_of_field_[f] = static_cast<int>(optional_fields_.size());
    optional_fields_.push_back(std::move(optional));
  }
}

void ServedComponent::note_put(int field, int client) {
  const int number = optional_of_field_[static_cast<std::size_t>(field)];
  if (number < 0) return;
  OptionalField& optional = optional_fields_[static_cast<std::size_t>(number)];
  const auto place = std::lower_bound(optional.clients.begin(), optional.clients.end(), client);
  optional.put[static_cast<std::size_t>(place - optional.clients.begin())] = 1;
}

// Behind the last block of a step, before the axes move on.
void ServedComponent::close_gaps() {
  if (sample_tick_.step == model::static_step) return;
  for (OptionalField& optional : optional_fields_) {
    for (std::size_t c = 0; c < optional.clients.size(); ++c) {
      if (std::exchange(optional.put[c], 0) != 0) continue;
      for (Stream* stream : streams_of_field_[static_cast<std::size_t>(optional.field)]) {
        const auto& shares = sample_axes_.shares(stream->axis);
        skip(*stream, optional.clients[c], shares);
        if (shares.empty() || std::exchange(optional.told, true)) continue;
        const std::string& name = info_.declarations.fields[static_cast<std::size_t>(optional.field)].name;
        base::log_warning(
            fmt::format("{}  field \"{}\" was wanted at step {} ({} s), but rank {} did not put it; being "
                        "optional, it counts for nothing there, and records without any sample hold the fill "
                        "value. Further steps like this one are not told of",
                        place_of(info_.configuration, name).text(), name, sample_tick_.step,
                        sample_tick_.time, optional.clients[c]));
      }
    }
  }
}

void ServedComponent::skip(Stream& stream, int client, const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares)
    if (share.closes) close(stream, client, share.record.index);
}

}  // namespace tailrace::session
