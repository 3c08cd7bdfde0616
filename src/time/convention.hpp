// A convention of time determines where the records of an axis and the files of a series end, the weights of
// samples in a mean, and how names and attributes describe them. The standard one is described in
// docs/guide/time.md; others imitate another program, and are in rooms of their own.
//
// A convention has no state. The state between ticks consists of plain values (LastEdge) of the axis or
// series, so that it can be saved.
#pragma once

#include <cstddef>
#include <string>

#include "model/block.hpp"
#include "time/period.hpp"
#include "time/ruler.hpp"

namespace tailrace::time {

// A sample that is added to a window as a whole.
struct WholeSample {
  double time = 0.0;      // seconds of model time
  double before = 0.0;    // the time of the sample before it, in this window or not; else the run's begin
  double gathered = 0.0;  // the weights of the window's samples so far; 0 for its first one
};

class Convention {
 public:
  virtual ~Convention() = default;
  virtual std::string name() const = 0;  // `standard`, or its name in the option `legacy`

  // Whether all windows end with a sample, or only those whose variables request it.
  virtual bool only_whole_samples() const = 0;

  // The last edge of a run that begins at that tick.
  virtual LastEdge first_edge(const Ruler& ruler, const model::Tick& begin) const = 0;
  // Whether the sample at a tick makes an instant or ends a window of whole samples; if so, updates the last
  // edge. Called for each sample, in order.
  virtual bool ends_record(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const = 0;
  // The same for a file of a series. The edge's index is the number in the file's name.
  virtual bool ends_file(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const = 0;
  // The weight of a sample, in any unit that is the same for all samples of a window. `last`: where the
  // window began.
  virtual double weight(const Ruler& ruler, const WholeSample& sample, const LastEdge& last) const = 0;

  // Whether the default time of a window's record is its end; otherwise it is the middle.
  virtual bool stamps_end() const = 0;
  // The end of the file that ends with this edge, in seconds of model time; only for periods that are lengths
  // of time.
  virtual double end_of_file(const Ruler& ruler, std::int64_t index) const = 0;
  // The position in a file's path, after the folders, where its number in the series is inserted.
  virtual std::size_t place_of_number(const std::string& path) const = 0;

  // For attributes: a sentence about the value of an instant, and the rule of a window's samples.
  virtual std::string instants_in_words(const Period& every, const Period& cadence) const = 0;
  virtual std::string windows_in_words(const Period& every, bool whole_samples) const = 0;
};

// Edges are the multiples of the period; weights are the intervals between samples.
const Convention& standard_convention();

}  // namespace tailrace::time
