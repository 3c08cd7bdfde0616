// Reads the records of one entry of `input` on a thread of its own: a read blocks on the disk and on the
// reader's process, and a slow file must not hold up another entry.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "input/record_values.hpp"

namespace tailrace::server {

struct RecordRead {
  int field = -1;           // index in the declarations
  std::int64_t record = 0;  // index in the timeline
  std::int64_t place = 0;   // input::Part::place
  bool is_ahead = false;    // no client needs it yet
};

struct RecordReadEnd {
  RecordRead read;
  std::shared_ptr<const input::RecordValues> values;  // null: `fault`
  base::Fault fault;
  double seconds = 0.0;  // inside EntryReader::read
};

// The communication thread calls it; the reader is made and used on the entry's thread only. A record that
// cannot be read is tried again and again until `wait_for` seconds have passed since a client needed it;
// other records of the entry are read meanwhile. If the reader's process is lost, the record is tried once
// more in a new one, whatever `wait_for` says.
class EntryThread {
 public:
  struct Options {
    std::string name;  // of the entry
    std::function<std::unique_ptr<input::EntryReader>()> make_reader;
    double wait_for = 0.0;
    bool has_thread = true;      // false: all work is done in work() (mode inline)
    std::function<void()> ring;  // called when there is something to take; from the entry's thread
  };
  explicit EntryThread(Options options);
  ~EntryThread();  // interrupts the read in progress; drops all others
  EntryThread(const EntryThread&) = delete;
  EntryThread& operator=(const EntryThread&) = delete;

  struct Prepared {
    std::vector<input::PreparedField> fields;
    std::optional<base::Fault> fault;
  };
  std::optional<Prepared> take_prepared();  // once; none as long as the headers are being read

  void read(const RecordRead& read);
  // A client needs the record now: it is read before those that none needs yet.
  void hurry(int field, std::int64_t place);
  void drop(int field, std::int64_t place);  // nobody waits for it any more
  std::vector<RecordReadEnd> take_ends();
  // Further records of the fields that may grow are wanted; until that is answered, more calls only tell that
  // a client needs them by now. The answer is a growth for all such fields: some became longer, or none will.
  void grow(bool is_needed);
  struct Growth {
    std::vector<std::pair<int, input::FurtherRecords>> fields;  // by index in the declarations
    std::optional<base::Fault> end;                             // no record will follow, for this reason
  };
  std::optional<Growth> take_growth();
  // Without a thread: does a piece of work if there is any. True if it did. With a thread it does nothing.
  bool work();

 private:
  struct Job {
    RecordRead read;
    double not_before = 0.0;        // steady seconds
    std::optional<double> give_up;  // set once a client needs it
    bool is_late = false;           // it was tried in vain
    bool was_lost = false;          // with the reader's process
    bool is_dropped = false;
    bool is(int field, std::int64_t place) const { return read.field == field && read.place == place; }
  };
  using Jobs = std::vector<Job>;
  struct GrowthJob {
    double not_before = 0.0;
    bool is_needed = false;
    std::optional<base::Fault> trouble;  // the last one
    std::optional<double> give_up;       // set once a client needs it, if `wait_for` is
  };

  static bool is_lost();
  static bool may_come_later();
  void run();
  bool step();
  void prepare();
  void do_grow();
  std::optional<Growth> growth_now();
  base::Fault nothing_came() const;
  bool is_over() const;  // no field may grow any more
  bool needs_growth(double now) const TAILRACE_REQUIRES(mutex_);
  void make_reader();
  bool has_work(double now) const TAILRACE_REQUIRES(mutex_);
  Job take_job(double now) TAILRACE_REQUIRES(mutex_);
  void do_read(const RecordRead& read);
  bool retries(const Job& job, double now) const;
  void set_give_up(Job& job) const;
  double pause() const;  // between two tries
  bool is_stopping();

  const Options options_;
  std::unique_ptr<input::EntryReader> reader_;  // entry's thread only
  std::map<int, input::PreparedField> fields_;  // entry's thread only; by index in the declarations
  std::optional<double> give_up_preparing_;     // entry's thread only
  bool is_late_ = false;                        // entry's thread only: the headers were tried in vain
  base::Mutex mutex_;
  base::Condition wake_;
  std::optional<Prepared> prepared_ TAILRACE_GUARDED_BY(mutex_);
  double next_try_to_prepare_ TAILRACE_GUARDED_BY(mutex_) = 0.0;
  bool is_prepared_ TAILRACE_GUARDED_BY(mutex_) = false;  // or has failed to be
  bool stopping_ TAILRACE_GUARDED_BY(mutex_) = false;
  input::EntryReader* made_ TAILRACE_GUARDED_BY(mutex_) = nullptr;  // reader_, to interrupt it
  Jobs jobs_ TAILRACE_GUARDED_BY(mutex_);                           // in the order of the calls
  std::optional<Job> in_work_ TAILRACE_GUARDED_BY(mutex_);
  std::vector<RecordReadEnd> ends_ TAILRACE_GUARDED_BY(mutex_);
  std::optional<GrowthJob> growth_job_ TAILRACE_GUARDED_BY(mutex_);
  std::optional<Growth> growth_ TAILRACE_GUARDED_BY(mutex_);
  bool growth_is_over_ TAILRACE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tailrace::server
