// The errors of values that are rounded within a bound, as the attributes of a file tell them: after each
// commit they are the largest of all its records. Those of earlier jobs are included, and where a job appends
// to a file also those of records that it removes.
#pragma once

#include <vector>

#include "codecs/lossy/keep.hpp"
#include "model/state.hpp"
#include "output/format.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::sinks {

// One thread at a time.
class KeptErrors {
 public:
  KeptErrors() = default;
  // `counters` gets an element for each variable of `dataset` that is rounded, or whose level is chosen; it
  // must outlive this object.
  KeptErrors(const output::DatasetSpec& dataset, std::vector<telemetry::KeptCounters>& counters);

  // Before a file is created. One that is continued keeps its errors, which are put into the attributes of
  // `spec`. Throws Error(resource) that names the variable if its values there were kept within another
  // bound.
  void begin(const output::Format& format, output::DatasetSpec& spec);
  // Adds the attributes that change with a commit. The same commit may be tried again.
  void add_attributes(output::Commit& commit);
  void committed(const output::Commit& commit);
  void end();  // the file has ended

  void save(model::NumberSaver saver) const;
  // Before or after the file that goes on is opened. Its attributes may tell of records after the saved
  // state; the next commit corrects them.
  void load(model::NumberLoader loader);

 private:
  struct Variable {
    int counters = -1;  // index; -1: none
    bool rounds = false, chooses_bits = false;
    std::string name = {};
    codecs::lossy::Reached reached = {};  // by the records of the file
    codecs::lossy::Reached told = {};     // by its attributes
  };
  std::vector<Variable> variables_;  // by DatasetSpec::variables
  bool is_used_ = false;             // something is rounded, or a level is chosen
  std::vector<telemetry::KeptCounters>* counters_ = nullptr;
  bool loaded_ = false;  // the errors are those of the next file
};

}  // namespace tailrace::sinks
