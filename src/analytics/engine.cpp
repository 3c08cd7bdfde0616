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

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<Place> places_of(const std::vector<EngineInput>& inputs) {
  std::vector<Place> places;
  for (const EngineInput& input : inputs) places.push_back(input.place);
  return places;
}

}  // namespace

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
      placement_(make_placement(graph, places_of(inputs_), services_.messenger.size(), services_.home)) {
  for (const Node& node : graph_.nodes)
    if (node.kind == NodeKind::kernel && static_cast<const Kernel*>(node.op)->remembers()) in_order_ = true;
  blocks_ = std::make_unique<Blocks>(graph_, placement_, inputs_, clients_);
  placement_.cut = blocks_->cuts();
}

Engine::~Engine() = default;

const Schedule& Engine::schedule(const std::vector<char>& due) {
  auto& slot = schedules_[due];
  if (!slot) {
    slot = std::make_unique<Schedule>(make_schedule(graph_, placement_, due, inputs_.size()));
  }
  return *slot;
}

messaging::Name Engine::name(const Work& work, std::size_t phase, std::size_t root, int what) const {
  const auto servers = static_cast<std::size_t>(services_.messenger.size());
  const int server = work.schedule->phases[phase].roots[root].root;
  return {static_cast<std::int64_t>((phase * servers + at(server)) * 2) + what, work.round};
}

void Engine::begin(const model::Tick& tick, const std::vector<char>& due) {
  TAILRACE_ASSERT(current_ == nullptr, "a step of the diagnostics has not ended");
  if (std::none_of(due.begin(), due.end(), [](char is_due) { return is_due; })) return;
  std::unique_ptr<Work> work;
  if (!spare_.empty()) {
    work = std::move(spare_.back());
    spare_.pop_back();
  } else {
    work = std::make_unique<Work>();
    work->globals.resize(graph_.nodes.size());
    for (const int client : clients_)
      work->clients.push_back({client, std::vector<Value>(graph_.nodes.size())});
  }
  work->tick = tick;
  work->round = rounds_++;
  work->schedule = &schedule(due);
  work->lanes.resize(std::max(work->lanes.size(), work->schedule->phases.size()));
  work->awaited.assign(work->schedule->phases.size(), 0);
  for (std::size_t p = 0; p < work->schedule->phases.size(); ++p) {
    for (const RootPlan& root : work->schedule->phases[p].roots) {
      work->own_roots += root.root == services_.messenger.rank() ? 1 : 0;
      work->awaited[p] += root.broadcast.empty() ? 0 : 1;
    }
  }
  // Ranks without cells put nothing.
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const int node = blocks_->node_of_input(static_cast<int>(i));
    if (inputs_[i].place != Place::local || work->schedule->inputs[i] == 0) continue;
    for (std::size_t c = 0; c < clients_.size(); ++c)
      if (blocks_->region(node, c).size() == 0) work->clients[c].nodes[at(node)].make(0);
  }
  current_ = work.get();
  works_.push_back(std::move(work));
}

bool Engine::wants(int input) const {
  return current_ != nullptr && current_->schedule->inputs[at(input)] != 0;
}

void Engine::accept(int input, int client, model::DataType type, std::span<const std::byte> payload) {
  if (!wants(input)) return;
  const auto place = std::lower_bound(clients_.begin(), clients_.end(), client);
  TAILRACE_ASSERT(place != clients_.end() && *place == client, "a block of another server's client");
  Value& value = current_->clients[static_cast<std::size_t>(place - clients_.begin())]
                     .nodes[at(blocks_->node_of_input(input))];
  value.bytes.assign(payload.begin(), payload.end());
  value.type = type;
  value.present = true;
}

void Engine::end() {
  if (current_ == nullptr) return;
  Work& work = *current_;
  current_ = nullptr;
  work.ended = true;
  for (const ClientValues& client : work.clients)
    for (const Value& value : client.nodes) work.bytes += value.present ? value.bytes.size() : 0;
  // Told of now, so that what arrives finds its place.
  for (std::size_t p = 0; p < work.schedule->phases.size(); ++p) {
    const auto& roots = work.schedule->phases[p].roots;
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

void Engine::in_background(std::function<void()> work, std::function<void()> then) {
  services_.submit([this, work = std::move(work), then = std::move(then)] {
    work();
    post(then);
  });
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
  if (work.phase == work.schedule->phases.size()) {
    if (work.own_roots == 0) finish_work(work);
    return;
  }
  work.running = true;
  const std::size_t phase = work.phase;
  const auto lanes = blocks_->lanes(*work.schedule, phase);
  work.lanes[phase].resize(std::max(lanes, work.lanes[phase].size()));
  for (Lane& lane : work.lanes[phase]) lane.absent.clear();
  auto left = std::make_shared<std::size_t>(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    in_background(
        [this, &work, phase, lane, lanes] {
          for (std::size_t c = lane; c < work.clients.size(); c += lanes)
            blocks_->run(work, phase, c, work.lanes[phase][lane]);
        },
        [this, &work, phase, left] {
          if (--*left == 0) phase_done(work, phase);
        });
  }
}

void Engine::phase_done(Work& work, std::size_t phase) {
  work.running = false;
  work.phase = phase + 1;
  const auto& roots = work.schedule->phases[phase].roots;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    messaging::Bytes mine;
    if (roots[r].root != services_.messenger.rank()) mine = blocks_->contribution(work, phase, roots[r]);
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
        blocks_->compute_at_root(work, phase, work.schedule->phases[phase].roots[root], *kept,
                                 services_.messenger.rank(), runs_);
      },
      [this, &work, phase, root] { root_done(work, phase, root); });
}

void Engine::root_done(Work& work, std::size_t phase, std::size_t root) {
  const RootPlan& plan = work.schedule->phases[phase].roots[root];
  --work.own_roots;
  if (!plan.broadcast.empty()) {
    messages_.broadcast(name(work, phase, root, broadcast_word), plan.root, blocks_->announcement(work, plan),
                        [](messaging::Bytes&&) {});
    --work.awaited[phase];
  }
  run_phase(work);
}

void Engine::broadcast_arrived(Work& work, std::size_t phase, std::size_t root, messaging::Bytes&& message) {
  blocks_->take_announcement(work, work.schedule->phases[phase].roots[root], message);
  --work.awaited[phase];
  run_phase(work);
}

void Engine::finish_work(Work& work) {
  StepResults results{work.tick, {}, {}};
  blocks_->results(work, services_.messenger.rank(), services_.home, results, failures_);
  const auto place = std::find_if(works_.begin(), works_.end(),
                                  [&](const std::unique_ptr<Work>& each) { return each.get() == &work; });
  finished_[work.round] = std::move(results);
  std::unique_ptr<Work> spare = std::move(*place);
  works_.erase(place);
  blocks_->recycle(*spare);
  spare_.push_back(std::move(spare));
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
                     works_.size(), first.tick.step, first.phase, first.schedule->phases.size(),
                     messages_.describe());
}

}  // namespace tailrace::analytics
