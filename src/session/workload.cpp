#include "session/workload.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "base/index.hpp"
#include "client/buffer_size.hpp"
#include "output/format.hpp"
#include "plan/axis_bank.hpp"
#include "plan/commit_clock.hpp"
#include "plan/memory_needs.hpp"
#include "plan/regridding.hpp"
#include "sinks/owners.hpp"

namespace tailrace::session {
namespace {

using Json = nlohmann::ordered_json;

const model::Grid* grid_of(const model::Declarations& declarations, int field) {
  const int grid = declarations.fields[base::index(field)].grid;
  return grid < 0 ? nullptr : &declarations.grids[base::index(grid)];
}

std::size_t cells_of(const model::Declarations& declarations, int field) {
  const model::Grid* const grid = grid_of(declarations, field);
  return grid == nullptr ? 1 : static_cast<std::size_t>(grid->size());
}

// How many ranks send a part of the field at a step.
std::size_t senders_of(const model::Grid* grid, int ranks) {
  const bool is_whole = grid == nullptr || grid->kind == model::GridKind::replicated;
  return is_whole ? 1 : static_cast<std::size_t>(ranks);
}

std::size_t put_bytes(const model::Declarations& declarations, int field, int ranks) {
  const model::Grid* const grid = grid_of(declarations, field);
  const std::size_t copies =
      grid != nullptr && grid->kind == model::GridKind::partial ? static_cast<std::size_t>(ranks) : 1;
  return copies * cells_of(declarations, field) *
         model::size_of(declarations.fields[base::index(field)].type);
}

std::size_t record_bytes(const model::Declarations& declarations, const plan::VariablePlan& variable) {
  return cells_of(declarations, variable.field) * model::size_of(variable.type);
}

// The values that are added to the sums, extremes and the like of a variable at each sample.
std::size_t accumulated_bytes(const plan::Plan& plan, const model::Declarations& declarations,
                              const plan::VariablePlan& variable) {
  const int field = plan::accumulated_field(plan, variable);
  if (field < 0 || !time::needs_window(variable.reduction)) return 0;
  return cells_of(declarations, field) * model::size_of(declarations.fields[base::index(field)].type);
}

Json fields_json(const model::Declarations& declarations, std::size_t model_fields, int ranks) {
  Json list = Json::array();
  for (std::size_t f = 0; f < model_fields; ++f) {
    const int field = static_cast<int>(f);
    list.push_back({{"name", declarations.fields[f].name},
                    {"bytes", put_bytes(declarations, field, ranks)},
                    {"senders", senders_of(grid_of(declarations, field), ranks)}});
  }
  return list;
}

Json variable_json(const plan::Plan& plan, const model::Declarations& declarations,
                   const plan::DatasetPlan& file, const plan::VariablePlan& variable) {
  const std::size_t bytes = record_bytes(declarations, variable);
  const output::Format* const format = file.entry.writer();
  const bool by_many = format != nullptr && format->can_be_written_by_many();
  const bool is_encoded = variable.codec.codec != "none";
  return {{"name", variable.name},
          {"bytes", bytes},
          {"accumulated_bytes", accumulated_bytes(plan, declarations, variable)},
          {"is_spread", (is_encoded || by_many) && bytes >= sinks::Owners::worth_spreading},
          {"is_regridded", variable.regrid >= 0},
          {"codec", variable.codec.codec},
          {"level", variable.codec.level},
          {"is_rounded", variable.codec.keep.has_value()}};
}

Json files_json(const plan::Plan& plan, const model::Declarations& declarations) {
  Json list = Json::array();
  for (const plan::DatasetPlan& file : plan.files) {
    Json variables = Json::array();
    for (const plan::VariablePlan& variable : file.variables)
      variables.push_back(variable_json(plan, declarations, file, variable));
    const output::Format* const format = file.entry.writer();
    list.push_back({{"path", file.entry.path},
                    {"by_many", format != nullptr && format->can_be_written_by_many()},
                    {"gathers", file.entry.gathers},
                    {"variables", std::move(variables)}});
  }
  return list;
}

Json memory_json(const settings::ServersOptions& servers, const plan::Plan& plan,
                 const model::Declarations& declarations, const std::vector<int>& counts) {
  Json list = Json::array();
  for (const int count : counts) {
    const auto needs = plan::most_needs_of(plan, declarations, settings::Mode::dedicated,
                                           static_cast<std::size_t>(std::max(1, count)));
    list.push_back({{"servers", count},
                    {"held_bytes", needs.total()},
                    {"suffices", !plan::lack_of_memory(needs, servers.memory).has_value()},
                    {"option_bytes", plan::memory_for(needs.total())}});
  }
  return list;
}

std::size_t buffer_of_a_rank(const settings::Configuration& configuration, const plan::Plan& plan,
                             const model::Declarations& declarations, std::size_t model_fields, int ranks) {
  const transport::BufferOptions& buffer = configuration.servers.buffer;
  if (!buffer.at_most) return buffer.bytes;
  std::vector<bool> used;
  for (const plan::FieldPlan& field : plan.fields) used.push_back(field.used || field.kept);
  const auto cells = [&](std::size_t grid) {
    const model::Grid& whole = declarations.grids[grid];
    const bool is_split = whole.kind == model::GridKind::block || whole.kind == model::GridKind::indexed;
    return is_split ? (whole.size() + ranks - 1) / ranks : whole.size();
  };
  const std::span fields(declarations.fields.data(), model_fields);
  return client::suitable_buffer(fields, cells, used, buffer.bytes);
}

// Advances the clocks of a plan from step to step.
class Clocks {
 public:
  Clocks(const settings::Configuration& configuration, const plan::Plan& plan,
         const model::Declarations& declarations, std::size_t model_fields)
      : plan_(plan),
        axes_(plan, model::Tick{}),
        checkpoint_(plan::checkpoint_schedule(plan, model::Tick{})),
        wanted_(model_fields) {
    model::Declarations own = declarations;  // an agenda knows the model's fields alone
    own.fields.resize(model_fields);
    agenda_ = plan::make_agenda(plan, own, model::Tick{});
    const std::size_t most_bytes = plan::most_bytes_of_commit(configuration.servers.memory, plan);
    for (std::size_t f = 0; f < plan.files.size(); ++f) {
      const plan::DatasetPlan& file = plan.files[f];
      std::vector<std::size_t> bytes(file.axes.size(), 0);
      for (const plan::VariablePlan& variable : file.variables)
        if (variable.axis >= 0) bytes[base::index(variable.axis)] += record_bytes(declarations, variable);
      files_.emplace_back(file, f, plan.calendar, axes_.begin(),
                          plan::ClockLimits{.bytes_per_record = std::move(bytes), .most_bytes = most_bytes});
    }
  }

  // Returns what happens at a step, as JSON whose text tells kinds of steps apart.
  Json step(const model::Tick& tick) {
    Json made;
    agenda_->advance(tick, wanted_);
    made["puts"] = Json::array();
    for (std::size_t f = 0; f < wanted_.size(); ++f)
      if (wanted_[f] == 1) made["puts"].push_back(f);
    axes_.advance(tick);
    made["records"] = records();
    made["commits"] = Json::array();
    for (std::size_t f = 0; f < files_.size(); ++f)
      if (const auto due = files_[f].advance(axes_, tick)) made["commits"].push_back(commit(f, *due));
    made["checkpoint"] = checkpoint_ && checkpoint_(tick);
    return made;
  }

  // Each file has a commit at the end of the run, with or without records.
  Json finish() {
    Json made{{"puts", Json::array()}, {"records", Json::array()}, {"commits", Json::array()}};
    for (std::size_t f = 0; f < files_.size(); ++f)
      made["commits"].push_back(commit(f, files_[f].finish(axes_)));
    made["checkpoint"] = plan_.checkpoint_at_end;
    return made;
  }

 private:
  // [file, variable] of each record that closes.
  Json records() const {
    Json list = Json::array();
    for (std::size_t f = 0; f < plan_.files.size(); ++f) {
      const plan::DatasetPlan& file = plan_.files[f];
      for (std::size_t v = 0; v < file.variables.size(); ++v) {
        if (file.variables[v].axis < 0) continue;
        const std::size_t axis = axes_.number(f, base::index(file.variables[v].axis));
        for (const time::Share& share : axes_.shares(axis))
          if (share.closes) list.push_back({f, v});
      }
    }
    return list;
  }

  // [variable, number] of the records of a commit.
  Json commit(std::size_t f, const plan::CommitDue& due) const {
    Json list = Json::array();
    const plan::DatasetPlan& file = plan_.files[f];
    for (std::size_t v = 0; v < file.variables.size(); ++v) {
      if (file.variables[v].axis < 0) continue;
      const std::size_t count = due.records[base::index(file.variables[v].axis)].size();
      if (count > 0) list.push_back({v, count});
    }
    return {{"file", f}, {"records", std::move(list)}};
  }

  const plan::Plan& plan_;
  plan::AxisBank axes_;
  std::function<bool(const model::Tick&)> checkpoint_;  // empty: no checkpoints
  std::vector<unsigned char> wanted_;
  std::unique_ptr<model::Agenda> agenda_;
  std::vector<plan::CommitClock> files_;
};

void add_steps(Clocks clocks, const RunToSize& run, Json& page) {
  std::map<std::string, std::size_t> known;
  Json kinds = Json::array(), runs = Json::array();
  const auto add = [&](Json&& step) {
    const auto [place, is_new] = known.try_emplace(step.dump(), kinds.size());
    if (is_new) kinds.push_back(std::move(step));
    if (!runs.empty() && runs.back()[0] == place->second)
      runs.back()[1] = runs.back()[1].get<std::int64_t>() + 1;
    else
      runs.push_back({place->second, 1});
  };
  for (std::int64_t step = 1; step <= run.steps; ++step)
    add(clocks.step({.step = step, .time = static_cast<double>(step) * run.step_seconds}));
  add(clocks.finish());
  page["kinds"] = std::move(kinds);
  page["runs"] = std::move(runs);
}

std::size_t checkpoint_bytes(const plan::Plan& plan, const model::Declarations& declarations) {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < plan.fields.size(); ++f)
    if (plan.fields[f].kept)
      bytes += cells_of(declarations, static_cast<int>(f)) * model::size_of(declarations.fields[f].type);
  return bytes;
}

}  // namespace

std::string workload_json(const settings::Configuration& configuration, const plan::Plan& plan,
                          const model::Declarations& declarations, std::size_t model_fields,
                          const RunToSize& run) {
  const settings::ServersOptions& servers = configuration.servers;
  Json page{{"schema", "tailrace-workload"}, {"version", 1}, {"component", declarations.component}};
  page["steps"] = run.steps;
  page["step_seconds"] = run.step_seconds;
  page["ranks"] = run.ranks;
  page["is_dedicated"] = servers.mode == settings::Mode::dedicated;
  page["count"] = servers.count;
  page["per_node"] = servers.per_node;
  page["per_domain"] = servers.per_domain;
  page["threads"] = servers.threads;
  page["memory_bytes"] = servers.memory;
  page["buffer_bytes"] = buffer_of_a_rank(configuration, plan, declarations, model_fields, run.ranks);
  page["writers"] = plan::commits_at_a_time(settings::Mode::dedicated);
  page["is_fed"] = std::ranges::any_of(plan.inputs, [](const auto& input) { return input.field >= 0; });
  page["checkpoint_bytes"] = checkpoint_bytes(plan, declarations);
  page["memory"] = memory_json(servers, plan, declarations, run.servers);
  page["fields"] = fields_json(declarations, model_fields, run.ranks);
  page["files"] = files_json(plan, declarations);
  add_steps(Clocks(configuration, plan, declarations, model_fields), run, page);
  return page.dump();
}

}  // namespace tailrace::session
