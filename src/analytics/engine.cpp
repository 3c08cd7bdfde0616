#include "analytics/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analytics/engine_blocks.hpp"
#include "analytics/engine_work.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"

namespace tailrace::analytics {
namespace {

constexpr int gather_word = 0;
constexpr int broadcast_word = 1;
// The memory of steps that hold more is kept for the next one only while the same diagnostics are due.
constexpr std::size_t worth_freeing = std::size_t{4} << 20;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<Place> places_of(const std::vector<EngineInput>& inputs) {
  std::vector<Place> places;
  for (const EngineInput& input : inputs) places.push_back(input.place);
  return places;
}

}  // namespace

struct Engine::Plan {
  Plan(const Graph& graph, const Placement& placement, const Layout& layout, const std::vector<int>& inputs,
       const std::vector<int>& clients, const std::vector<char>& due)
      : bundled(bundle(graph, placement, layout.cells, due)),
        schedule(make_schedule(bundled)),
        blocks(graph, bundled, schedule, layout, clients) {
    for (std::size_t d = 0; d < due.size(); ++d)
      if (due[d]) diagnostics.push_back(static_cast<int>(d));
    for (const int node : inputs) seats.push_back(node < 0 ? Bundled::Seat{} : bundled.seats[at(node)]);
  }

  const Bundled bundled;
  const Schedule schedule;
  const Blocks blocks;
  std::vector<int> diagnostics;
  std::vector<Bundled::Seat> seats;          // by input
  std::vector<std::unique_ptr<Work>> spare;  // of finished steps: their memory
};

Engine::Engine(const Graph& graph, std::vector<EngineInput> inputs, std::vector<int> clients,
               EngineServices services, std::function<void(StepResults&&)> done)
    : graph_(graph),
      inputs_(std::move(inputs)),
      clients_(std::move(clients)),
      services_(std::move(services)),
      done_(std::move(done)),
      messages_(services_.messenger, services_.kind,
                [](const messaging::Name& name) {
                  return fmt::format("diagnostics of round {}, exchange {}", name.round, name.what);
                }),
      placement_(make_placement(graph, places_of(inputs_), services_.messenger.size(), services_.home)),
      layout_(std::make_unique<Layout>(graph_, placement_, inputs_)),
      nodes_of_inputs_(inputs_.size(), -1) {
  for (const Node& node : graph_.nodes)
    if (node.kind == NodeKind::kernel && static_cast<const Kernel*>(node.op)->remembers()) in_order_ = true;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (graph_.nodes[n].kind == NodeKind::input)
      nodes_of_inputs_[at(graph_.nodes[n].input)] = static_cast<int>(n);
  placement_.cut = layout_->cuts;
  place_of_client_.assign(clients_.empty() ? 0 : at(clients_.back()) + 1, -1);
  for (std::size_t c = 0; c < clients_.size(); ++c) place_of_client_[at(clients_[c])] = static_cast<int>(c);
}

Engine::~Engine() = default;

Engine::Plan& Engine::plan(const std::vector<char>& due) {
  auto& slot = plans_[due];
  if (!slot) slot = std::make_unique<Plan>(graph_, placement_, *layout_, nodes_of_inputs_, clients_, due);
  return *slot;
}

messaging::Name Engine::name(const Work& work, std::size_t phase, std::size_t root, int what) const {
  const auto servers = static_cast<std::size_t>(services_.messenger.size());
  const int server = work.plan->schedule.phases[phase].roots[root].root;
  return {static_cast<std::int64_t>((phase * servers + at(server)) * 2) + what, work.round};
}

std::unique_ptr<Engine::Work> Engine::work_for(Plan& plan) {
  if (!plan.spare.empty()) {
    std::unique_ptr<Work> work = std::move(plan.spare.back());
    plan.spare.pop_back();
    return work;
  }
  const std::size_t nodes = plan.bundled.graph.nodes.size();
  auto work = std::make_unique<Work>();
  work->plan = &plan;
  work->globals.resize(nodes);
  work->lanes.resize(plan.schedule.phases.size());
  for (std::size_t p = 0; p < work->lanes.size(); ++p)
    for (std::size_t lane = 0; lane < plan.blocks.lanes(p); ++lane) work->lanes[p].emplace_back(nodes);
  for (std::size_t c = 0; c < clients_.size(); ++c)
    work->clients.push_back({std::vector<Value>(nodes), std::vector<std::vector<char>>(nodes),
                             std::vector<ClientValues::Row>(nodes)});
  return work;
}

void Engine::begin(const model::Tick& tick, const std::vector<char>& due) {
  TAILRACE_ASSERT(current_ == nullptr, "a step of the diagnostics has not ended");
  if (std::none_of(due.begin(), due.end(), [](char is_due) { return is_due; })) return;
  Plan& now = plan(due);
  if (newest_ != nullptr && newest_ != &now)
    std::erase_if(newest_->spare, [](const auto& work) { return work->bytes > worth_freeing; });
  newest_ = &now;
  std::unique_ptr<Work> work = work_for(now);
  work->tick = tick;
  work->round = rounds_++;
  work->bytes = 0;
  work->awaited.assign(now.schedule.phases.size(), 0);
  for (std::size_t p = 0; p < now.schedule.phases.size(); ++p) {
    for (const RootPlan& root : now.schedule.phases[p].roots) {
      work->own_roots += root.root == services_.messenger.rank() ? 1 : 0;
      work->awaited[p] += root.broadcast.empty() ? 0 : 1;
    }
  }
  now.blocks.open(*work);
  current_ = work.get();
  works_.push_back(std::move(work));
}

bool Engine::wants(int input) const {
  return current_ != nullptr && current_->plan->seats[at(input)].node >= 0;
}

void Engine::accept(int input, int client, model::DataType type, std::span<const std::byte> payload) {
  if (current_ == nullptr) return;
  const Bundled::Seat seat = current_->plan->seats[at(input)];
  if (seat.node < 0) return;
  TAILRACE_ASSERT(at(client) < place_of_client_.size() && place_of_client_[at(client)] >= 0,
                  "a block of another server's client");
  current_->plan->blocks.take(*current_, seat, at(place_of_client_[at(client)]), type, payload);
}

void Engine::end() {
  if (current_ == nullptr) return;
  Work& work = *current_;
  current_ = nullptr;
  work.ended = true;
  work.plan->blocks.close(work);
  // Told of now, so that what arrives finds its place.
  for (std::size_t p = 0; p < work.plan->schedule.phases.size(); ++p) {
    const auto& roots = work.plan->schedule.phases[p].roots;
    for (std::size_t r = 0; r < roots.size(); ++r) {
      if (roots[r].broadcast.empty() || roots[r].root == services_.messenger.rank()) continue;
      messages_.broadcast(name(work, p, r, broadcast_word), roots[r].root, {},
                          [this, &work, p, r](messaging::Bytes&& message) {
                            broadcast_arrived(work, p, r, std::move(message));
                          });
    }
  }
  run_phase(work);
}

void Engine::post(std::function<void()> next) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(next));
}

void Engine::in_background(std::function<void()> work, std::function<void()> then, bool light) {
  services_.submit(
      [this, work = std::move(work), then = std::move(then)] {
        work();
        post(then);
      },
      light);
}

bool Engine::may_run(const Work& work) const {
  const auto before = work.awaited.begin() + static_cast<std::ptrdiff_t>(work.phase);
  if (!work.ended || work.running ||
      std::any_of(work.awaited.begin(), before, [](int left) { return left > 0; }))
    return false;
  return !in_order_ || &work == works_.front().get();
}

// The next phase, once what the roots of earlier ones had to say is here; the end, behind the last one.
void Engine::run_phase(Work& work) {
  if (!may_run(work)) return;
  if (work.phase == work.plan->schedule.phases.size()) {
    if (work.own_roots == 0) finish_work(work);
    return;
  }
  work.running = true;
  const std::size_t phase = work.phase;
  const bool light = work.plan->blocks.light(phase);
  auto& lanes = work.lanes[phase];
  if (lanes.size() == 1 && services_.messenger.size() == 1) return run_phase_alone(work);
  auto left = std::make_shared<std::size_t>(lanes.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    in_background(
        [&work, phase, lane, &lanes] {
          for (std::size_t c = lane; c < work.clients.size(); c += lanes.size())
            work.plan->blocks.run(work, phase, c, lanes[lane]);
        },
        [this, &work, phase, left] {
          if (--*left == 0) phase_done(work, phase);
        },
        light);
  }
}

// With nobody to wait for, blocks and roots are one piece of work: each hand-over costs more than a few small
// blocks.
void Engine::run_phase_alone(Work& work) {
  in_background(
      [this, &work] {
        const Blocks& blocks = work.plan->blocks;
        for (std::size_t c = 0; c < work.clients.size(); ++c)
          blocks.run(work, work.phase, c, work.lanes[work.phase].front());
        for (const RootPlan& root : work.plan->schedule.phases[work.phase].roots)
          blocks.compute_at_root(work, work.phase, root, {}, root.root, runs_);
      },
      [this, &work] {
        work.running = false;
        const auto& roots = work.plan->schedule.phases[work.phase].roots;
        for (const RootPlan& root : roots) {
          --work.own_roots;
          if (!root.broadcast.empty()) --work.awaited[work.phase];
        }
        ++work.phase;
        run_phase(work);
      },
      work.plan->blocks.light(work.phase));
}

void Engine::phase_done(Work& work, std::size_t phase) {
  work.running = false;
  work.phase = phase + 1;
  const auto& roots = work.plan->schedule.phases[phase].roots;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    messaging::Bytes mine;
    if (roots[r].root != services_.messenger.rank())
      mine = work.plan->blocks.contribution(work, phase, roots[r]);
    messages_.gather(name(work, phase, r, gather_word), roots[r].root, std::move(mine),
                     [this, &work, phase, r](std::vector<messaging::Bytes>&& parts) {
                       gather_at_root(work, phase, r, std::move(parts));
                     });
  }
  run_phase(work);
}

void Engine::gather_at_root(Work& work, std::size_t phase, std::size_t root,
                            std::vector<messaging::Bytes>&& parts) {
  auto kept = std::make_shared<std::vector<messaging::Bytes>>(std::move(parts));
  in_background(
      [this, &work, phase, root, kept] {
        work.plan->blocks.compute_at_root(work, phase, work.plan->schedule.phases[phase].roots[root], *kept,
                                          services_.messenger.rank(), runs_);
      },
      [this, &work, phase, root] { root_done(work, phase, root); }, work.plan->blocks.light(phase));
}

void Engine::root_done(Work& work, std::size_t phase, std::size_t root) {
  const RootPlan& plan = work.plan->schedule.phases[phase].roots[root];
  --work.own_roots;
  if (!plan.broadcast.empty()) {
    messages_.broadcast(name(work, phase, root, broadcast_word), plan.root,
                        work.plan->blocks.announcement(work, plan), [](messaging::Bytes&&) {});
    --work.awaited[phase];
  }
  run_phase(work);
}

void Engine::broadcast_arrived(Work& work, std::size_t phase, std::size_t root, messaging::Bytes&& message) {
  work.plan->blocks.take_announcement(work, work.plan->schedule.phases[phase].roots[root], message);
  --work.awaited[phase];
  run_phase(work);
}

void Engine::finish_work(Work& work) {
  StepResults results;
  results.tick = work.tick;
  Plan& plan = *work.plan;
  plan.blocks.results(work, plan.diagnostics, services_.messenger.rank(), services_.home, results, failures_);
  const auto place = std::find_if(works_.begin(), works_.end(),
                                  [&](const std::unique_ptr<Work>& each) { return each.get() == &work; });
  finished_[work.round] = std::move(results);
  std::unique_ptr<Work> spare = std::move(*place);
  works_.erase(place);
  plan.blocks.recycle(*spare);
  if (&plan == newest_ || spare->bytes <= worth_freeing) plan.spare.push_back(std::move(spare));
  while (!finished_.empty() && finished_.begin()->first == next_round_) {
    done_(std::move(finished_.begin()->second));
    finished_.erase(finished_.begin());
    ++next_round_;
  }
  if (in_order_ && !works_.empty()) run_phase(*works_.front());
}

bool Engine::progress() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& next : posted) next();
  return messages_.progress() || !posted.empty();
}

std::size_t Engine::bytes() const {
  std::size_t held = messages_.bytes();
  for (const auto& work : works_) held += work->bytes;
  return held;
}

std::vector<Failure> Engine::take_failures() { return std::exchange(failures_, {}); }

void Engine::finish(std::function<void(const std::string&)> then) { messages_.finish(std::move(then)); }

std::string Engine::describe() const {
  if (works_.empty()) return "";
  const Work& first = *works_.front();
  return fmt::format("\n    diagnostics: {} steps under way, the first step {} in phase {} of {}{}",
                     works_.size(), first.tick.step, first.phase, first.plan->schedule.phases.size(),
                     messages_.describe());
}

}  // namespace tailrace::analytics
