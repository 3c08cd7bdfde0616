// The third part of ServedComponent: diagnostics between the blocks and the streams.
#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "session/analysis.hpp"
#include "session/component.hpp"
#include "session/stream.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::session {
namespace {

// Folding so many values takes some tens of microseconds.
constexpr std::size_t light_values = 16384;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

void ServedComponent::make_engine(const std::vector<server::Link>& links) {
  const Analysis& analysis = *plan_.analysis;
  if (analysis.graph.diagnostics.empty()) return;
  input_of_field_.assign(info_.declarations.fields.size(), {});
  for (std::size_t input = 0; input < analysis.field_of_input.size(); ++input)
    if (const int field = analysis.field_of_input[input]; field >= 0)
      input_of_field_[at(field)] = {static_cast<int>(input), info_.declarations.fields[at(field)].type};
  std::vector<int> clients;
  for (const server::Link& link : links) clients.push_back(link.client);
  std::sort(clients.begin(), clients.end());
  analytics::EngineServices services{
      messenger_, info_.number * words_per_component + static_cast<std::int32_t>(Word::analytics),
      info_.leader, [this](std::function<void()> piece, bool light) {
        work(
            [this, piece = std::move(piece)] {
              const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::analyse,
                                                services_.trace);
              piece();
            },
            light);
      }};
  diagnostic_axes_.assign(sample_axes_.size(), 0);
  for (const int field : analysis.field_of_diagnostic)
    for (const Stream* stream : streams_of_field_[at(field)]) diagnostic_axes_[stream->axis] = 1;
  engine_ = std::make_unique<analytics::Engine>(
      analysis.graph, analysis.inputs, std::move(clients), std::move(services),
      [this](analytics::StepResults&& results) {
        folds_.push_back({std::move(results), std::move(step_shares_.front())});
        step_shares_.pop_front();
      });
}

// A diagnostic is computed at the steps at which one of its variables takes a sample.
void ServedComponent::begin_analytics(const model::Tick& tick, const AxisBank& axes) {
  std::vector<char> active(axes.size(), 0);
  std::vector<std::vector<time::Share>> shares;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (diagnostic_axes_[a] == 0 || axes.shares(a).empty()) continue;
    active[a] = 1;
    shares.resize(a + 1);
    shares[a] = axes.shares(a);
  }
  if (shares.empty()) return;
  if (active != active_axes_) {
    const auto& fields = plan_.analysis->field_of_diagnostic;
    due_.resize(fields.size());
    for (std::size_t d = 0; d < fields.size(); ++d)
      due_[d] = std::ranges::any_of(streams_of_field_[at(fields[d])],
                                    [&](const Stream* stream) { return active[stream->axis] != 0; });
    active_axes_ = std::move(active);
  }
  step_shares_.push_back(std::move(shares));
  engine_->begin(tick, due_);
}

bool ServedComponent::progress_analytics() {
  bool moved = engine_->progress();
  tell_failures();
  if (!folds_.empty() && !folding_.exchange(true, std::memory_order_acq_rel)) {
    const auto next = std::make_shared<Fold>(std::move(folds_.front()));
    folds_.pop_front();
    work(
        [this, next] {
          fold(next->results, next->shares);
          folding_.store(false, std::memory_order_release);
        },
        next->results.values.size() <= light_values);
    moved = true;
  }
  const bool all_in = intake_ ? input_ended_ : final_heard_;
  if (all_in && final_heard_ && engine_->idle() && proof_ == Proof::none && !fatal_) {
    proof_ = Proof::asked;
    engine_->finish([this](const std::string& unmatched) {
      proof_ = Proof::given;
      if (!unmatched.empty())
        fail({ErrorCode::internal, "diagnostics that were not finished by all servers:\n" + unmatched});
    });
    moved = true;
  }
  return moved;
}

bool ServedComponent::analytics_over() const {
  if (!engine_ || fatal_) return true;
  return engine_->idle() && folds_.empty() && !folding_.load(std::memory_order_acquire) &&
         proof_ == Proof::given;
}

void ServedComponent::fold(const analytics::StepResults& results,
                           const std::vector<std::vector<time::Share>>& shares) {
  const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::accumulate, services_.trace);
  const auto for_each_stream = [&](int diagnostic, int client, const auto& act) {
    for (Stream* stream : streams_of_field_[at(plan_.analysis->field_of_diagnostic[at(diagnostic)])]) {
      if (stream->axis >= shares.size() || shares[stream->axis].empty()) continue;
      auto& accumulator = stream->accumulators[client];
      if (!accumulator && !stream->copies())
        accumulator = time::make_accumulator(stream->reduction, stream->input, stream->output,
                                             cells_of(*stream, client));
      act(*stream, accumulator.get(), shares[stream->axis]);
    }
  };
  for (const analytics::Result& result : results.results) {
    const int client = std::max(0, result.client);  // what is whole counts as the first rank's
    for_each_stream(result.diagnostic, client,
                    [&](Stream& stream, time::Accumulator* accumulator, const std::vector<time::Share>& now) {
                      reduce(stream, client, accumulator, std::as_bytes(results.of(result)), now);
                    });
  }
  for (const analytics::Gap& gap : results.gaps) {
    const int client = std::max(0, gap.client);
    for_each_stream(gap.diagnostic, client,
                    [&](Stream& stream, const time::Accumulator*, const std::vector<time::Share>& now) {
                      skip(stream, client, now);
                    });
  }
}

// A diagnostic that cannot be computed fails its files by their policy, once, and nothing else.
void ServedComponent::tell_failures() {
  for (const analytics::Failure& failure : engine_->take_failures()) {
    if (!failed_diagnostics_.insert(failure.diagnostic).second) continue;
    const analytics::Diagnostic& diagnostic = plan_.analysis->graph.diagnostics[at(failure.diagnostic)];
    const std::string text =
        fmt::format("{}  diagnostic \"{}\" at step {} ({} s): {}", diagnostic.location.text(),
                    diagnostic.name, failure.tick.step, failure.tick.time, failure.what);
    const int field = plan_.analysis->field_of_diagnostic[at(failure.diagnostic)];
    const auto& streams = streams_of_field_[at(field)];
    const bool stops =
        failure.thrown && std::any_of(streams.begin(), streams.end(), [&](const Stream* stream) {
          return plan_.files[stream->file].entry.on_error == OnError::stop;
        });
    if (!stops) {
      base::log_warning(text + "; further steps like this one are not told of");
      continue;
    }
    base::ByteWriter writer;
    writer.put(ErrorCode::configuration);
    writer.put_text(text);
    tell(Word::fault, writer.take());
  }
}

}  // namespace tailrace::session
