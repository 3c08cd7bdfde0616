// Gives a model its input fields: receives their records from its server, and interpolates in time and to the
// model's levels.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "calendar/calendar.hpp"
#include "client/declarer.hpp"
#include "client/field_source.hpp"
#include "input/prepared.hpp"
#include "telemetry/counters.hpp"
#include "transport/transport.hpp"

namespace tailrace::client {

// Values of the model at the present step that input needs: the pressure of each cell, for instance.
struct PresentField {
  model::DataType type = model::DataType::float64;
  std::span<const std::byte> values;  // dense, of this rank's cells; empty: not put at this step
};

struct InputParts {
  std::vector<input::PreparedField> fields;
  calendar::Calendar calendar;
  std::unique_ptr<transport::Consumer> channel;  // null: no server is left
  // Called again and again while a record is late; may throw, for instance when a server is lost.
  std::function<void()> meanwhile;
  // The latest put of a field, by its index in the declarations.
  std::function<PresentField(int field)> present;
};

// One thread. Records are used where the channel has them. One that is needed for long is copied, so that it
// does not hold up those behind it in the channel (input/record_store.hpp has the rule).
//
// A record that cannot be had (a packet `input_fault`) makes the get that needs it throw; with
// OnTrouble::hold the last one before it that has come takes its place, also behind the end of the files,
// with one warning for each field. A time behind the last record of a stream (PreparedField::may_grow) is
// waited for.
class InputFields final : public FieldSource {
 public:
  // The declarer and the counters must live longer. Throws Error(configuration) if a rule cannot be applied.
  InputFields(InputParts parts, const Declarer& declarer, telemetry::ClientCounters& counters);
  ~InputFields() override;

  bool has(int field) const override;
  // Waits for a record that is late. Throws Error(resource) with file, variable and record for what the files
  // do not have, Error(usage) for a target that does not fit or levels that were not put at this step, and
  // Error(lost) if the sender has ended without the record.
  void get(int field, const model::Tick& now, const Target& target) const override;
  // The model has begun a step: takes what has come, and releases the records that no later time needs.
  void step(const model::Tick& now) override;
  bool drain() override;
  std::size_t copied_bytes() const;  // of the records that were copied, as long as they are kept

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::client
