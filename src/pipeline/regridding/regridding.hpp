// Regridding in one component on one server: passes source cells to the servers that need them, and makes the
// samples and records of its own target cells.
//
//   samples of a field ──────────────┐ pieces, by (exchange, sequence)     ┌→ OutputVariables, step by step
//   records of windows on the source ┴→ other servers, this one ──→ rows ──┴→ records of the target → Router
//
// The time axes tell which samples and records are due, so each server knows what to expect without a
// message. Pieces are matched by exchange and sequence (the step of a sample, the number of a record), never
// by order. Where a value is missing, an empty piece takes its place, so that nothing waits for it. Samples
// are added in the order of their steps, and each target cell is made of its own row alone. So the results
// depend neither on ranks nor on servers nor on threads. Samples of child domains are exchanges of their own,
// which are laid over those of the parent on the target before these are added.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "pipeline/regridding/apply_rows.hpp"
#include "pipeline/regridding/credit.hpp"
#include "pipeline/regridding/exchange.hpp"
#include "pipeline/routing/outbox.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "pipeline/tasks.hpp"
#include "plan/axis_bank.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::regridding {

// The records to which the samples of a step belong, by number of time axis; empty where there is no sample.
using StepShares = std::vector<std::vector<time::Share>>;

// Communication thread only, except where noted. Holds no state between two steps: it is idle then.
class Regridding {
 public:
  // All must live longer. `fail` ends the component with a fault. `drops`: pieces that arrive now are to be
  // discarded.
  struct Parts {
    const Blueprint& blueprint;
    sampling::OutputVariables& output_variables;
    Tasks& tasks;
    ControlChannel& control;
    sinks::SinkServices services;
    std::function<void(const base::Fault&)> fail;
    std::function<bool()> drops;
  };
  // `own_parts`: of this server's clients. Expects the samples and the fixed records of its target cells, and
  // passes on the coordinates.
  Regridding(Parts parts, std::vector<int> own_parts, Prepared prepared);

  // Begins a step, to which `axes` have advanced: on servers with clients.
  void begin_step(const model::Tick& tick, const plan::AxisBank& axes);
  // A block of the current step. From any worker, one for each part at a time; copies what is needed.
  void accept(int field, int part, std::span<const std::byte> values);
  void end_step();  // all blocks of the current step have arrived
  // A sample that this server has computed; none if it is missing. From any thread.
  void accept_sample(int field, int part, std::int64_t step, const StepShares& shares,
                     std::span<const std::byte> values);
  // A record of a window on the source grid; none if it has no sample. From any thread.
  void accept_record(const sampling::OutputVariable& output_variable, int part,
                     const time::TimeRecord& record, std::span<const std::byte> values);
  // The windows that are open at the end of the run have been closed, according to `axes`.
  void expect_last_records(const plan::AxisBank& axes);

  bool progress();
  // The samples of all steps so far are in the output variables.
  bool samples_are_in() const;
  bool at_rest() const;  // and so are the records on their way to files; nothing is on its way here
  // After expect_last_records(): fails the component if there is a piece for which nothing is expected, since
  // nothing would ever be made of it.
  void prove_the_end();

  bool holds_up() const { return credit_.full(); }  // accept no further step
  std::size_t unsent_bytes() const { return outbox_.bytes(); }
  std::size_t waiting_bytes() const;  // pieces that wait for others or for workers
  std::size_t fixed_bytes() const;    // weights, and lists of cells
  std::string describe() const;       // for the watchdog

 private:
  struct Head;
  // A sample or a record on its way.
  struct Sequence {
    bool is_due = false;
    bool is_at_work = false;
    time::TimeRecord record;
    std::shared_ptr<const StepShares> shares;
    std::vector<Piece> pieces;
    std::size_t piece_bytes = 0;
    std::map<int, std::size_t> bytes;  // by server, as Credit counts them
    std::vector<RegriddedPart> samples;
  };
  using Key = std::pair<std::size_t, std::int64_t>;  // exchange, sequence
  struct Arrived {
    Key key;
    Piece piece;
  };
  struct Applied {
    Key key;
    std::optional<base::Fault> fault;
  };
  struct Samples {                   // of one exchange
    std::deque<std::int64_t> steps;  // that are due and not folded, in order; of a child none
    std::set<std::int64_t> regridded;
    std::atomic<bool> is_folding{false};
  };

  void expect_samples();
  void expect_fixed_records();
  void expect(std::size_t exchange, std::int64_t sequence, const time::TimeRecord& record,
              std::shared_ptr<const StepShares> shares);
  void send(std::size_t exchange, std::int64_t sequence, int part, std::span<const std::byte> values);
  void receive(const base::SharedBytes& item);
  void add(Arrived&& arrived);
  void start_if_complete(const Key& key, Sequence& sequence);
  void take_record(const Exchange& exchange, const time::TimeRecord& record, RegriddedPart&& part) const;
  bool collect_local();
  bool collect_applied();
  bool fold_next(std::size_t exchange);
  void fold(const Exchange& exchange, const Sequence& sequence);
  void merge(const Exchange& child, const Sequence& over, Sequence& parent) const;
  void use_up(const Sequence& sequence);
  void report_failure(const Exchange& exchange, const base::Fault& fault);
  bool is_sampled(const Exchange& exchange, const StepShares& shares) const;

  Parts parts_;
  std::vector<int> own_parts_;
  Prepared prepared_;
  Exchanges exchanges_;
  routing::Outbox outbox_;
  Credit credit_;

  std::map<Key, Sequence> sequences_;
  std::deque<Samples> samples_;  // by exchange
  std::size_t piece_bytes_ = 0;
  std::set<std::size_t> failed_;  // exchanges whose failure was reported

  // These belong to the current step; workers read them.
  std::int64_t step_ = 0;
  bool is_step_open_ = false;
  std::vector<char> due_;               // by exchange: it takes samples
  std::vector<std::vector<char>> put_;  // by exchange and own part

  base::Mutex mutex_;
  std::vector<Arrived> local_ TAILRACE_GUARDED_BY(mutex_);  // from this server
  std::vector<Applied> applied_ TAILRACE_GUARDED_BY(mutex_);
  std::vector<Key> folded_ TAILRACE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> local_count_{0};  // of the three
};

}  // namespace tailrace::pipeline::regridding
