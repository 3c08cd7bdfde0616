#include "server/input/input_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"

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
    : setting_(setting), control_(control) {
  for (const input::Entry& options : setting.entries) {
    Entry entry;
    entry.options = &options;
    for (const input::FieldRequest& request : options.fields) {
      const auto field = setting.declarations.find_field(request.name);
      if (field && setting.declarations.fields[base::index(*field)].is_input) entry.asked.push_back(*field);
    }
    if (entry.asked.empty()) continue;
    entry.owner = setting.reads_alone ? control.rank() : static_cast<int>(entries_.size()) % control.size();
    if (entry.owner == control.rank()) start(entry, services);
    entries_.push_back(std::move(entry));
  }
  control_.on(ControlMessage::input_prepared,
              [this](int from, messaging::Bytes&& message) { hear(from, message); });
}

void InputPreparation::start(Entry& entry, const InputServices& services) {
  entry.thread = std::make_unique<EntryThread>(EntryThread::Options{
      .name = entry.options->name,
      .make_reader = [this, options = entry.options,
                      asked = entry.asked] { return setting_.make_reader(*options, asked); },
      .wait_for = entry.options->wait_for,
      .has_thread = services.executor.threads() > 0,
      .ring = [&bell = services.doorbell] { bell.ring(); }});
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
  bool moved = false;
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
