#include "pipeline/sampling/optional_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "base/log.hpp"

namespace tailrace::pipeline::sampling {
namespace {

config::Location place_of(const settings::Configuration& configuration, const std::string& field) {
  for (const settings::FieldGroup& group : configuration.field_groups)
    for (const auto& [name, where] : group.fields)
      if (name == field) return where;
  return {};
}

}  // namespace

OptionalFields::OptionalFields(const Blueprint& blueprint, const std::function<bool(int field)>& is_used,
                               std::span<const int> clients)
    : blueprint_(blueprint), number_of_field_(blueprint.info.declarations.fields.size(), -1) {
  for (std::size_t f = 0; f < blueprint.plan.fields.size(); ++f) {
    const plan::FieldPlan& plan = blueprint.plan.fields[f];
    const int field = static_cast<int>(f);
    if ((!plan.optional && !plan.once) || plan.at_end || !is_used(field)) continue;
    Optional optional;
    optional.field = field;
    optional.once = plan.once;
    for (const int client : clients)
      if (blueprint.sends(field, client)) optional.clients.push_back(client);
    std::sort(optional.clients.begin(), optional.clients.end());
    optional.put.assign(optional.clients.size(), 0);
    number_of_field_[f] = static_cast<int>(fields_.size());
    fields_.push_back(std::move(optional));
  }
}

void OptionalFields::note_put(int field, int client) {
  const int number = number_of_field_[base::index(field)];
  if (number < 0) return;
  Optional& optional = fields_[base::index(number)];
  const auto place = std::lower_bound(optional.clients.begin(), optional.clients.end(), client);
  optional.put[base::index(place - optional.clients.begin())] = 1;
}

void OptionalFields::close_step(const model::Tick& tick,
                                const std::function<bool(int field, int client)>& missing) {
  for (Optional& optional : fields_) {
    if (optional.once && std::exchange(optional.over, true)) continue;
    for (std::size_t c = 0; c < optional.clients.size(); ++c) {
      if (std::exchange(optional.put[c], 0) != 0) continue;
      if (missing(optional.field, optional.clients[c])) warn(optional, optional.clients[c], tick);
    }
  }
}

void OptionalFields::warn(Optional& optional, int client, const model::Tick& tick) {
  if (std::exchange(optional.warned, true)) return;
  const std::string& name = blueprint_.field(optional.field).name;
  if (optional.once)
    return base::log_warning(fmt::format(
        "{}  field \"{}\" is put once, in the first step or before it (`every: once`), but rank {} "
        "did not put it {}; it holds the fill value",
        place_of(blueprint_.info.configuration, name).text(), name, client,
        tick.step == model::static_step
            ? "before the run ended without a step"
            : fmt::format("up to the end of step {} ({} s)", tick.step, tick.time)));
  base::log_warning(
      fmt::format("{}  field \"{}\" was wanted at step {} ({} s), but rank {} did not put it; it is "
                  "optional, so it is ignored at that step, and records without any sample hold the fill "
                  "value. Further steps like this one are not reported",
                  place_of(blueprint_.info.configuration, name).text(), name, tick.step, tick.time,
                  blueprint_.info.decomposition.rank_of(client)));
}

}  // namespace tailrace::pipeline::sampling
