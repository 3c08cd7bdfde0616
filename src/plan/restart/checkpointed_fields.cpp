#include "plan/restart/checkpointed_fields.hpp"

#include <fmt/format.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "settings/checkpoint.hpp"
#include "settings/fields.hpp"

namespace tailrace::plan {
namespace {

// Why a field cannot be saved; empty if it can.
std::string objection(const FieldPlan& plan, const model::Field& field, const model::Declarations& model) {
  if (field.is_input)
    return fmt::format("\"{}\" is an input of the model, which comes from its files again after a restart",
                       field.name);
  if (plan.once)
    return fmt::format("\"{}\" is a fixed field (`every: once`), which the model puts again after a restart",
                       field.name);
  if (model.grids[base::index(field.grid)].kind == model::GridKind::partial)
    return fmt::format(
        "\"{}\" lies on the partial grid \"{}\": contributions of ranks have no place in the "
        "whole, so other ranks could not take them up",
        field.name, model.grids[base::index(field.grid)].name);
  return {};
}

// After a restart, contributions would belong to other ranks.
void refuse_partial_memories(const Plan& plan, const settings::CheckpointOptions& options,
                             config::Problems& problems) {
  if (!plan.analysis) return;
  const analytics::Graph& graph = plan.analysis->graph;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const analytics::Memory& memory : analytics::memories_of(graph.nodes[n]))
      if (analytics::Shape{memory.dims, {}}.find(analytics::rank_dim))
        return problems.add(
            options.location, "checkpoint",
            fmt::format("{} remembers earlier steps of a field on a partial grid, whose contributions of "
                        "ranks other ranks could not take up; expected a field of the whole grid, as its sum "
                        "over the ranks is, or no section `checkpoint`",
                        analytics::text_of(graph, static_cast<int>(n))));
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

}  // namespace

void mark_kept_fields(const settings::Configuration& configuration, const model::Declarations& declarations,
                      Plan& plan, config::Problems& problems) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for) return;
  plan.has_checkpoints = true;
  plan.checkpoint_every = options->every;
  plan.checkpoint_on_signal = options->on_signal;
  plan.checkpoint_at_end = options->also_at_end;
  refuse_partial_memories(plan, *options, problems);
  // The fields after these are diagnostics, which are computed again.
  const std::size_t own =
      declarations.fields.size() - (plan.analysis ? plan.analysis->field_of_diagnostic.size() : 0);
  settings::FieldHints hints(declarations.field_names());
  for (const settings::ListedName& listed : options->fields) {
    bool found = false;
    for (std::size_t f = 0; f < own; ++f) {
      const model::Field& field = declarations.fields[f];
      const bool by_pattern = is_pattern(listed.name);
      const bool fits =
          field.name == listed.name || (by_pattern && settings::is_like(field.name, listed.name));
      if (!fits || field.is_static) continue;
      const std::string why = objection(plan.fields[f], field, declarations);
      found = found || why.empty() || !by_pattern;
      if (why.empty())
        plan.fields[f].kept = true;
      else if (!by_pattern)
        problems.add(listed.location, "checkpoint.fields", why);
    }
    if (!found)
      problems.add(
          listed.location, "checkpoint.fields",
          is_pattern(listed.name)
              ? fmt::format("the model declares no field like \"{}\" that can be kept", listed.name)
              : fmt::format("the model declares no field \"{}\".{}", listed.name, hints.about(listed.name)));
  }
}

}  // namespace tailrace::plan
