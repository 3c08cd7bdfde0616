#include "pipeline/checkpoints/checkpoints.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/log.hpp"
#include "checkpoint/series/begun_files.hpp"
#include "env/clock.hpp"
#include "env/file_system.hpp"
#include "model/kept/kept_value.hpp"
#include "pipeline/checkpoints/pieces.hpp"
#include "plan/restart/description.hpp"

namespace tailrace::pipeline::checkpoints {
namespace {

settings::CheckpointOptions options_of(const Blueprint& blueprint) {
  const auto* options = blueprint.info.configuration.sections.find<settings::CheckpointOptions>();
  return options != nullptr ? *options : settings::CheckpointOptions{};
}

}  // namespace

// What the leader knows of the set under way. An I/O thread writes `failure` and then `done`.
struct Checkpoints::Set {
  checkpoint::Manifest manifest;
  int members = 0;
  std::optional<base::Fault> fault;  // of any member, or of the commit
  double begun_at = 0.0;             // steady seconds
  double model_seconds = 0.0;        // that checkpoints before it cost the first rank
  bool commits = false;
  std::atomic<bool> done{false};
};

Checkpoints::Checkpoints(const Blueprint& blueprint, Words& words, sinks::FileServices services,
                         Events events)
    : blueprint_(blueprint),
      words_(words),
      services_(services),
      events_(std::move(events)),
      options_(options_of(blueprint)),
      owners_(owners_of_fields(blueprint.plan, blueprint.info.declarations, words.size())),
      kept_(blueprint),
      newest_cut_(blueprint.info.saved ? blueprint.info.begin.step : -1),
      own_(services.executor, env::system_files(), words.size()),
      cut_(words, blueprint.info.leader,
           {.begin = [this](const model::Tick& tick, const messaging::Bytes& values) { begin(tick, values); },
            .at_rest = [this] { return events_.at_rest(); },
            .save = [this] { save(); }}) {
  words_.on(Word::state, [this](int, messaging::Bytes&& bundle) { own_.take(std::move(bundle)); });
  words_.on(Word::member, [this](int, messaging::Bytes&& message) { hear_member(message); });
}

Checkpoints::~Checkpoints() {
  while (set_ && set_->commits && !set_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void Checkpoints::open() {
  if (!options_.is_asked_for || !is_leader()) return;
  store_ = std::make_shared<checkpoint::SetStore>(env::system_files(), options_.directory,
                                                  blueprint_.info.declarations.component);
  const bool restarts = blueprint_.info.saved != nullptr;
  const auto step = restarts ? std::optional(blueprint_.info.begin.step) : std::nullopt;
  store_->discard_after(step);
  checkpoint::remove_begun_behind(env::system_files(), store_->path(), step);
}

void Checkpoints::watch_files(sinks::FileServices& services) {
  if (!options_.is_asked_for) return;
  const std::string& component = blueprint_.info.declarations.component;
  services.begins_file =
      [this, sets = checkpoint::sets_path(options_.directory, component)](const std::string& path) {
        checkpoint::note_begun(env::system_files(), sets, path, newest_cut_.load(std::memory_order_relaxed));
      };
  services.marks_commit = [this, component](telemetry::CommitLine& line) {
    line.component = component;
    line.checkpoint = newest_cut_.load(std::memory_order_relaxed);
  };
}

void Checkpoints::keep(int client, int field, std::span<const std::byte> values) {
  kept_.accept(client, field, values);
}

std::optional<base::Fault> Checkpoints::disagreement(const model::Tick& begun) const {
  const auto is_passed = [&](const std::optional<model::Tick>& at) { return at && at->step < begun.step; };
  const bool asked_here = is_passed(cut_.asked_at()), asked_there = is_passed(cut_.announced_at());
  if (asked_here == asked_there) return std::nullopt;
  return base::Fault{
      ErrorCode::usage,
      fmt::format("component \"{}\": some ranks called checkpoint at step {}, others went on to step {}; "
                  "expected the call on all ranks at the same step",
                  blueprint_.info.declarations.component,
                  asked_here ? cut_.asked_at()->step : cut_.announced_at()->step, begun.step)};
}

void Checkpoints::begin(const model::Tick& tick, const messaging::Bytes& values) {
  const std::string& component = blueprint_.info.declarations.component;
  const checkpoint::SetHead head{component, tick.step, tick.time};
  const std::string sets = checkpoint::sets_path(options_.directory, component);
  own_.begin(checkpoint::set_path(sets, tick.step), head, checkpoint::member_name(words_.rank()));
  if (!is_leader()) return;
  base::ByteReader reader(values);
  const double model_seconds = reader.rest().empty() ? 0.0 : reader.get<double>();
  values_ = model::kept_values_from(reader.rest());
  set_ = std::make_shared<Set>();
  set_->manifest.head = head;
  set_->manifest.texts = plan::describe_for_restart(blueprint_.plan, blueprint_.info.declarations);
  set_->model_seconds = model_seconds;
  set_->begun_at = env::steady_seconds();
}

void Checkpoints::save() {
  PieceSender sender(words_, owners_, [this](OwnPiece&& piece) { own_.keep(std::move(piece)); });
  try {
    kept_.hand_over(sender);  // first, for it is the most, and is written meanwhile
    events_.save(sender);
    model::save(std::exchange(values_, {}), sender);
  } catch (...) {
    failed(base::current_fault());
    // The owner finds cells missing, so there will be no such set.
  }
  sender.finish();
  newest_cut_.store(cut_.announced_at()->step, std::memory_order_relaxed);
}

bool Checkpoints::progress() {
  bool moved = cut_.progress(set_ == nullptr);
  moved = own_.progress() || moved;
  if (const auto outcome = own_.take_outcome()) {
    tell_member(*outcome);
    moved = true;
  }
  return take_commit() || moved;
}

void Checkpoints::tell_member(const OwnMember::Outcome& outcome) {
  base::ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(outcome.fault.has_value()));
  if (outcome.fault) {
    writer.put(outcome.fault->code);
    writer.put_text(outcome.fault->message);
  } else {
    outcome.member.put(writer);
  }
  words_.messenger().send(blueprint_.info.leader, words_.kind(Word::member), writer.take());
}

void Checkpoints::hear_member(const messaging::Bytes& message) {
  if (!set_) return;  // given up
  base::ByteReader reader(message);
  if (reader.get<std::uint8_t>() != 0) {
    const auto code = reader.get<ErrorCode>();
    const std::string text = reader.get_text();
    if (!set_->fault) set_->fault = base::Fault{code, text};
  } else {
    set_->manifest.members.push_back(checkpoint::Member::get(reader));
  }
  if (++set_->members == words_.size()) commit();
}

void Checkpoints::commit() {
  set_->commits = true;
  services_.executor.write([set = set_, store = store_, keep = options_.keep] {
    try {
      if (set->fault) {
        store->abandon(set->manifest.head.step);
      } else {
        store->commit(set->manifest);
        store->prune(keep);
      }
    } catch (...) {
      set->fault = base::current_fault();
      store->abandon(set->manifest.head.step);
    }
    set->done.store(true, std::memory_order_release);
  });
}

bool Checkpoints::take_commit() {
  if (!set_ || !set_->commits || !set_->done.load(std::memory_order_acquire)) return false;
  const auto set = std::exchange(set_, nullptr);
  if (set->fault) {
    failed(*set->fault);
    return true;
  }
  const double seconds = env::steady_seconds() - set->begun_at;
  services_.counters.checkpoints.add();
  services_.counters.checkpoint_bytes.add(set->manifest.bytes());
  services_.counters.checkpoint_seconds.record_seconds(seconds);
  const checkpoint::SetHead& head = set->manifest.head;
  newest_ = {.component = head.component,
             .count = services_.counters.checkpoints.get(),
             .step = head.step,
             .time = head.time,
             .seconds = seconds,
             .bytes = set->manifest.bytes(),
             .model_seconds = set->model_seconds};
  base::log_info(fmt::format("checkpoint of step {} ({} s): {:.1f} MiB are durable after {:.2f} s",
                             set->manifest.head.step, set->manifest.head.time,
                             static_cast<double>(set->manifest.bytes()) / (1 << 20), seconds));
  return true;
}

void Checkpoints::failed(const base::Fault& fault) {
  const std::string message =
      fmt::format("the checkpoint cannot be made: {}; those before it stay", fault.message);
  if (options_.on_error == settings::OnCheckpointError::skip)
    base::log_warning(message + " (checkpoint.on_error: skip)");
  else
    events_.tell({fault.code, message});
}

void Checkpoints::give_up() {
  cut_.give_up();
  own_.give_up();
  kept_.drop();
  if (set_ && !set_->commits) set_.reset();
}

std::string Checkpoints::describe() const {
  const std::string& component = blueprint_.info.declarations.component;
  if (cut_.under_way())
    return fmt::format("\n    component \"{}\": its servers come to rest for a checkpoint", component);
  if (under_way()) return fmt::format("\n    component \"{}\": a checkpoint is being written", component);
  return {};
}

}  // namespace tailrace::pipeline::checkpoints
