#include "pipeline/regridding/regridding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "pipeline/regridding/lay_over.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline::regridding {
namespace {

constexpr std::int32_t piece_item = 0;
constexpr std::size_t worth_sharing = std::size_t{64} << 10;
constexpr std::size_t credit_share = 8;  // a fraction of a server's memory, over all that send to it
constexpr std::size_t light_values = 16384;

bool is_due(const plan::AxisBank& axes, const std::vector<sampling::OutputVariable*>& variables) {
  return std::ranges::any_of(variables, [&](const sampling::OutputVariable* output_variable) {
    return !axes.shares(output_variable->axis).empty();
  });
}

}  // namespace

struct Regridding::Head {
  std::int64_t exchange, sequence, part, from;
};

Regridding::Regridding(Parts parts, std::vector<int> own_parts, Prepared prepared)
    : parts_(std::move(parts)),
      own_parts_(std::move(own_parts)),
      prepared_(std::move(prepared)),
      exchanges_(parts_.blueprint, parts_.output_variables, prepared_.weights),
      outbox_(parts_.control.messenger(), parts_.control.kind(ControlMessage::regrid)),
      credit_(parts_.control,
              parts_.blueprint.info.memory / credit_share / static_cast<std::size_t>(parts_.control.size())),
      due_(exchanges_.all.size(), 0),
      put_(exchanges_.all.size(), std::vector<char>(own_parts_.size(), 0)) {
  TAILRACE_ASSERT(std::ranges::is_sorted(own_parts_), "parts of a server ascend");
  samples_.resize(exchanges_.all.size());
  outbox_.on(piece_item, [this](const base::SharedBytes& item) { receive(item); });
  expect_samples();
  expect_fixed_records();
  for (const CoordinateBlock& block : prepared_.coordinates)
    parts_.output_variables.accept(
        block.part, {.kind = model::PacketKind::block, .number = block.field, .step = model::static_step},
        block.values);
}

void Regridding::expect_samples() {
  for (const Exchange& exchange : exchanges_.all)
    if (exchange.is_of_samples() && !exchange.is_child())
      for (const PartRows& rows : exchange.weights->parts) {
        for (sampling::OutputVariable* variable : exchange.variables)
          parts_.output_variables.expect(*variable, rows.part);
        for (sampling::OutputVariable* variable : exchange.fractions)
          parts_.output_variables.expect(*variable, rows.part);
      }
}

// A field that is put once has one record.
void Regridding::expect_fixed_records() {
  for (std::size_t e = 0; e < exchanges_.all.size(); ++e)
    if (const auto* variable = exchanges_.all[e].variable; variable != nullptr && variable->once)
      expect(e, 0, {}, nullptr);
}

void Regridding::begin_step(const model::Tick& tick, const plan::AxisBank& axes) {
  end_step();
  step_ = tick.step;
  is_step_open_ = true;
  credit_.begin_step();
  auto shares = std::make_shared<StepShares>(axes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) (*shares)[axis] = axes.shares(axis);
  for (std::size_t e = 0; e < exchanges_.all.size(); ++e) {
    const Exchange& exchange = exchanges_.all[e];
    if (exchange.is_of_samples()) {
      due_[e] = is_due(axes, exchange.variables) || is_due(axes, exchange.fractions) ? 1 : 0;
      if (due_[e] == 0) continue;
      std::ranges::fill(put_[e], 0);
      if (exchange.makes_values() && !exchange.is_child()) samples_[e].steps.push_back(tick.step);
      expect(e, tick.step, {}, shares);
    } else if (exchange.variable->file_axis >= 0) {
      for (const time::Share& share : axes.shares(exchange.variable->axis))
        if (share.closes) expect(e, share.record.index, share.record, nullptr);
    }
  }
}

void Regridding::expect_last_records(const plan::AxisBank& axes) {
  for (std::size_t e = 0; e < exchanges_.all.size(); ++e) {
    const auto* variable = exchanges_.all[e].variable;
    if (variable == nullptr || variable->file_axis < 0 || variable->copies) continue;
    for (const time::TimeRecord& record : axes.axis(variable->axis).last_records())
      expect(e, record.index, record, nullptr);
  }
}

void Regridding::expect(std::size_t exchange, std::int64_t number, const time::TimeRecord& record,
                        std::shared_ptr<const StepShares> shares) {
  if (!exchanges_.all[exchange].makes_values()) return;
  const Key key{exchange, number};
  Sequence& sequence = sequences_[key];
  TAILRACE_ASSERT(!sequence.is_due, "a sample or a record is regridded once");
  sequence.is_due = true;
  sequence.record = record;
  sequence.shares = std::move(shares);
  start_if_complete(key, sequence);
}

void Regridding::accept(int field, int part, std::span<const std::byte> values) {
  for (const std::size_t e : exchanges_.of_field[base::index(field)]) {
    if (due_[e] == 0) continue;
    const auto place = std::ranges::lower_bound(own_parts_, part);
    put_[e][base::index(place - own_parts_.begin())] = 1;
    send(e, step_, part, values);
  }
}

// The parts that were not put, which may be so for optional fields.
void Regridding::end_step() {
  if (!std::exchange(is_step_open_, false)) return;
  for (std::size_t field = 0; field < exchanges_.of_field.size(); ++field)
    for (const std::size_t e : exchanges_.of_field[field]) {
      if (due_[e] == 0 || exchanges_.all[e].is_computed) continue;
      for (std::size_t p = 0; p < own_parts_.size(); ++p)
        if (put_[e][p] == 0 && parts_.blueprint.sends(static_cast<int>(field), own_parts_[p]))
          send(e, step_, own_parts_[p], {});
    }
}

void Regridding::accept_sample(int field, int part, std::int64_t step, const StepShares& shares,
                               std::span<const std::byte> values) {
  for (const std::size_t e : exchanges_.of_field[base::index(field)])
    if (is_sampled(exchanges_.all[e], shares)) send(e, step, part, values);
}

bool Regridding::is_sampled(const Exchange& exchange, const StepShares& shares) const {
  const auto takes = [&](const sampling::OutputVariable* variable) {
    return variable->axis < shares.size() && !shares[variable->axis].empty();
  };
  return std::ranges::any_of(exchange.variables, takes) || std::ranges::any_of(exchange.fractions, takes);
}

void Regridding::accept_record(const sampling::OutputVariable& output_variable, int part,
                               const time::TimeRecord& record, std::span<const std::byte> values) {
  send(exchanges_.of_variable.at(output_variable.number), record.index, part, values);
}

void Regridding::send(std::size_t number, std::int64_t sequence, int part,
                      std::span<const std::byte> values) {
  const Exchange& exchange = exchanges_.all[number];
  const CellExchange::PartOut& out = exchange.cells->outgoing(part);
  const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::message,
                                    parts_.services.trace);
  const Head head{static_cast<std::int64_t>(number), sequence, part, parts_.control.rank()};
  for (const CellExchange::Outgoing& to : out.to) {
    const std::size_t bytes = values.empty() ? 0
                                             : static_cast<std::size_t>(out.block.levels() * to.count) *
                                                   model::size_of(exchange.conversion.to);
    credit_.send(to.server, bytes + sizeof head);
    if (to.server == parts_.control.rank()) {
      std::vector<std::byte> packed(bytes);
      if (!values.empty()) out.block.pack(to.cells, exchange.conversion, values, packed.data());
      local_count_.fetch_add(1, std::memory_order_release);
      const base::MutexLock lock(mutex_);
      local_.push_back({{number, sequence}, {part, to.server, std::move(packed)}});
      continue;
    }
    parts_.services.counters.messages_sent.add();
    parts_.services.counters.message_bytes_sent.add(bytes);
    outbox_.add(to.server, piece_item, std::as_bytes(std::span(&head, 1)), bytes,
                [&](std::span<std::byte> place) {
                  if (!place.empty()) out.block.pack(to.cells, exchange.conversion, values, place.data());
                });
  }
}

// Numbers from other servers are checked before they are used as indices, so a damaged message is an error.
void Regridding::receive(const base::SharedBytes& item) {
  if (parts_.drops()) return;
  const auto head = base::ByteReader(item).get<Head>();
  TAILRACE_ASSERT(head.exchange >= 0 && base::index(head.exchange) < exchanges_.all.size() &&
                      head.from >= 0 && head.from < parts_.control.size(),
                  fmt::format("a piece of exchange {} from server {}", head.exchange, head.from));
  const base::SharedBytes bytes = item.part(sizeof head, item.size() - sizeof head);
  // A small piece would keep its whole bundle in memory.
  add({{base::index(head.exchange), head.sequence},
       {static_cast<int>(head.part), static_cast<int>(head.from),
        bytes.size() < worth_sharing ? base::SharedBytes(bytes.copy()) : bytes}});
}

void Regridding::add(Arrived&& arrived) {
  const auto& [key, piece] = arrived;
  const Exchange& exchange = exchanges_.all[key.first];
  const auto from = exchange.cells->incoming().find(piece.part);
  TAILRACE_ASSERT(from != exchange.cells->incoming().end(),
                  fmt::format("a piece of {} from part {}", exchange.name, piece.part));
  const std::size_t expected = static_cast<std::size_t>(from->second.block.levels() * from->second.count) *
                               model::size_of(exchange.conversion.to);
  TAILRACE_ASSERT(
      piece.values.empty() || piece.values.size() == expected,
      fmt::format("a piece of {} has {} bytes instead of {}", exchange.name, piece.values.size(), expected));
  Sequence& sequence = sequences_[key];
  sequence.bytes[piece.from] += piece.values.size() + sizeof(Head);
  sequence.piece_bytes += piece.values.size();
  piece_bytes_ += piece.values.size();
  sequence.pieces.push_back(std::move(arrived.piece));
  start_if_complete(key, sequence);
}

void Regridding::start_if_complete(const Key& key, Sequence& sequence) {
  const Exchange& exchange = exchanges_.all[key.first];
  if (!sequence.is_due || sequence.is_at_work || sequence.pieces.size() != exchange.cells->incoming().size())
    return;
  sequence.is_at_work = true;
  std::function<void(RegriddedPart &&)> part_done;
  if (exchange.is_of_samples())
    part_done = [this, &sequence](RegriddedPart&& part) {
      const base::MutexLock lock(mutex_);
      sequence.samples.push_back(std::move(part));
    };
  else
    part_done = [this, &exchange, &sequence](RegriddedPart&& part) {
      take_record(exchange, sequence.record, std::move(part));
    };
  apply_rows(exchange, std::move(sequence.pieces),
             {parts_.tasks, parts_.control.messenger().slabs(), parts_.services}, std::move(part_done),
             [this, key](const std::optional<base::Fault>& fault) {
               local_count_.fetch_add(1, std::memory_order_release);
               const base::MutexLock lock(mutex_);
               applied_.push_back({key, fault});
             });
}

void Regridding::take_record(const Exchange& exchange, const time::TimeRecord& record,
                             RegriddedPart&& part) const {
  parts_.output_variables.emit_regridded(*exchange.variable, part.part, record, part.values.bytes());
  if (exchange.variable->companion != nullptr)
    parts_.output_variables.emit_regridded(*exchange.variable->companion, part.part, record,
                                           std::as_bytes(std::span(part.fraction)));
}

bool Regridding::progress() {
  bool moved = collect_local();
  moved = collect_applied() || moved;
  for (std::size_t e = 0; e < samples_.size(); ++e) moved = fold_next(e) || moved;
  return outbox_.send(parts_.tasks.none()) || moved;
}

bool Regridding::collect_local() {
  if (local_count_.load(std::memory_order_acquire) == 0) return false;
  std::vector<Arrived> arrived;
  {
    const base::MutexLock lock(mutex_);
    arrived.swap(local_);
  }
  local_count_.fetch_sub(arrived.size(), std::memory_order_relaxed);
  for (Arrived& one : arrived) {
    if (parts_.drops()) continue;
    add(std::move(one));
  }
  return !arrived.empty();
}

bool Regridding::collect_applied() {
  if (local_count_.load(std::memory_order_acquire) == 0) return false;
  std::vector<Applied> applied;
  std::vector<Key> folded;
  {
    const base::MutexLock lock(mutex_);
    applied.swap(applied_);
    folded.swap(folded_);
  }
  local_count_.fetch_sub(applied.size() + folded.size(), std::memory_order_relaxed);
  for (const auto& [key, fault] : applied) {
    if (fault) report_failure(exchanges_.all[key.first], *fault);
    if (exchanges_.all[key.first].is_of_samples())
      samples_[key.first].regridded.insert(key.second);
    else
      folded.push_back(key);
  }
  for (const Key& key : folded) {
    const auto found = sequences_.find(key);
    use_up(found->second);
    sequences_.erase(found);
  }
  return !applied.empty() || !folded.empty();
}

void Regridding::use_up(const Sequence& sequence) {
  for (const auto& [server, bytes] : sequence.bytes) credit_.use_up(server, bytes);
  piece_bytes_ -= sequence.piece_bytes;
}

// Children are folded with their parent, so its sample waits for all of theirs.
bool Regridding::fold_next(std::size_t e) {
  Samples& samples = samples_[e];
  if (samples.steps.empty()) return false;
  const std::int64_t step = samples.steps.front();
  const std::vector<std::size_t>& children = exchanges_.all[e].children;
  const auto is_regridded = [&](std::size_t one) { return samples_[one].regridded.contains(step); };
  if (!is_regridded(e) || !std::ranges::all_of(children, is_regridded) ||
      samples.is_folding.exchange(true, std::memory_order_acq_rel))
    return false;
  samples.steps.pop_front();
  std::vector<Key> keys{{e, step}};
  for (const std::size_t child : children) keys.emplace_back(child, step);
  for (const Key& key : keys) samples_[key.first].regridded.erase(step);
  std::vector<Sequence*> sequences;
  for (const Key& key : keys) sequences.push_back(&sequences_.at(key));
  std::size_t values = 0;
  for (const RegriddedPart& part : sequences.front()->samples) values += part.values.size() / sizeof(double);
  parts_.tasks.submit(
      [this, keys = std::move(keys), sequences = std::move(sequences), &samples] {
        for (std::size_t child = 1; child < keys.size(); ++child)
          merge(exchanges_.all[keys[child].first], *sequences[child], *sequences.front());
        fold(exchanges_.all[keys.front().first], *sequences.front());
        {
          local_count_.fetch_add(keys.size(), std::memory_order_release);
          const base::MutexLock lock(mutex_);
          folded_.insert(folded_.end(), keys.begin(), keys.end());
        }
        samples.is_folding.store(false, std::memory_order_release);
      },
      values <= light_values);
  return true;
}

void Regridding::merge(const Exchange& child, const Sequence& over, Sequence& parent) const {
  const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::regrid,
                                    parts_.services.trace);
  for (RegriddedPart& part : parent.samples) {
    const auto of_child = std::ranges::find(over.samples, part.part, &RegriddedPart::part);
    TAILRACE_ASSERT(of_child != over.samples.end(), "a child has the parts of its parent");
    lay_over(*of_child, child.conversion.to, child.conversion.fill, part);
  }
}

void Regridding::fold(const Exchange& exchange, const Sequence& sequence) {
  const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::accumulate,
                                    parts_.services.trace);
  const auto add = [&](const std::vector<sampling::OutputVariable*>& variables, int part,
                       std::span<const std::byte> values) {
    for (sampling::OutputVariable* variable : variables)
      if (const std::vector<time::Share>& shares = (*sequence.shares)[variable->axis]; !shares.empty())
        parts_.output_variables.fold(*variable, part, values, shares);
  };
  for (const RegriddedPart& part : sequence.samples) {
    add(exchange.variables, part.part, part.values.bytes());
    add(exchange.fractions, part.part, std::as_bytes(std::span(part.fraction)));
  }
}

bool Regridding::samples_are_in() const {
  if (local_count_.load(std::memory_order_acquire) != 0) return false;
  return std::ranges::none_of(sequences_, [this](const auto& entry) {
    return entry.second.is_due && exchanges_.all[entry.first.first].is_of_samples();
  });
}

bool Regridding::at_rest() const {
  return !is_step_open_ && sequences_.empty() && local_count_.load(std::memory_order_acquire) == 0 &&
         outbox_.bytes() == 0;
}

void Regridding::prove_the_end() {
  const auto found = std::ranges::find_if(sequences_, [](const auto& entry) { return !entry.second.is_due; });
  if (found == sequences_.end()) return;
  const Key key = found->first;
  parts_.fail({ErrorCode::internal,
               fmt::format("a piece of {} arrived with the number {}, which this server does not expect",
                           exchanges_.all[key.first].name, key.second)});
}

// A row that cannot be applied affects only its files, as their on_error specifies, and is reported once.
void Regridding::report_failure(const Exchange& exchange, const base::Fault& fault) {
  const auto number = static_cast<std::size_t>(&exchange - exchanges_.all.data());
  if (!failed_.insert(number).second) return;
  std::vector<const sampling::OutputVariable*> variables(exchange.variables.begin(),
                                                         exchange.variables.end());
  if (exchange.variable != nullptr) variables.push_back(exchange.variable);
  const std::string text = fmt::format("{} could not be regridded: {}", exchange.name, fault.message);
  const bool stops = std::ranges::any_of(variables, [this](const sampling::OutputVariable* variable) {
    return parts_.blueprint.plan.files[variable->file].entry.on_error == settings::OnError::stop;
  });
  if (stops)
    parts_.control.tell(base::Fault{fault.code, text});
  else
    base::log_warning(fmt::format("{}; its cells {}. Further failures are not reported", text,
                                  exchange.is_child() ? "have what is below them" : "are missing"));
}

std::size_t Regridding::waiting_bytes() const { return piece_bytes_; }

std::size_t Regridding::fixed_bytes() const {
  std::size_t bytes = 0;
  for (const Weights& weights : prepared_.weights) bytes += weights.bytes();
  for (const auto& [key, cells] : exchanges_.cells) bytes += cells->bytes();
  return bytes;
}

std::string Regridding::describe() const {
  std::string text;
  for (const auto& [key, sequence] : sequences_) {
    const Exchange& exchange = exchanges_.all[key.first];
    if (sequence.is_at_work) continue;
    text += fmt::format("\n    regridding of {}, number {}, has {} of {} pieces", exchange.name, key.second,
                        sequence.pieces.size(), exchange.cells->incoming().size());
    break;
  }
  return text;
}

}  // namespace tailrace::pipeline::regridding
