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
// other records of the entry are read meanwhile.
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

  // Waits for the next record of a stream, between the reads; it may be called again meanwhile.
  void grow();
  struct Growth {
    std::map<int, input::FurtherRecords> fields;  // all that may grow, by index in the declarations
    std::optional<base::Fault> end;               // why no record will follow
  };
  std::vector<Growth> take_growths();

  void read(const RecordRead& read);
  // A client needs the record now: it is read before those that none needs yet.
  void hurry(int field, std::int64_t place);
  void drop(int field, std::int64_t place);  // nobody waits for it any more
  std::vector<RecordReadEnd> take_ends();
  // Without a thread: does a piece of work if there is any. True if it did. With a thread it does nothing.
  bool work();

 private:
  struct Job {
    RecordRead read;
    double not_before = 0.0;        // steady seconds
    std::optional<double> give_up;  // set once a client needs it
    bool is_late = false;           // it was tried in vain
    bool is_dropped = false;
    bool is(int field, std::int64_t place) const { return read.field == field && read.place == place; }
  };
  using Jobs = std::vector<Job>;

  void run();
  bool step();
  void prepare();
  void make_reader();
  bool has_work(double now) const TAILRACE_REQUIRES(mutex_);
  Job take_job(double now) TAILRACE_REQUIRES(mutex_);
  void do_read(const RecordRead& read);
  bool do_grow();
  std::optional<Growth> grown();
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
  bool grows_ TAILRACE_GUARDED_BY(mutex_) = false;                  // the next record of a stream is awaited
  std::vector<Growth> growths_ TAILRACE_GUARDED_BY(mutex_);
  Jobs jobs_ TAILRACE_GUARDED_BY(mutex_);  // in the order of the calls
  std::optional<Job> in_work_ TAILRACE_GUARDED_BY(mutex_);
  std::vector<RecordReadEnd> ends_ TAILRACE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tailrace::server
