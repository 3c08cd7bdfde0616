// A client's view of checkpoints: at which steps one is due, which fields it still waits for, and the
// model's values that are not fields.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/block.hpp"
#include "model/kept_value.hpp"

namespace tailrace::client {

// One thread.
class Checkpointing {
 public:
  // Returns whether a checkpoint is due at a tick. Called once for each tick, in order.
  using Schedule = std::function<bool(const model::Tick&)>;

  // `kept`: by field, whether it belongs to a checkpoint. `schedule`: empty if the configuration has no
  // checkpoints.
  Checkpointing(std::vector<unsigned char> kept, Schedule schedule)
      : kept_(std::move(kept)), schedule_(std::move(schedule)), awaited_(kept_.size(), 0) {}

  bool is_configured() const { return static_cast<bool>(schedule_); }
  void begin_step(const model::Tick& tick);
  void request();                      // makes one due at this step as well
  void withdraw();                     // none is due at this step any more
  bool due() const { return due_; }    // at this step, whether or not it was made
  bool made() const { return made_; }  // at this step
  bool awaits(std::size_t field) const { return awaited_[field] != 0; }  // due, and not put yet
  bool has(std::size_t field) const { return due_ && kept_[field] != 0 && awaited_[field] == 0; }
  void note_put(std::size_t field) { awaited_[field] = 0; }
  void note_made() { made_ = true; }

  // Throws Error(usage) for a name that no file can hold.
  void put_value(const std::string& name, model::KeptValue value);
  std::vector<std::byte> values() const;  // for the servers

 private:
  std::vector<unsigned char> kept_;
  Schedule schedule_;
  std::vector<unsigned char> awaited_;  // by field
  bool due_ = false, made_ = false;
  model::KeptValues values_;
};

}  // namespace tailrace::client
