// What a convention of time decides: where the records of an axis and the files of a series end, how samples
// weigh in a mean, and what names and attributes say of it. The standard one is that of docs/guide/time.md;
// others follow another program, which a room of their own knows.
//
// A convention holds no state. What has to be remembered between ticks are plain values (LastEdge) of the
// axis or series, so that they can be saved.
#pragma once

#include <cstddef>
#include <string>

#include "model/block.hpp"
#include "time/period.hpp"
#include "time/ruler.hpp"

namespace tailrace::time {

// A sample that is about to enter a window whole.
struct WholeSample {
  double time = 0.0;      // seconds of model time
  double before = 0.0;    // the time of the sample before it, in this window or not; else the run's begin
  double gathered = 0.0;  // the weights of the window's samples so far; 0 for its first one
};

class Convention {
 public:
  virtual ~Convention() = default;
  virtual std::string name() const = 0;  // `standard`, or what the option `legacy` calls it

  // Whether all windows end with a sample, or only those whose variables ask for it.
  virtual bool only_whole_samples() const = 0;

  // Where a run stands that begins at that tick.
  virtual LastEdge first_edge(const Ruler& ruler, const model::Tick& begin) const = 0;
  // Whether the sample at a tick makes an instant or ends a window of whole samples; if so, the last edge
  // moves there. Called for each sample, in order.
  virtual bool ends_record(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const = 0;
  // The same for a file of a series. The edge's index is the number of periods that the file's name has.
  virtual bool ends_file(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const = 0;
  // In any unit that all samples of a window share. `last` is where the window began.
  virtual double weight(const Ruler& ruler, const WholeSample& sample, const LastEdge& last) const = 0;

  // Whether the time of a window's record is its end unless the user says otherwise; else it is the middle.
  virtual bool stamps_end() const = 0;
  // In seconds of model time: where a file ends that ends with this edge; lengths of time only.
  virtual double end_of_file(const Ruler& ruler, std::int64_t index) const = 0;
  // Where in the path of a file its number in the series is put: somewhere behind the folders.
  virtual std::size_t place_of_number(const std::string& path) const = 0;

  // For attributes: which value an instant has, as a sentence; which samples a window has, as its rule.
  virtual std::string instants_in_words(const Period& every, const Period& cadence) const = 0;
  virtual std::string windows_in_words(const Period& every, bool whole_samples) const = 0;
};

// Edges are the multiples of the period; weights are the intervals between samples.
const Convention& standard_convention();

}  // namespace tailrace::time
