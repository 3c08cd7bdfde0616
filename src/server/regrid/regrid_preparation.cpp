#include "server/regrid/regrid_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "pipeline/regridding/exchange.hpp"
#include "plan/analysis.hpp"
#include "regrid/maker/maker_files.hpp"
#include "regrid/needs.hpp"

namespace tailrace::server {
namespace {

using pipeline::ControlMessage;
using pipeline::regridding::WantedCells;

}  // namespace

RegridPreparation::RegridPreparation(RegridSetting setting, messaging::Messenger& messenger,
                                     env::Executor& executor)
    : setting_(std::move(setting)),
      control_(messenger, setting_.blueprint.info.number),
      executor_(executor),
      sums_(regridding().weights.size()),
      wanted_(sums_.size()) {
  laid_out_->assign(sums_.size(), 0);
  control_.on(ControlMessage::regrid_set_up, [self = self_](int from, messaging::Bytes&& message) {
    if (*self != nullptr) (*self)->hear(from, message);
  });
}

// The folder is left to the last job that runs in it: the work holds what it needs.
RegridPreparation::~RegridPreparation() {
  *self_ = nullptr;
  if (!(leads() || leader_is_lost_) || decision_->folder.path.empty()) return;
  const bool is_kept = stage_ == Stage::over && !fault_ && !decision_->folder.is_temporary;
  if (!is_kept) executor_.write([path = decision_->folder.path] { regrid::remove_scratch_folder(path); });
}

void RegridPreparation::refuse(messaging::Messenger& messenger, int component, int leader,
                               const base::Fault& fault) {
  base::ByteWriter writer;
  writer.put(Message::refused);
  base::put_fault(writer, fault);
  for (int server = 0; server < messenger.size(); ++server)
    if (server != messenger.rank() && (messenger.rank() == leader || server == leader))
      messenger.send(server, pipeline::kind_of(component, ControlMessage::regrid_set_up),
                     messaging::Bytes(writer.bytes().begin(), writer.bytes().end()));
}

void RegridPreparation::accept(std::vector<regrid::RankCells> cells) {
  for (regrid::RankCells& of_rank : cells) {
    TAILRACE_ASSERT(base::index(of_rank.weights) < sums_.size(), "cells of one of the source grids");
    sums_[base::index(of_rank.weights)].add(regrid::digest_of(of_rank));
    cells_->push_back(std::move(of_rank));
  }
}

void RegridPreparation::begin(const std::optional<base::Fault>& fault) {
  if (stage_ != Stage::inviting) {  // a server that is to stop gives up in the middle, too
    if (fault && !std::exchange(has_failed_, true)) fail(*fault);
    return;
  }
  stage_ = Stage::gathering;
  has_failed_ = fault.has_value();
  const std::vector<regrid::CellDigest> own =
      leads() ? std::exchange(sums_, std::vector<regrid::CellDigest>(sums_.size())) : sums_;
  send(setting_.blueprint.info.leader, Message::gathered, fault,
       [&](base::ByteWriter& writer) { writer.put_all(std::span<const regrid::CellDigest>(own)); });
}

void RegridPreparation::lose(int server) {
  if (over()) return;
  leader_is_lost_ = leader_is_lost_ || server == setting_.blueprint.info.leader;
  give_up({ErrorCode::lost, fmt::format("server {} was lost while weights of regridding were made", server)});
}

bool RegridPreparation::progress() {
  bool moved = finish_work();
  return watch_makers() || moved;
}

void RegridPreparation::run(std::function<void()> work, std::function<void()> then) {
  work_ = std::make_shared<Work>();
  then_ = std::move(then);
  executor_.write([shared = work_, work = std::move(work)] {
    std::optional<base::Fault> fault;
    try {
      work();
    } catch (...) {
      fault = base::current_fault();
    }
    const std::lock_guard lock(shared->mutex);
    shared->fault = std::move(fault);
    shared->is_done = true;
  });
}

bool RegridPreparation::finish_work() {
  if (!work_) return false;
  std::optional<base::Fault> fault;
  {
    const std::lock_guard lock(work_->mutex);
    if (!work_->is_done) return false;
    fault = work_->fault;
  }
  work_.reset();
  const auto then = std::exchange(then_, nullptr);
  if (fault)
    fail(*fault);
  else if (!over())
    then();
  return true;
}

// A maker is noticed when it ends, since it has a socket to this process.
bool RegridPreparation::watch_makers() {
  if (to_make_.empty() || !to_make_.back().child) return false;
  Making& making = to_make_.back();
  const plan::WeightsPlan& weights = regridding().weights[making.weights];
  static_cast<void>(making.child->receive(0.0));
  if (making.child->is_heard()) {
    if (env::steady_seconds() - making.since < setting_.patience) return false;
    to_make_.clear();
    fail({ErrorCode::resource, fmt::format("{}: the process that makes weights has not ended after {} s",
                                           place_of(weights), setting_.patience)});
    return true;
  }
  const std::string ending = making.child->ending();
  const std::string made = making.number == join_number
                               ? decision_->folder.joined(making.weights)
                               : decision_->folder.slice(making.weights, making.number);
  const std::string error = decision_->folder.error(making.weights, making.number);
  to_make_.pop_back();
  run([&weights, made, error, ending] { check_maker(weights, made, error, ending); },
      [this] { start_next(); });
  return true;
}

void RegridPreparation::start_next() {
  if (to_make_.empty()) return std::exchange(when_made_, nullptr)();
  Making& making = to_make_.back();
  try {
    making.child = std::make_unique<env::Child>(
        std::vector<std::string>{setting_.interpreter, "-P", "-m", "tailrace.weights.maker", making.request});
    making.since = env::steady_seconds();
  } catch (const Error& error) {
    const std::string place = place_of(regridding().weights[making.weights]);
    to_make_.clear();
    fail({error.code(), fmt::format("{}: {}", place, error.what())});
  }
}

// Something failed here: the leader gets the fault in place of the next reply, and tells it to all.
void RegridPreparation::fail(const base::Fault& fault) {
  if (over()) return;
  if (stage_ == Stage::telling || stage_ == Stage::reading) {
    send_all(Message::wanted, fault, [](base::ByteWriter&) {});
    return give_up(fault);
  }
  if (leads()) {
    send_all(Message::ready, fault, [](base::ByteWriter&) {});
    return give_up(fault);
  }
  send(setting_.blueprint.info.leader, Message::made, fault, [](base::ByteWriter&) {});
}

void RegridPreparation::give_up(const base::Fault& fault) {
  if (!fault_) fault_ = fault;
  to_make_.clear();
  stage_ = Stage::over;
}

void RegridPreparation::send(int to, Message what, const std::optional<base::Fault>& fault,
                             const std::function<void(base::ByteWriter&)>& put) {
  base::ByteWriter writer;
  writer.put(what);
  base::put_fault(writer, fault);
  if (!fault) put(writer);
  control_.messenger().send(to, control_.kind(ControlMessage::regrid_set_up), writer.take());
}

void RegridPreparation::send_all(Message what, const std::optional<base::Fault>& fault,
                                 const std::function<void(base::ByteWriter&)>& put) {
  for (int server = 0; server < control_.size(); ++server)
    if (!fault || server != control_.rank()) send(server, what, fault, put);
}

void RegridPreparation::hear(int from, const messaging::Bytes& message) {
  if (over()) return;
  base::ByteReader reader(message);
  const auto what = reader.get<Message>();
  if (const auto fault = base::get_fault(reader)) {
    const bool is_reply = what == Message::gathered || what == Message::laid_out || what == Message::made ||
                          what == Message::refused;
    if (is_reply && leads()) send_all(Message::ready, fault, [](base::ByteWriter&) {});
    return give_up(*fault);
  }
  switch (what) {
    case Message::decided:
      decision_->jobs.resize(sums_.size());
      for (WeightsJob& job : decision_->jobs) job = WeightsJob::get(reader);
      decision_->folder.path = reader.get_text();
      decision_->folder.is_temporary = reader.get<bool>();
      return lay_out();
    case Message::make:
      for (WeightsJob& job : decision_->jobs) job = WeightsJob::get(reader);
      return make_slices();
    case Message::ready: return read_rows();
    case Message::wanted: return hear_wanted(from, reader);
    default: hear_reply(from, what, reader);
  }
}

// On the leader.
void RegridPreparation::hear_reply(int from, Message what, base::ByteReader& reader) {
  if (what == Message::gathered) {
    const auto sums = reader.get_all<regrid::CellDigest>();
    TAILRACE_ASSERT(sums.size() == sums_.size(), "a digest for all weights");
    for (std::size_t w = 0; w < sums.size(); ++w) sums_[w].add(sums[w]);
  }
  if (what == Message::laid_out) {
    const auto laid_out = reader.get_all<char>();
    TAILRACE_ASSERT(laid_out.size() == sums_.size(), "a flag for all weights");
    for (std::size_t w = 0; w < laid_out.size(); ++w)
      if (laid_out[w] != 0) decision_->jobs[w].givers.push_back(from);
  }
  heard_[what].insert(from);
  if (std::ssize(heard_[what]) < control_.size()) return;
  if (what == Message::gathered) return decide_now();
  if (what == Message::made) return join_slices();
  for (WeightsJob& job : decision_->jobs) std::ranges::sort(job.givers);
  send_all(Message::make, std::nullopt, [this](base::ByteWriter& writer) {
    for (const WeightsJob& job : decision_->jobs) job.put(writer);
  });
}

void RegridPreparation::decide_now() {
  run([decision = decision_, &regridding = regridding(), sums = sums_, cache = setting_.cache,
       servers = control_.size()] { *decision = decide(regridding, sums, cache, servers); },
      [this] {
        if (!decision_->warning.empty()) base::log_warning(decision_->warning);
        send_all(Message::decided, std::nullopt, [this](base::ByteWriter& writer) {
          for (const WeightsJob& job : decision_->jobs) job.put(writer);
          writer.put_text(decision_->folder.path);
          writer.put(decision_->folder.is_temporary);
        });
      });
}

void RegridPreparation::lay_out() {
  if (std::ranges::none_of(decision_->jobs, &WeightsJob::is_made)) return read_rows();
  stage_ = Stage::laying_out;
  run(
      [decision = decision_, laid_out = laid_out_, cells = cells_, &regridding = regridding(),
       server = control_.rank(), leads = leads()] {
        for (std::size_t w = 0; w < decision->jobs.size(); ++w) {
          if (!decision->jobs[w].is_made) continue;
          std::vector<const regrid::RankCells*> of_weights;
          for (const regrid::RankCells& one : *cells)
            if (base::index(one.weights) == w) of_weights.push_back(&one);
          const std::string folder = decision->folder.cells_of(w, server);
          (*laid_out)[w] = write_cells(folder, of_weights) ||
                                   (leads && write_known_cells(regridding, regridding.weights[w], folder))
                               ? 1
                               : 0;
        }
      },
      [this] {
        cells_ = std::make_shared<std::vector<regrid::RankCells>>();
        send(setting_.blueprint.info.leader, Message::laid_out, std::nullopt,
             [this](base::ByteWriter& writer) { writer.put_all(std::span<const char>(*laid_out_)); });
      });
}

// Slices are dealt out over all servers.
void RegridPreparation::make_slices() {
  stage_ = Stage::making;
  for (std::size_t w = 0; w < decision_->jobs.size(); ++w) {
    const WeightsJob& job = decision_->jobs[w];
    for (int slice = 0; job.is_made && slice < job.slices; ++slice)
      if (slice * control_.size() / job.slices == control_.rank())
        to_make_.push_back({w, slice, "", nullptr, 0.0});
  }
  when_made_ = [this] {
    send(setting_.blueprint.info.leader, Message::made, std::nullopt, [](base::ByteWriter&) {});
  };
  const auto requests = std::make_shared<std::vector<std::string>>();
  std::vector<std::pair<std::size_t, int>> wanted;
  for (const Making& one : to_make_) wanted.emplace_back(one.weights, one.number);
  run(
      [decision = decision_, &regridding = regridding(), requests, wanted] {
        for (const auto& [weights, slice] : wanted)
          requests->push_back(
              write_make_request(regridding, weights, decision->jobs[weights], decision->folder, slice));
      },
      [this, requests] {
        for (std::size_t i = 0; i < to_make_.size(); ++i) to_make_[i].request = (*requests)[i];
        start_next();
      });
}

void RegridPreparation::join_slices() {
  for (std::size_t w = 0; w < decision_->jobs.size(); ++w)
    if (decision_->jobs[w].is_made) to_make_.push_back({w, join_number, "", nullptr, 0.0});
  when_made_ = [this] {
    run([decision = decision_] { keep(decision->jobs, decision->folder); },
        [this] { send_all(Message::ready, std::nullopt, [](base::ByteWriter&) {}); });
  };
  const auto requests = std::make_shared<std::vector<std::string>>();
  run(
      [decision = decision_, requests] {
        for (std::size_t w = 0; w < decision->jobs.size(); ++w)
          if (decision->jobs[w].is_made)
            requests->push_back(write_join_request(w, decision->jobs[w], decision->folder));
      },
      [this, requests] {
        for (std::size_t i = 0; i < to_make_.size(); ++i) to_make_[i].request = (*requests)[i];
        start_next();
      });
}

void RegridPreparation::read_rows() {
  stage_ = Stage::reading;
  run(
      [decision = decision_, read = read_, &blueprint = setting_.blueprint,
       parts = setting_.blueprint.parts_of(setting_.clients[base::index(control_.rank())])] {
        *read = read_weights(blueprint, decision->jobs, parts);
      },
      [this] { tell_wanted(); });
}

void RegridPreparation::tell_wanted() {
  stage_ = Stage::telling;
  prepared_ = std::move(*read_);
  for (int server = 0; server < control_.size(); ++server)
    send(server, Message::wanted, std::nullopt, [&](base::ByteWriter& writer) {
      for (std::size_t w = 0; w < prepared_.weights.size(); ++w) {
        const model::Runs& cells = prepared_.weights[w].cells;
        writer.put_all(may_have(w, server, cells) ? std::span<const model::Run>(cells)
                                                  : std::span<const model::Run>());
      }
    });
}

// Whether a server gives some of the cells: its clients have some, or it computes diagnostics, of which it
// may have any.
bool RegridPreparation::may_have(std::size_t weights, int server, const model::Runs& cells) const {
  if (cells.empty()) return false;
  const pipeline::Blueprint& blueprint = setting_.blueprint;
  const plan::WeightsPlan& plan = regridding().weights[weights];
  const regrid::PackedRuns wanted(cells);
  for (const plan::RegridPlan& regrid : regridding().regrids) {
    if (regrid.weights != static_cast<int>(weights)) continue;
    if (blueprint.plan.analysis &&
        std::ranges::count(blueprint.plan.analysis->field_of_diagnostic, regrid.source_field) > 0)
      return true;
    const int grid = blueprint.field(regrid.source_field).grid;
    const auto dims = pipeline::regridding::dims_of(
        blueprint.info.declarations.grids[base::index(grid)],
        pipeline::regridding::horizontal_names(blueprint.info.declarations, plan));
    for (const int part : blueprint.parts_of(setting_.clients[base::index(server)])) {
      if (!blueprint.sends(regrid.source_field, part)) continue;
      model::Region horizontal;
      horizontal.assign_part(blueprint.region(grid, part), dims.horizontal);
      if (regrid::has_some(horizontal, dims.shape, wanted)) return true;
    }
  }
  return false;
}

void RegridPreparation::hear_wanted(int from, base::ByteReader& reader) {
  for (std::vector<WantedCells>& of_weights : wanted_) {
    model::Runs cells = reader.get_all<model::Run>();
    if (!cells.empty()) of_weights.push_back({from, std::move(cells)});
  }
  heard_[Message::wanted].insert(from);
  if (std::ssize(heard_[Message::wanted]) < control_.size()) return;
  for (std::size_t w = 0; w < wanted_.size(); ++w) {
    std::ranges::sort(wanted_[w], {}, &WantedCells::server);
    prepared_.weights[w].wanted = std::move(wanted_[w]);
  }
  stage_ = Stage::over;
}

std::string RegridPreparation::describe() const {
  static constexpr std::array words{"waits for its clients", "waits for the cells of all servers",
                                    "lays out source cells", "makes weights",
                                    "reads weights",         "waits for the cells that other servers need",
                                    "has its weights"};
  std::string text = fmt::format("\n    regridding: this server {}", words[static_cast<std::size_t>(stage_)]);
  if (!to_make_.empty() && to_make_.back().child)
    text += fmt::format(", for {} s so far, of {}",
                        static_cast<int>(env::steady_seconds() - to_make_.back().since),
                        place_of(regridding().weights[to_make_.back().weights]));
  return text;
}

}  // namespace tailrace::server
