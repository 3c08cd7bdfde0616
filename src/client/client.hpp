// The model's side of the run, after `ready`: knows which fields are wanted, and copies each field that is
// put once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  std::unique_ptr<transport::Producer> producer;  // null: there is no server, and the client sends nothing
  std::unique_ptr<model::Agenda> agenda;
  std::vector<unsigned char> may_be_missing;  // by field: optional ones, which may be wanted and yet not put
  std::vector<unsigned char> once;            // by field: put once, before the first step or in it
  model::Tick begin;                          // the tick of the model before its first step
  bool continues = false;                     // from a checkpoint of the step of `begin`
  std::vector<unsigned char> kept = {};       // by field: part of a checkpoint; empty: none is
  Checkpointing::Schedule schedule = {};      // of checkpoints; empty: there are none
  std::vector<std::unique_ptr<const FieldSource>> sources =
      {};                    // for get(), in the order in which they are asked
  bool opens_files = false;  // the model opens files, and makes no step without one
};

// Used by one thread. Every call except wants() may throw, for misuse or for an error that a server reported
// since the last call.
//
// Nothing here calls MPI or waits for a server, except for space in the ring, so a put costs the model no
// more than a copy. For this reason a client does not ask which fields are wanted at a step: the agenda,
// identical on all ranks and servers, tells it in advance.
class Client {
 public:
  // `rank`: in the component. The declarations are copied.
  Client(const Declarer& declarer, int rank, ClientParts parts);

  void put_statics(std::span<const StaticValues> statics);
  void step(std::int64_t step, double time);
  // For a field with namesakes: whether any of them is wanted. A put supplies all of them.
  bool wants(int field) const {
    return needs(checked(field)) || (!namesakes_.empty() && wanted_namesake(field) >= 0) ||
           is_needed_for_inputs(static_cast<std::size_t>(field));
  }
  bool wants_at_end(int field) const;  // not needed at this step, but the last put before the end is used
  void put(int field, const Array& array);
  // One block of a rank that has several. They are collected until all have come, and then put.
  void put_block(int field, std::size_t block, const Array& array);
  void put_dense(int field, const void* data, model::DataType type, std::size_t count);
  // Returns true, and counts the put, if the put of a field has nothing to do.
  bool put_unwanted(int field) noexcept;
  std::span<std::byte> acquire(int field);
  void publish(int field);
  // From now on the servers know at each step that this rank does not end although it got a stop signal.
  void run_on(bool runs_on) { tick_number_ = runs_on ? model::runs_on : 0; }
  // Whether a checkpoint is due at this step and has not been made yet.
  bool checkpoint_due() const { return checkpointing_.due() && !checkpointing_.made(); }
  bool checkpoint_made() const { return checkpointing_.made(); }  // at this step
  // The first field that a due checkpoint still waits for on this rank; empty: none.
  std::string awaited_by_checkpoint() const;
  void withdraw_checkpoint() { checkpointing_.withdraw(); }  // none is due at this step any more
  // The step of the latest checkpoint; model::static_step: there is none yet.
  std::int64_t checkpointed_at() const { return checkpointed_at_; }
  void request_checkpoint();
  bool request_last_checkpoint();  // at the model's end; false if nothing is left to save
  // Makes the checkpoint of this step from the values that were put so far. No field may be put after it at
  // this step.
  void checkpoint();
  void put_value(const std::string& name, model::KeptValue value) {
    checkpointing_.put_value(name, std::move(value));
  }
  // Reads an input from its source, and any other field from the first source that has it. May block on the
  // disk, or until an input is there.
  void get(int field, const Target& target) const;
  // A field that gets the values of an input wherever it is wanted, without a put of the model.
  struct CopyOfInput {
    int input = -1, field = -1;
  };
  // From now on the source gives the inputs that it has. `needed`: fields whose latest put it asks for with
  // present(); each step wants them. Puts the copies that are put once; may block until their values are
  // there, as each step may for the others.
  void provide_inputs(std::unique_ptr<FieldSource> source, std::span<const int> needed,
                      std::vector<CopyOfInput> copies = {});
  // After finish: drops records of inputs that still arrive, without waiting. True once none comes any more.
  bool drain_inputs() { return !input_source_ || input_source_->drain(); }
  // The values of the latest put of a field that is needed for inputs, dense; empty if it was not put at this
  // step. One that is put once keeps its values.
  std::span<const std::byte> present(int field) const;
  // The files of the steps that follow; `what`: of the first rank, for the servers. Until close_file().
  void open_file(std::span<const std::byte> what);
  void close_file();
  // Whether the records of all steps up to this one are on the disk, as far as the server has said.
  bool written(std::int64_t step);
  // Sends the last packet of this rank. No field may be put after it. Does not wait for the servers.
  void finish();
  void abandon() noexcept {
    if (producer_) producer_->abandon();
  }
  // From now on no field is wanted, and calls are only checked for misuse. The client sends the server
  // nothing but its end, and ignores messages of the server. Inputs cannot be got any more; `why` is in the
  // message.
  void fall_silent(const std::string& why);

  void throw_fault();  // if a server raised one that has not been thrown yet
  const model::Tick& now() const { return now_; }
  bool stepped() const { return stepped_; }
  telemetry::ClientCounters& counters() { return counters_; }
  bool has_server() const { return producer_ != nullptr; }
  transport::Producer& producer() { return *producer_; }  // REQUIRES: has_server()

 private:
  struct FieldState {
    std::int64_t put_at = INT64_MIN;  // step of the latest put
    std::int64_t count = 1;
    model::DataType type = model::DataType::float64;
    const void* readable = nullptr;   // the latest address that was found not to be in GPU memory
    bool once = false;                // no longer wanted after its first put
    bool sends = true;                // false: another rank's values are used instead
    std::vector<std::int64_t> shape;  // of this rank's part
    std::string name;
    std::string grid;
    std::size_t grid_number = 0;
  };
  // A block of this rank on a grid: where its values begin in an array of all blocks.
  struct BlockPlace {
    std::int64_t begin = 0, cells = 0;
    std::vector<std::int64_t> shape;
  };
  // A field that inputs need, with its latest values on this rank.
  struct KeptForInputs {
    std::int64_t put_at = model::static_step;  // of the latest put
    std::vector<std::byte> values;             // empty before the first put
  };
  // The blocks of a field that have come at this step.
  struct Collected {
    std::vector<unsigned char> has;
    std::size_t missing = 0;
    std::vector<std::byte> values;
  };
  void refuse_shape(const FieldState& state, const std::string& call, const Array& array,
                    std::span<const std::int64_t> expected) const;
  void check_all_blocks(const char* call) const;
  std::size_t checked(int field) const;
  bool needs(std::size_t field) const { return wanted_[field] != 0 || checkpointing_.awaits(field); }
  // The flag avoids a look at the field, which is rarely in a cache.
  bool was_put_once_now(std::size_t field) const {
    return some_are_put_once_ && fields_[field].once && fields_[field].put_at == now_.step;
  }
  // Inputs change two things about puts: nobody puts them, and those of some fields are kept for them.
  bool is_input(std::size_t field) const { return !inputs_.empty() && inputs_[field] != 0; }
  bool is_kept_for_inputs(std::size_t field) const {
    return !kept_for_inputs_.empty() && kept_for_inputs_.contains(static_cast<int>(field));
  }
  bool is_needed_for_inputs(std::size_t field) const;  // at this step
  void keep_for_inputs(int field, const Array& array);
  void get_input(int field, const Target& target) const;
  void put_copies_of_inputs();
  // Whether the call of an unwanted put does something: stores it for others, or refuses it.
  bool needs_a_look(int field) const noexcept;
  std::span<const int> namesakes(int field) const;
  int wanted_namesake(int field) const;  // the first wanted one; -1: none
  void put_one(int field, const Array& array);
  // The checks that begin both kinds of put. Returns null if there is nothing to do.
  FieldState* begin_put(int field);
  void check_type(const FieldState& state, model::DataType type) const;
  void check_fit(const FieldState& state, const Array& array) const;
  void check_memory(FieldState& state, const void* data) const;
  void check_all_put();
  void check_checkpointed() const;
  void check_before_files(const char* call);
  void send_file(std::int32_t what, std::span<const std::byte> payload);
  void refuse_put(const FieldState& state) const;
  void finish_put(FieldState& state, int field);
  void ship_counters();

  std::unique_ptr<transport::Producer> producer_;
  std::unique_ptr<model::Agenda> agenda_;
  std::vector<std::unique_ptr<const FieldSource>> sources_;
  std::vector<unsigned char> inputs_;  // by field; empty if there are none
  std::map<int, KeptForInputs> kept_for_inputs_;
  std::vector<CopyOfInput> copies_of_inputs_;
  env::DeviceMemory devices_;
  std::vector<FieldState> fields_;
  std::vector<std::vector<int>> namesakes_;      // as in the declarer
  std::vector<std::vector<BlockPlace>> blocks_;  // by grid
  std::map<int, Collected> collected_;           // by field; erased when it is complete
  // By field. Kept apart from FieldState because each step looks at all of them, and they are in no cache by
  // then.
  std::vector<unsigned char> wanted_;
  std::vector<unsigned char> must_be_put_;  // if wanted: not optional, and this rank holds part of it
  int awaited_ = 0;                         // fields that still must be put at this step
  Checkpointing checkpointing_;
  std::int64_t checkpointed_at_ = model::static_step;
  std::int32_t tick_number_ = 0;
  int rank_ = 0;
  model::Tick now_;
  bool some_are_put_once_ = false;
  bool some_need_a_look_ = false;  // one flag for all kinds, because a put that is not wanted takes few ns
  bool continues_ = false;
  bool stepped_ = false;
  bool silent_ = false;
  bool opens_files_ = false, file_is_open_ = false;
  bool incomplete_ = false;  // a wanted field was not put: the servers must not wait for it
  int acquired_ = -1;
  std::span<std::byte> slot_;
  // Used instead of a slot if another rank's values are used, and for a field with namesakes.
  std::vector<std::byte> unsent_;
  std::uint64_t acquire_nanoseconds_ = 0;
  std::uint64_t begin_nanoseconds_ = env::steady_nanoseconds();
  double begin_time_;  // of the model, where it begins
  telemetry::ClientCounters counters_;
  std::string why_silent_;
  std::unique_ptr<FieldSource> input_source_;  // null: there are no inputs; it may use the counters
};

}  // namespace tailrace::client
