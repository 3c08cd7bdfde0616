#include "server/input/input_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::server {
namespace {

using pipeline::ControlMessage;

constexpr std::int32_t all_of_sender = -1;  // in place of the number of an entry

// A time rule that does not fit the records.
std::optional<base::Fault> find_fault(const std::vector<input::PreparedField>& fields,
                                      const calendar::Calendar& calendar) {
  for (const input::PreparedField& field : fields) try {
      const input::TimeSelector selector(field.timeline, field.request.time, calendar);
    } catch (const Error& error) {
      return base::Fault{ErrorCode::configuration,
                         fmt::format("{}  input.{}.fields.{}: {}", field.request.location.text(), field.entry,
                                     field.request.name, error.what())};
    }
  return std::nullopt;
}

}  // namespace

InputPreparation::InputPreparation(const InputSetting& setting, pipeline::ControlChannel& control,
                                   const InputServices& services)
    : setting_(setting),
      control_(control),
      services_(services),
      entries_(entries_of(setting, control)),
      cells_(control, readers_of_cells(), setting.cells_of_ranks) {
  control_.on(ControlMessage::input_prepared,
              [this](int from, messaging::Bytes&& message) { hear(from, message); });
  for (Entry& entry : entries_)
    if (entry.owner == control_.rank() && !entry.awaits_cells) start(entry);
}

std::vector<InputPreparation::Entry> InputPreparation::entries_of(const InputSetting& setting,
                                                                  const pipeline::ControlChannel& control) {
  std::vector<Entry> entries;
  for (const input::Entry& options : setting.entries) {
    Entry entry;
    entry.options = &options;
    for (const input::FieldRequest& request : options.fields) {
      const auto number = setting.declarations.find_field(request.name);
      if (!number) continue;
      const model::Field& field = setting.declarations.fields[base::index(*number)];
      if (!field.is_input) continue;
      entry.asked.push_back(*number);
      entry.awaits_cells =
          entry.awaits_cells || (request.regrid && regrid::only_ranks_know_cells(
                                                       setting.declarations.grids[base::index(field.grid)]));
    }
    if (entry.asked.empty()) continue;
    entry.owner = setting.reads_alone ? control.rank() : static_cast<int>(entries.size()) % control.size();
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Where each server reads for itself, all need them.
std::set<int> InputPreparation::readers_of_cells() const {
  std::set<int> readers;
  for (const Entry& entry : entries_) {
    if (!entry.awaits_cells) continue;
    for (int server = 0; server < control_.size(); ++server)
      if (setting_.reads_alone || server == entry.owner) readers.insert(server);
  }
  return readers;
}

bool InputPreparation::start_those_with_cells() {
  if (!cells_.over()) return false;
  bool moved = false;
  for (std::size_t number = 0; number < entries_.size(); ++number) {
    Entry& entry = entries_[number];
    if (entry.owner != control_.rank() || !std::exchange(entry.awaits_cells, false)) continue;
    moved = true;
    if (cells_.fault())  // the reason for it may be known
      tell(number, {.fields = {}, .fault = fault_ ? fault_ : cells_.fault()});
    else
      start(entry);
  }
  return moved;
}

void InputPreparation::start(Entry& entry) {
  entry.thread = std::make_unique<EntryThread>(EntryThread::Options{
      .name = entry.options->name,
      .make_reader = [this, options = entry.options,
                      asked = entry.asked] { return setting_.make_reader(*options, asked); },
      .wait_for = entry.options->wait_for,
      .has_thread = services_.executor.threads() > 0,
      .ring = [&bell = services_.doorbell] { bell.ring(); }});
}

void InputPreparation::refuse(messaging::Messenger& messenger, int component, const base::Fault& fault) {
  base::ByteWriter writer;
  writer.put(all_of_sender);
  base::put_fault(writer, fault);
  for (int server = 0; server < messenger.size(); ++server)
    if (server != messenger.rank())
      messenger.send(server, pipeline::kind_of(component, ControlMessage::input_prepared),
                     messaging::Bytes(writer.bytes().begin(), writer.bytes().end()));
}

bool InputPreparation::progress() {
  bool moved = start_those_with_cells();
  for (std::size_t number = 0; number < entries_.size(); ++number) {
    Entry& entry = entries_[number];
    if (!entry.thread || entry.is_known) continue;
    entry.thread->work();
    if (auto prepared = entry.thread->take_prepared()) {
      if (!prepared->fault) prepared->fault = find_fault(prepared->fields, setting_.calendar);
      tell(number, *prepared);
      moved = true;
    }
  }
  return moved;
}

void InputPreparation::tell(std::size_t number, const EntryThread::Prepared& prepared) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(number));
  base::put_fault(writer, prepared.fault);
  input::put_prepared(writer, prepared.fields);
  hear(control_.rank(), messaging::Bytes(writer.bytes().begin(), writer.bytes().end()));
  if (setting_.reads_alone) return;
  for (int server = 0; server < control_.size(); ++server)
    if (server != control_.rank())
      control_.messenger().send(server, control_.kind(ControlMessage::input_prepared),
                                messaging::Bytes(writer.bytes().begin(), writer.bytes().end()));
}

void InputPreparation::hear(int from, const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto number = reader.get<std::int32_t>();
  const auto fault = base::get_fault(reader);
  if (fault && !fault_) fault_ = fault;
  if (number == all_of_sender) return lose(from);
  TAILRACE_ASSERT(base::index(number) < entries_.size(), "an entry of the section input");
  Entry& entry = entries_[base::index(number)];
  entry.is_known = true;
  if (!fault) entry.fields = input::get_prepared(reader, setting_.calendar);
}

void InputPreparation::lose(int server) {
  cells_.lose(server);
  for (Entry& entry : entries_)
    if (entry.owner == server) entry.is_known = true;
}

bool InputPreparation::over() const { return std::ranges::all_of(entries_, &Entry::is_known); }

std::vector<input::PreparedField> InputPreparation::fields() const {
  std::vector<input::PreparedField> all;
  for (const Entry& entry : entries_) all.insert(all.end(), entry.fields.begin(), entry.fields.end());
  return all;
}

}  // namespace tailrace::server
