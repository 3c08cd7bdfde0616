#include "analytics/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "analytics/engine/phase_scheduler.hpp"
#include "analytics/engine/result_queue.hpp"
#include "analytics/engine/step_store.hpp"
#include "analytics/engine/work/fixed_inputs.hpp"
#include "analytics/engine/work/known.hpp"
#include "analytics/engine/work/results.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
struct Engine::Parts {
  Parts(planning::Layout made, const std::vector<EngineInput>& inputs, EngineServices services,
        std::function<void(StepResults&&)> results_done)
      : layout(std::move(made)),
        known(engine::work::known_values(layout, inputs)),
        store(layout, known),
        fixed(layout, inputs),
        done(std::move(results_done)),
        queue([this](engine::FinishedStep&& step) { give(std::move(step)); }),
        scheduler(layout, std::move(services),
                  {.may_run = [this](const engine::Step& step) { return has_turn(step); },
                   .over = [this](engine::Step& step) { over(step); }}) {}

  bool has_turn(const engine::Step& step) const { return !layout.in_order || &step == steps.front().get(); }
  void over(engine::Step& step);
  void give(engine::FinishedStep&& step);

  const planning::Layout layout;
  const std::vector<engine::work::Value> known;
  engine::StepStore store;
  engine::work::FixedInputs fixed;
  const std::function<void(StepResults&&)> done;
  engine::ResultQueue queue;
  std::deque<std::unique_ptr<engine::Step>> steps;  // unfinished, in order
  engine::Step* current = nullptr;                  // the step that takes blocks
  std::vector<Failure> failures;
  engine::PhaseScheduler scheduler;
};

Engine::Engine(const Graph& graph, const std::vector<EngineInput>& inputs, std::vector<int> clients,
               EngineServices services, std::function<void(StepResults&&)> done) {
  const planning::Server server{
      .rank = services.messenger.rank(), .count = services.messenger.size(), .home = services.home};
  parts_ = std::make_unique<Parts>(planning::Layout(graph, inputs, std::move(clients), server), inputs,
                                   std::move(services), std::move(done));
}

Engine::~Engine() = default;

void Engine::begin(const model::Tick& tick, const std::vector<char>& due) {
  TAILRACE_ASSERT(parts_->current == nullptr, "a step of the diagnostics has not ended");
  if (std::none_of(due.begin(), due.end(), [](char is_due) { return is_due; })) return;
  std::unique_ptr<engine::Step> step = parts_->store.begin(due);
  step->values.tick = tick;
  step->round = parts_->queue.next_round();
  parts_->current = step.get();
  parts_->steps.push_back(std::move(step));
}

bool Engine::wants(int input) const {
  return parts_->current != nullptr && parts_->current->plan().position(input).node >= 0;
}

void Engine::accept(int input, int client, model::DataType type, std::span<const std::byte> payload) {
  const auto& places = parts_->layout.places_of_clients;
  TAILRACE_ASSERT(base::index(client) < places.size() && places[base::index(client)] >= 0,
                  "a block of another server's client");
  if (parts_->fixed.has(input))
    return parts_->fixed.keep(input, base::index(places[base::index(client)]), type, payload);
  engine::Step* const step = parts_->current;
  if (step == nullptr) return;
  if (step->plan().position(input).node < 0) return;
  step->inputs.take(input, base::index(places[base::index(client)]), type, payload);
}

void Engine::end() {
  if (parts_->current == nullptr) return;
  engine::Step& step = *std::exchange(parts_->current, nullptr);
  parts_->fixed.give(step.inputs);
  step.inputs.close();
  parts_->scheduler.start(step);
}

void Engine::Parts::over(engine::Step& step) {
  engine::work::ResultWriter writer(step.values);
  engine::FinishedStep result{.results = writer.write(), .failures = writer.take_failures()};
  const std::int64_t round = step.round;
  const auto place =
      std::find_if(steps.begin(), steps.end(), [&](const auto& each) { return each.get() == &step; });
  std::unique_ptr<engine::Step> finished = std::move(*place);
  steps.erase(place);
  store.give_back(std::move(finished));
  queue.add(round, std::move(result));
  if (layout.in_order && !steps.empty()) scheduler.advance(*steps.front());
}

void Engine::Parts::give(engine::FinishedStep&& step) {
  std::ranges::move(step.failures, std::back_inserter(failures));
  done(std::move(step.results));
}

bool Engine::progress() { return parts_->scheduler.progress(); }
bool Engine::idle() const { return parts_->steps.empty(); }
std::size_t Engine::steps() const { return parts_->steps.size(); }

std::size_t Engine::bytes() const {
  std::size_t held = parts_->scheduler.bytes();
  for (const auto& step : parts_->steps) held += step->values.bytes;
  return held;
}

std::size_t Engine::fixed_bytes() const {
  return parts_->fixed.bytes() + parts_->scheduler.memories().bytes();
}

std::vector<Failure> Engine::take_failures() { return std::exchange(parts_->failures, {}); }

void Engine::finish(std::function<void(const std::string&)> then) {
  parts_->scheduler.finish(std::move(then));
}

std::string Engine::describe() const {
  if (parts_->steps.empty()) return "";
  const engine::Step& first = *parts_->steps.front();
  return fmt::format("\n    diagnostics: {} steps in progress, the first step {} in phase {} of {}{}",
                     parts_->steps.size(), first.values.tick.step, first.phase,
                     first.plan().schedule().phases.size(), parts_->scheduler.describe());
}

const Placement& Engine::placement() const { return parts_->layout.placement; }

std::vector<int> Engine::clients_of(int diagnostic) const {
  const planning::Layout& layout = parts_->layout;
  const auto node = base::index(layout.graph.diagnostics[base::index(diagnostic)].node);
  const Place place = layout.placement.place[node];
  if (place == Place::local) return layout.clients;
  const int root = place == Place::known ? layout.server.home : layout.placement.root[node];
  return root == layout.server.rank ? std::vector<int>{-1} : std::vector<int>{};
}

void Engine::save(model::StateSaver& saver) const { parts_->scheduler.memories().save(saver); }

void Engine::load(const model::StateLoader& loader) { parts_->scheduler.memories().load(loader); }

}  // namespace tailrace::analytics
