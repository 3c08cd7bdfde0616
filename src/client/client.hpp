// The model's side while it runs: which fields are wanted, and one copy for each that is put.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/array.hpp"
#include "client/checkpointing.hpp"
#include "client/declarer.hpp"
#include "client/field_source.hpp"
#include "env/clock.hpp"
#include "env/device_memory.hpp"
#include "model/agenda.hpp"
#include "telemetry/counters.hpp"
#include "transport/transport.hpp"

namespace tailrace::client {

struct ClientParts {
  std::unique_ptr<transport::Producer> producer;  // null: there is no server, and the client is silent
  std::unique_ptr<model::Agenda> agenda;
  std::vector<unsigned char> may_be_missing;  // by field: optional ones, which may be wanted and yet not put
  std::vector<unsigned char> once;            // by field: put once, before the first step or in it
  model::Tick begin;                          // where the model stands before its first step
  bool continues = false;                     // behind a checkpoint of the step of `begin`
  std::vector<unsigned char> kept = {};       // by field: part of a checkpoint; empty: none is
  Checkpointing::Schedule schedule = {};      // of checkpoints; none: there are none
  std::vector<std::unique_ptr<const FieldSource>> sources =
      {};  // of get, in the order in which they are asked
};

// One thread. Every call but wants may throw: the misuse it was, or what went wrong on a server since the
// last call.
//
// Nothing here speaks MPI or waits for a server, but for room in the ring: the model pays for a put what a
// copy costs. What is wanted at a step is therefore known beforehand (the agenda, the same on all ranks and
// servers) and is not asked for.
class Client {
 public:
  // `rank` in the component. What was declared is copied.
  Client(const Declarer& declarer, int rank, ClientParts parts);

  void put_statics(std::span<const StaticValues> statics);
  void step(std::int64_t step, double time);
  // Of fields with namesakes: whether any of them is wanted; a put goes to all of them.
  bool wants(int field) const {
    return needs(checked(field)) || (!namesakes_.empty() && wanted_namesake(field) >= 0);
  }
  bool wants_at_end(int field) const;  // nothing needs it at this step, but what is put last is taken
  void put(int field, const Array& array);
  void put_dense(int field, const void* data, model::DataType type, std::size_t count);
  // True where the put of a field has nothing to do: it is counted then.
  bool put_unwanted(int field) noexcept;
  std::span<std::byte> acquire(int field);
  void publish(int field);
  // Whether a checkpoint is due at this step and was not made yet.
  bool checkpoint_due() const { return checkpointing_.due() && !checkpointing_.made(); }
  bool checkpoint_made() const { return checkpointing_.made(); }  // at this step
  void request_checkpoint();
  bool request_last_checkpoint();  // where the model ends: false where there is nothing to save, or it was
  // The checkpoint of this step holds what was put until now; nothing more may be put at this step.
  void checkpoint();
  void put_value(const std::string& name, model::KeptValue value) {
    checkpointing_.put_value(name, std::move(value));
  }
  // From the first source that has the field. May block on the disk.
  void get(int field, const Target& target) const;
  // The last packet of this rank; after it, nothing may be put. Does not wait for the servers.
  void finish();
  void abandon() noexcept {
    if (producer_) producer_->abandon();
  }
  // From now on nothing is wanted, and nothing said to the server but the end: calls are checked for misuse
  // alone. What the server says is no longer heard.
  void fall_silent();

  void throw_fault();  // if a server raised one that was not thrown yet
  const model::Tick& now() const { return now_; }
  bool stepped() const { return stepped_; }
  telemetry::ClientCounters& counters() { return counters_; }
  bool has_server() const { return producer_ != nullptr; }
  transport::Producer& producer() { return *producer_; }  // where there is a server

 private:
  struct FieldState {
    std::int64_t put_at = INT64_MIN;  // step of the latest put
    std::int64_t count = 1;
    model::DataType type = model::DataType::float64;
    const void* readable = nullptr;   // the latest address that no GPU had
    bool once = false;                // not wanted any more once it was put
    bool sends = true;                // false: another rank's values stand for this one's
    std::vector<std::int64_t> shape;  // of this rank's part
    std::string name;
    std::string grid;
  };
  std::size_t checked(int field) const;
  bool needs(std::size_t field) const { return wanted_[field] != 0 || checkpointing_.awaits(field); }
  // (A put that is not wanted looks at no field where it need not: they are in no cache.)
  bool was_put_once_now(std::size_t field) const {
    return some_are_put_once_ && fields_[field].once && fields_[field].put_at == now_.step;
  }
  std::span<const int> namesakes(int field) const;
  int wanted_namesake(int field) const;  // the first; -1: none
  void put_one(int field, const Array& array);
  // What both kinds of put check first; null where there is nothing to do.
  FieldState* begin_put(int field);
  void check_type(const FieldState& state, model::DataType type) const;
  void check_memory(FieldState& state, const void* data) const;
  void check_all_put();
  void check_checkpointed() const;
  void refuse_put(const FieldState& state) const;
  void finish_put(FieldState& state, int field);
  void ship_counters();

  std::unique_ptr<transport::Producer> producer_;
  std::unique_ptr<model::Agenda> agenda_;
  std::vector<std::unique_ptr<const FieldSource>> sources_;
  env::DeviceMemory devices_;
  std::vector<FieldState> fields_;
  std::vector<std::vector<int>> namesakes_;  // as the declarer has them
  // By field, apart from the rest: each step looks at all of them, and finds them in no cache.
  std::vector<unsigned char> wanted_;
  std::vector<unsigned char> must_be_put_;  // where wanted: not optional, and held by this rank
  int awaited_ = 0;                         // fields that must be put at this step and were not yet
  Checkpointing checkpointing_;
  int rank_ = 0;
  model::Tick now_;
  bool some_are_put_once_ = false;
  bool continues_ = false;
  bool stepped_ = false;
  bool silent_ = false;
  bool incomplete_ = false;  // a wanted field was not put: the servers must not wait for it
  int acquired_ = -1;
  std::span<std::byte> slot_;
  // Stands for the slot where another rank's values are taken, and of a field with namesakes.
  std::vector<std::byte> unsent_;
  std::uint64_t acquire_nanoseconds_ = 0;
  std::uint64_t begin_nanoseconds_ = env::steady_nanoseconds();
  double begin_time_;  // of the model
  telemetry::ClientCounters counters_;
};

}  // namespace tailrace::client
