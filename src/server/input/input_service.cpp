#include "server/input/input_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace tailrace::server {
namespace {

using pipeline::ControlMessage;

constexpr std::int64_t usual_lead = 2;  // records

}  // namespace

InputService::InputService(InputSetting setting, const InputServices& services)
    : setting_(std::move(setting)),
      services_(services),
      control_(services.messenger, setting_.component),
      preparation_(setting_, control_, services_),
      held_(services.counters.held) {}

InputService::~InputService() = default;

void InputService::accept(int client, std::unique_ptr<transport::Producer> producer) {
  const std::vector<int>& own = setting_.clients[base::index(rank())];
  const auto found = std::ranges::find(own, client);
  TAILRACE_ASSERT(found != own.end(), "a client of this server");
  delivery_.add_client(base::index(found - own.begin()), std::move(producer));
  has_channels_ = true;
}

void InputService::start() {
  if (setting_.cells_of_ranks) setting_.cells_of_ranks->release();  // all weights are there
  fields_ = preparation_.fields();
  for (const input::PreparedField& field : fields_) {
    prepared_[field.field] = &field;
    counters_[field.field] =
        &services_.counters.add_input(setting_.declarations.component, field.request.name);
  }
  for (const InputPreparation::Entry& entry : preparation_.entries())
    for (const input::PreparedField& field : entry.fields) entry_of_[field.field] = &entry;
  cut_ = std::make_unique<RecordCut>(setting_.declarations, setting_.decomposition, setting_.clients);
  make_owner();
  if (has_own_clients()) {
    for (const input::PreparedField& field : fields_) ends_awaited_.insert(owner_of(field.field));
    control_.on(ControlMessage::input_ended,
                [this](int from, messaging::Bytes&&) { ends_awaited_.erase(from); });
  }
  if (has_channels_) make_window();
}

int InputService::owner_of(int field) const { return entry_of_.at(field)->owner; }

void InputService::make_owner() {
  std::map<int, RecordOwner::OwnedField> owned;
  for (const input::PreparedField& field : fields_)
    if (EntryThread* thread = entry_of_[field.field]->thread.get())
      owned[field.field] = {&field, thread, counters_[field.field]};
  if (owned.empty()) return;
  std::set<int> servers;
  for (std::size_t server = 0; server < setting_.clients.size(); ++server)
    if (!setting_.clients[server].empty()) servers.insert(static_cast<int>(server));
  owner_ = std::make_unique<RecordOwner>(
      RecordOwner::Parts{control_, services_.executor, *cut_, setting_.memory / 2}, std::move(owned),
      std::move(servers));
  control_.on(ControlMessage::input_wanted,
              [this](int from, messaging::Bytes&& message) { owner_->take(from, wanted_in(message)); });
  control_.on(ControlMessage::input_end, [this](int from, messaging::Bytes&&) {
    owner_->leave(from);
    control_.messenger().send(from, control_.kind(ControlMessage::input_ended), {});
  });
}

void InputService::make_window() {
  std::vector<RecordWindow::Field> fields;
  for (const input::PreparedField& field : fields_) {
    const input::Entry& entry = *entry_of_[field.field]->options;
    const bool has_lead = !setting_.reads_alone;  // there is no thread that could read ahead
    fields.push_back({.prepared = &field,
                      .lead_seconds = has_lead ? entry.lead_seconds : std::optional<double>(),
                      .lead_records = has_lead ? entry.lead_records.value_or(usual_lead) : 0,
                      .bytes = cut_->bytes(field, rank())});
  }
  window_ = std::make_unique<RecordWindow>(std::move(fields), setting_.calendar);
  control_.messenger().on_shared(control_.kind(ControlMessage::input_record),
                                 [this](int, const base::SharedBytes& message) { hear_record(message); });
  control_.on(ControlMessage::input_further,
              [this](int, messaging::Bytes&& message) { hear_further(further_in_message(message)); });
}

bool InputService::progress(const ClientTimes& times) {
  bool moved = owner_ && owner_->progress();
  if (!is_ended_ && has_own_clients()) {
    if (times.are_over || !window_) {
      end();
      moved = true;
    } else {
      move_window(times);
      moved = delivery_.progress() || moved;
    }
  }
  const std::size_t cells = setting_.cells_of_ranks ? setting_.cells_of_ranks->bytes() : 0;
  held_.set(telemetry::MemoryKind::input, cells + (owner_ ? owner_->bytes() : 0) + delivery_.bytes());
  held_.set(telemetry::MemoryKind::regrid, setting_.weights ? setting_.weights->bytes() : 0);
  return moved;
}

// Its result can only change with the clients' times, or when memory becomes free.
void InputService::move_window(const ClientTimes& times) {
  const std::size_t held = delivery_.bytes() + window_->bytes_requested();
  const bool same = times_ && times_->last == times.last && times_->first == times.first;
  if (same && !(window_->has_deferred() && held < held_at_move_)) return;
  times_ = times;
  WantedMessage wanted;
  window_->move(times.last, times.first, delivery_.bytes(), setting_.memory / 2, wanted);
  held_at_move_ = delivery_.bytes() + window_->bytes_requested();
  std::map<int, WantedMessage> by_owner;
  for (const WantedRecord& one : wanted.records) by_owner[owner_of(one.field)].records.push_back(one);
  for (const LowestPlace& one : wanted.lowest) {
    by_owner[owner_of(one.field)].lowest.push_back(one);
    delivery_.drop_below(one.field, one.place);
  }
  if (!same)
    delivery_.reorder([this](int field, std::int64_t place) { return window_->ahead(field, place); });
  for (const WantedFurther& one : wanted.further) by_owner[owner_of(one.field)].further.push_back(one);
  for (const auto& [owner, message] : by_owner)
    control_.messenger().send(owner, control_.kind(ControlMessage::input_wanted), to_bytes(message));
}

void InputService::hear_record(const base::SharedBytes& message) {
  if (is_ended_) return;
  RecordMessage record = record_in(message);
  const auto [field, is_fault, place] = record.head;
  const auto late = window_->arrive(field, place);
  if (!late) return;
  telemetry::InputCounters& counters = *counters_.at(field);
  if (*late > 0.0) {
    counters.late.record_seconds(*late);
    counters.last_late_nanoseconds.set(static_cast<std::uint64_t>(*late * 1e9));
  }
  const std::int64_t ahead = window_->ahead(field, place);
  if (record.fault)
    delivery_.add_fault(field, place, ahead, *record.fault);
  else
    delivery_.add(field, place, ahead, std::move(record.values), cut_->places(*prepared_.at(field), rank()));
}

// Clients hear of records before they come, and of the end behind the last one.
void InputService::hear_further(const FurtherMessage& message) {
  if (is_ended_) return;
  if (message.end) {
    const std::int64_t behind = window_->end_growth(message.field);
    delivery_.add_fault(message.field, behind, window_->ahead(message.field, behind), *message.end);
    return;
  }
  window_->lengthen(message.field, message.further.records);
  if (!message.further.files.empty() || !message.further.records.empty())
    delivery_.add_further(message.field, message.further);
  times_.reset();  // the window moves
}

void InputService::end() {
  is_ended_ = true;
  delivery_.end();
  for (const int owner : ends_awaited_)
    control_.messenger().send(owner, control_.kind(ControlMessage::input_end), {});
}

bool InputService::over() const {
  const bool asks = has_own_clients() && !(is_ended_ && ends_awaited_.empty());
  return !asks && (owner_ == nullptr || !owner_->serves());
}

void InputService::lose(int server) {
  preparation_.lose(server);
  ends_awaited_.erase(server);
  if (owner_) owner_->leave(server);
}

bool InputService::polls() const {
  return window_ && !is_ended_ && (window_->awaits_needed() || delivery_.waits());
}

bool InputService::holds_up_client() const {
  return window_ && !is_ended_ && (window_->awaits_needed() || delivery_.holds_up_client());
}

std::vector<telemetry::InputStatus> InputService::status() const {
  std::vector<telemetry::InputStatus> all;
  for (const auto& [field, counters] : counters_)
    all.push_back({counters->component, counters->field, counters->reads.count.get(),
                   counters->bytes_read.get(), counters->late.count.get(),
                   1e-9 * static_cast<double>(counters->last_late_nanoseconds.get())});
  return all;
}

std::string InputService::describe() const {
  if (!is_prepared()) return "\n    the headers of input files are being read";
  if (!window_ || is_ended_) return "";
  std::string text;
  if (window_->awaits_needed()) text += "\n    a client waits for a record of an input field";
  if (delivery_.waits()) text += "\n    records of input fields wait for room in a client's buffer";
  return text;
}

}  // namespace tailrace::server
