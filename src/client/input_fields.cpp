#include "client/input_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "base/log.hpp"
#include "client/input/cell_writer.hpp"
#include "client/input/input_field.hpp"
#include "client/input/record_store.hpp"
#include "client/target.hpp"
#include "env/clock.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::client {
namespace {

std::vector<StoreField> store_fields(const std::vector<InputField>& fields) {
  std::vector<StoreField> list;
  for (const InputField& field : fields)
    list.push_back({field.prepared().field, field.payload_bytes(), field.prepared().stays, field.holds()});
  return list;
}

}  // namespace

class InputFields::State {
 public:
  State(InputParts parts, const Declarer& declarer, telemetry::ClientCounters& counters)
      : counters_(counters),
        meanwhile_(std::move(parts.meanwhile)),
        present_(std::move(parts.present)),
        fields_(make_fields(std::move(parts.fields), parts.calendar, declarer)),
        now_(fields_.size()),
        store_(std::move(parts.channel), store_fields(fields_),
               [this](std::size_t number, const input::FurtherRecords& further) {
                 fields_[number].lengthen(further);
               }),
        declarer_(declarer) {
    numbers_.assign(declarer.declarations().fields.size(), none);
    for (std::size_t n = 0; n < fields_.size(); ++n) numbers_[base::index(fields_[n].prepared().field)] = n;
  }

  bool has(int field) const {
    return field >= 0 && base::index(field) < numbers_.size() && numbers_[base::index(field)] != none;
  }

  void get(int field, double time, const Target& target) {
    check_handle(field, declarer_);
    if (!has(field))
      throw Error(ErrorCode::usage,
                  fmt::format("get of field \"{}\": the configuration does not provide it as an input",
                              declarer_.declarations().fields[base::index(field)].name));
    const std::int64_t cells = check_target(target, field, declarer_);
    telemetry::FieldCounters& counted = counters_.fields.at(base::index(field));
    const telemetry::ScopedTimer timer(counted.get);
    if (cells == 0) return;
    const std::size_t n = numbers_[base::index(field)];
    const std::vector<input::Part> parts = select(n, time);
    const PresentField levels = levels_of(fields_[n]);
    std::vector<std::span<const std::byte>> payloads;
    for (const input::Part& part : parts) payloads.push_back(*store_.find(n, part.place));
    fields_[n].deliver(parts, payloads, levels, target, scratch_);
    counted.got_bytes.add(base::index(cells) * model::size_of(target.type));
  }

  void step(double time) {
    for (std::size_t n = 0; n < fields_.size(); ++n) now_[n] = fields_[n].places(time);
    store_.advance(now_);
    store_.receive();
  }

  bool drain() { return store_.drain(); }

  std::size_t copied_bytes() const { return store_.copied_bytes(); }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  static std::vector<InputField> make_fields(std::vector<input::PreparedField> prepared,
                                             const calendar::Calendar& calendar, const Declarer& declarer) {
    std::vector<InputField> fields;
    for (input::PreparedField& one : prepared) fields.emplace_back(std::move(one), calendar, declarer);
    return fields;
  }

  // The records that make the value of the time, all of which have come.
  std::vector<input::Part> select(std::size_t n, double time) {
    InputField& field = fields_[n];
    const auto behind = [&] { return field.place_behind(); };
    wait_until(n, [&] { return !field.may_change_at(time) || store_.fault(n, behind()) != nullptr; });
    std::vector<input::Part> parts;
    try {
      parts = field.parts_at(time);
    } catch (const Error& error) {
      const base::Fault* const fault = store_.fault(n, behind());
      const bool is_behind = field.is_behind(time);
      const std::string why =
          is_behind && fault ? fmt::format("{}: {}", error.what(), fault->message) : error.what();
      if (!is_behind || !field.holds()) throw Error(error.code(), field.message(why));
      parts = {{behind() - 1, 1.0, behind() - 1}};
      warn_once(field, why);
    }
    for (input::Part& part : parts) {
      part.place = await(n, part.place);
      part.record = field.record_at(part.place);
    }
    return parts;
  }

  // Returns the place, or that of the record that is used instead.
  std::int64_t await(std::size_t n, std::int64_t place) {
    const auto is_there = [&] { return store_.find(n, place).has_value(); };
    wait_until(n, [&] { return is_there() || store_.fault(n, place) != nullptr; });
    if (is_there()) return place;
    const base::Fault& fault = *store_.fault(n, place);
    const auto last = fields_[n].holds() ? store_.last_before(n, place) : std::nullopt;
    if (!last) throw Error(fault.code, fields_[n].message(fault.message));
    warn_once(fields_[n], fault.message);
    return *last;
  }

  template <class Ready>
  void wait_until(std::size_t n, const Ready& ready) {
    if (ready()) return;
    store_.receive();
    if (ready()) return;
    InputField& field = fields_[n];
    const telemetry::ScopedTimer timer(counters_.fields.at(base::index(field.prepared().field)).wait);
    while (true) {
      const bool may_come = store_.may_receive();
      const bool has_come = store_.receive();
      if (ready()) return;
      if (!may_come && !has_come)
        throw Error(ErrorCode::lost, field.message("its server has ended without a record that is needed"));
      store_.copy_oldest();
      meanwhile_();
    }
  }

  PresentField levels_of(const InputField& field) const {
    const int levels = field.levels_field();
    if (levels < 0) return {};
    const PresentField present = present_(levels);
    const auto& name = declarer_.declarations().fields[base::index(levels)].name;
    if (present.values.empty())
      throw Error(ErrorCode::usage,
                  field.message(fmt::format("its levels are those of field \"{}\", which "
                                            "was not put at this step; put it before the get",
                                            name)));
    return present;
  }

  void warn_once(InputField& field, const std::string& why) {
    if (!field.is_first_warning()) return;
    base::log_warning(field.message(why) + "; the last record that has come is used (`on_trouble: hold`)");
  }

  telemetry::ClientCounters& counters_;
  std::function<void()> meanwhile_;
  std::function<PresentField(int)> present_;
  std::vector<InputField> fields_;
  std::vector<input::Places> now_;
  std::vector<std::size_t> numbers_;  // by index in the declarations
  RecordStore store_;
  const Declarer& declarer_;
  std::vector<std::byte> scratch_;
};

InputFields::InputFields(InputParts parts, const Declarer& declarer, telemetry::ClientCounters& counters)
    : state_(std::make_unique<State>(std::move(parts), declarer, counters)) {}

InputFields::~InputFields() = default;

bool InputFields::has(int field) const { return state_->has(field); }

void InputFields::get(int field, const model::Tick& now, const Target& target) const {
  state_->get(field, now.time, target);
}

void InputFields::step(const model::Tick& now) { state_->step(now.time); }

bool InputFields::drain() { return state_->drain(); }

std::size_t InputFields::copied_bytes() const { return state_->copied_bytes(); }

}  // namespace tailrace::client
