#include "analytics/engine/phase_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "analytics/engine/work/client_run.hpp"
#include "analytics/engine/work/exchange.hpp"

namespace tailrace::analytics::engine {
namespace {

constexpr int gather_word = 0;
constexpr int broadcast_word = 1;

}  // namespace

PhaseScheduler::PhaseScheduler(const planning::Layout& layout, EngineServices services, Calls calls)
    : layout_(layout),
      calls_(std::move(calls)),
      messages_(services.messenger, services.kind,
                [](const messaging::Name& name) {
                  return fmt::format("diagnostics of round {}, exchange {}", name.round, name.what);
                }),
      background_(std::move(services.submit)),
      runs_(layout) {}

messaging::Name PhaseScheduler::name(const RootTask& task, int what) const {
  const auto servers = static_cast<std::size_t>(layout_.server.count);
  const auto server = static_cast<std::size_t>(task.plan().root);
  return {static_cast<std::int64_t>((task.phase * servers + server) * 2) + what, task.step.round};
}

void PhaseScheduler::start(Step& step) {
  const auto& phases = step.plan().schedule().phases;
  step.awaited.assign(phases.size(), 0);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    for (std::size_t r = 0; r < phases[p].roots.size(); ++r) {
      const planning::RootPlan& root = phases[p].roots[r];
      const bool mine = root.root == layout_.server.rank;
      if (mine) step.roots.push_back({.phase = p, .root = r});
      if (root.broadcast.empty()) continue;
      ++step.awaited[p];
      // Registered now, so that a message that arrives early finds its handler.
      const RootTask task{step, p, r};
      if (!mine)
        messages_.broadcast(name(task, broadcast_word), root.root, {},
                            [this, task](messaging::Bytes&& message) { announced(task, message); });
    }
  }
  step.ended = true;
  advance(step);
}

bool PhaseScheduler::may_run(const Step& step) const {
  const auto before = step.awaited.begin() + static_cast<std::ptrdiff_t>(step.phase);
  return step.ended && !step.running &&
         std::none_of(step.awaited.begin(), before, [](int left) { return left > 0; }) &&
         calls_.may_run(step);
}

// Runs the next phase once the broadcasts of earlier phases have arrived; after the last one, ends the step.
void PhaseScheduler::advance(Step& step) {
  if (!may_run(step)) return;
  if (step.phase < step.plan().schedule().phases.size()) return run_phase(step);
  if (step.roots.empty()) calls_.over(step);
}

void PhaseScheduler::run_phase(Step& step) {
  step.running = true;
  const std::size_t phase = step.phase;
  auto& workers = step.values.workers(phase);
  if (workers.size() == 1 && layout_.server.count == 1) return run_phase_alone(step);
  auto left = std::make_shared<std::size_t>(workers.size());
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    background_.run(
        [this, &step, phase, worker, &workers] {
          const std::size_t clients = step.plan().layout().clients.size();
          for (std::size_t c = worker; c < clients; c += workers.size())
            work::ClientRun(step.values, runs_, c, workers[worker])
                .run(step.plan().schedule().phases[phase].blocks);
        },
        [this, &step, left] {
          if (--*left == 0) phase_done(step);
        },
        step.plan().light(phase));
  }
}

// With a single server, blocks and roots are one piece of work: passing work to a worker costs more than a
// few small blocks.
void PhaseScheduler::run_phase_alone(Step& step) {
  background_.run(
      [this, &step] {
        const planning::PhasePlan& phase = step.plan().schedule().phases[step.phase];
        work::WorkerPartials& worker = step.values.workers(step.phase).front();
        for (std::size_t c = 0; c < layout_.clients.size(); ++c)
          work::ClientRun(step.values, runs_, c, worker).run(phase.blocks);
        for (std::size_t r = 0; r < phase.roots.size(); ++r) compute({step, step.phase, r}, {});
      },
      [this, &step] {
        step.running = false;
        for (const planning::RootPlan& root : step.plan().schedule().phases[step.phase].roots) {
          step.roots.pop_front();
          if (!root.broadcast.empty()) --step.awaited[step.phase];
        }
        ++step.phase;
        advance(step);
      },
      step.plan().light(step.phase));
}

void PhaseScheduler::phase_done(Step& step) {
  step.running = false;
  const std::size_t phase = step.phase++;
  const auto& roots = step.plan().schedule().phases[phase].roots;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const RootTask task{step, phase, r};
    messaging::Bytes mine;
    if (roots[r].root != layout_.server.rank)
      mine = work::Exchange(step.values, phase).contribution(roots[r]);
    messages_.gather(
        name(task, gather_word), roots[r].root, std::move(mine),
        [this, task](std::vector<messaging::Bytes>&& parts) { gathered(task, std::move(parts)); });
  }
  advance(step);
}

void PhaseScheduler::compute(const RootTask& task, const std::vector<messaging::Bytes>& parts) {
  work::Exchange(task.step.values, task.phase).collect(task.plan(), parts);
  for (const planning::Stage& stage : task.plan().stages) work::RootRun(task.step.values, runs_).run(stage);
}

void PhaseScheduler::gathered(const RootTask& task, std::vector<messaging::Bytes>&& parts) {
  const auto own = std::find_if(task.step.roots.begin(), task.step.roots.end(),
                                [&](const OwnRoot& each) { return each.phase == task.phase; });
  own->parts = std::move(parts);
  run_roots(task.step);
}

// Roots run one after the other, in the order of phases: a later one may read the result of an earlier one
// without a message in between.
void PhaseScheduler::run_roots(Step& step) {
  if (step.root_running || step.roots.empty() || !step.roots.front().parts) return;
  step.root_running = true;
  const RootTask task{step, step.roots.front().phase, step.roots.front().root};
  background_.run([this, task] { compute(task, *task.step.roots.front().parts); },
                  [this, task] { root_done(task); }, step.plan().light(task.phase));
}

void PhaseScheduler::root_done(const RootTask& task) {
  task.step.roots.pop_front();
  task.step.root_running = false;
  if (!task.plan().broadcast.empty()) {
    messages_.broadcast(name(task, broadcast_word), task.plan().root,
                        work::Exchange(task.step.values, task.phase).announcement(task.plan()),
                        [](messaging::Bytes&&) {});
    --task.step.awaited[task.phase];
  }
  run_roots(task.step);
  advance(task.step);
}

void PhaseScheduler::announced(const RootTask& task, const messaging::Bytes& message) {
  work::Exchange(task.step.values, task.phase).take_announcement(task.plan(), message);
  --task.step.awaited[task.phase];
  advance(task.step);
}

bool PhaseScheduler::progress() {
  const bool came_back = background_.progress();
  return messages_.progress() || came_back;
}

void PhaseScheduler::finish(std::function<void(const std::string&)> then) {
  messages_.finish(std::move(then));
}

}  // namespace tailrace::analytics::engine
