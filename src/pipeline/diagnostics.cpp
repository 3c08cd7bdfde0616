#include "pipeline/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "base/log.hpp"
#include "plan/analysis.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline {
namespace {

// Adding so many values takes some tens of microseconds.
constexpr std::size_t light_values = 16384;

// A diagnostic that is not computed by client (-1) is assigned to the first client.
int client_of(int client) { return std::max(0, client); }

}  // namespace

Diagnostics::Diagnostics(Parts parts, std::vector<int> clients) : parts_(std::move(parts)) {
  const plan::Analysis& analysis = *parts_.blueprint.plan.analysis;
  input_of_field_.assign(parts_.blueprint.info.declarations.fields.size(), {});
  for (std::size_t input = 0; input < analysis.field_of_input.size(); ++input)
    if (const int field = analysis.field_of_input[input]; field >= 0)
      input_of_field_[base::index(field)] = {static_cast<int>(input), parts_.blueprint.field(field).type};
  sampled_axes_.assign(parts_.output_variables.axes().size(), 0);
  for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d)
    for (const sampling::OutputVariable* output_variable : takers_of(static_cast<int>(d)))
      sampled_axes_[output_variable->axis] = 1;
  std::sort(clients.begin(), clients.end());
  make_engine(std::move(clients));
  for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d)
    for (const int client : engine_->clients_of(static_cast<int>(d)))
      for (sampling::OutputVariable* output_variable : variables_of(static_cast<int>(d)))
        parts_.output_variables.expect(*output_variable, client_of(client));
}

void Diagnostics::make_engine(std::vector<int> clients) {
  const auto submit = [this](std::function<void()> piece, bool light) {
    parts_.tasks.submit(
        [this, piece = std::move(piece)] {
          const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::analyse,
                                            parts_.services.trace);
          piece();
        },
        light);
  };
  const plan::Analysis& analysis = *parts_.blueprint.plan.analysis;
  engine_ = std::make_unique<analytics::Engine>(
      analysis.graph, analysis.inputs, std::move(clients),
      analytics::EngineServices{parts_.control.messenger(), parts_.control.kind(ControlMessage::analytics),
                                parts_.blueprint.info.leader, submit},
      [this](analytics::StepResults&& results) {
        folds_.push_back({std::move(results), std::move(step_shares_.front())});
        step_shares_.pop_front();
      });
}

int Diagnostics::field_of(int diagnostic) const {
  return parts_.blueprint.plan.analysis->field_of_diagnostic[base::index(diagnostic)];
}

const std::vector<sampling::OutputVariable*>& Diagnostics::variables_of(int diagnostic) const {
  return parts_.output_variables.of_field(field_of(diagnostic));
}

// Those that add its samples, and those that add them once they are regridded.
std::vector<sampling::OutputVariable*> Diagnostics::takers_of(int diagnostic) const {
  std::vector<sampling::OutputVariable*> takers = variables_of(diagnostic);
  const auto& regridded = parts_.output_variables.regridded_from(field_of(diagnostic));
  takers.insert(takers.end(), regridded.begin(), regridded.end());
  return takers;
}

void Diagnostics::begin_step(const model::Tick& tick, const plan::AxisBank& axes) {
  std::vector<char> active(axes.size(), 0);
  StepShares shares;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (sampled_axes_[a] == 0 || axes.shares(a).empty()) continue;
    active[a] = 1;
    shares.resize(a + 1);
    shares[a] = axes.shares(a);
  }
  if (shares.empty()) return;
  if (active != active_axes_) find_due(std::move(active));
  step_shares_.push_back(std::move(shares));
  engine_->begin(tick, due_);
}

// Cached from step to step: most runs sample few different combinations of axes.
void Diagnostics::find_due(std::vector<char> active) {
  due_.resize(parts_.blueprint.plan.analysis->field_of_diagnostic.size());
  for (std::size_t d = 0; d < due_.size(); ++d)
    due_[d] = std::ranges::any_of(
        takers_of(static_cast<int>(d)),
        [&](const sampling::OutputVariable* output_variable) { return active[output_variable->axis] != 0; });
  active_axes_ = std::move(active);
}

void Diagnostics::accept(int field, int client, std::span<const std::byte> payload) {
  const Input& input = input_of_field_[base::index(field)];
  if (input.number >= 0) engine_->accept(input.number, client, input.type, payload);
}

bool Diagnostics::progress() {
  bool moved = engine_->progress();
  report_failures();
  if (folds_.empty() || folding_.exchange(true, std::memory_order_acq_rel)) return moved;
  const auto next = std::make_shared<Fold>(std::move(folds_.front()));
  folds_.pop_front();
  parts_.tasks.submit(
      [this, next] {
        fold(*next);
        folding_.store(false, std::memory_order_release);
      },
      next->results.values.size() <= light_values);
  return true;
}

bool Diagnostics::prove_the_end() {
  if (!engine_->idle() || proof_ != Proof::none) return false;
  proof_ = Proof::asked;
  engine_->finish([this](const std::string& unmatched) {
    proof_ = Proof::given;
    if (!unmatched.empty())
      parts_.fail({ErrorCode::internal, "diagnostics that not all servers have finished:\n" + unmatched});
  });
  return true;
}

bool Diagnostics::at_rest() const {
  return engine_->idle() && folds_.empty() && !folding_.load(std::memory_order_acquire);
}

void Diagnostics::fold(const Fold& fold) {
  const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::accumulate,
                                    parts_.services.trace);
  const auto for_each_variable = [&](int diagnostic, const auto& act) {
    for (sampling::OutputVariable* output_variable : variables_of(diagnostic))
      if (output_variable->axis < fold.shares.size() && !fold.shares[output_variable->axis].empty())
        act(*output_variable, fold.shares[output_variable->axis]);
  };
  const auto regrid = [&](int diagnostic, int client, std::span<const std::byte> values) {
    if (parts_.regridding != nullptr)
      parts_.regridding->accept_sample(field_of(diagnostic), client_of(client), fold.results.tick.step,
                                       fold.shares, values);
  };
  for (const analytics::Result& result : fold.results.results) {
    const auto values = std::as_bytes(fold.results.of(result));
    for_each_variable(result.diagnostic, [&](sampling::OutputVariable& output_variable,
                                             const std::vector<time::Share>& shares) {
      parts_.output_variables.fold(output_variable, client_of(result.client), values, shares);
    });
    regrid(result.diagnostic, result.client, values);
  }
  for (const analytics::MissingResult& missing : fold.results.missing_results) {
    for_each_variable(missing.diagnostic,
                      [&](sampling::OutputVariable& output_variable, const std::vector<time::Share>& shares) {
                        parts_.output_variables.skip(output_variable, client_of(missing.client), shares);
                      });
    regrid(missing.diagnostic, missing.client, {});
  }
}

// A diagnostic that cannot be computed affects only its files, as their on_error specifies, and is reported
// once.
void Diagnostics::report_failures() {
  for (const analytics::Failure& failure : engine_->take_failures())
    if (failed_.insert(failure.diagnostic).second) report_failure(failure);
}

void Diagnostics::report_failure(const analytics::Failure& failure) {
  const analytics::Diagnostic& diagnostic =
      parts_.blueprint.plan.analysis->graph.diagnostics[base::index(failure.diagnostic)];
  const std::string text =
      fmt::format("{}  diagnostic \"{}\" at step {} ({} s): {}", diagnostic.location.text(), diagnostic.name,
                  failure.tick.step, failure.tick.time, failure.what);
  const bool stops = failure.thrown &&
                     std::ranges::any_of(
                         takers_of(failure.diagnostic), [&](const sampling::OutputVariable* output_variable) {
                           return parts_.blueprint.plan.files[output_variable->file].entry.on_error ==
                                  settings::OnError::stop;
                         });
  if (stops)
    parts_.control.tell(base::Fault{ErrorCode::configuration, text});
  else
    base::log_warning(text + "; further steps like this one are not reported");
}

}  // namespace tailrace::pipeline
