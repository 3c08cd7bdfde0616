#include <fmt/format.h>

#include "time/convention.hpp"

namespace tailrace::time {
namespace {

// "each multiple of 5 s".
std::string points_of(const Period& period) {
  const std::string points = period.kind() == PeriodKind::months
                                 ? fmt::format("the begin of every {}", period.length())
                                 : fmt::format("each multiple of {}", period.length());
  return period.has_offset() ? fmt::format("{}, offset by {}", points, period.offset()) : points;
}

class Standard final : public Convention {
 public:
  std::string name() const override { return "standard"; }
  bool only_whole_samples() const override { return false; }

  LastEdge first_edge(const Ruler& ruler, const model::Tick& begin) const override {
    return edge_before(ruler, begin);
  }
  bool ends_record(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const override {
    return passes(ruler, tick, last);
  }
  bool ends_file(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const override {
    return passes(ruler, tick, last);
  }
  double weight(const Ruler&, const WholeSample& sample, const LastEdge&) const override {
    return sample.time - sample.before;
  }

  bool stamps_end() const override { return false; }
  double end_of_file(const Ruler& ruler, std::int64_t index) const override { return ruler.edge(index); }
  std::size_t place_of_number(const std::string& path) const override {
    const std::size_t name = path.find_last_of('/') + 1;  // 0 where there are no folders
    const std::size_t ending = path.rfind('.');
    return ending != std::string::npos && ending > name ? ending : path.size();
  }

  std::string instants_in_words(const Period& every, const Period& cadence) const override {
    const bool each_step = every == Period::of_steps(1);
    const bool every_step_sampled = cadence == Period::of_steps(1);
    if (each_step || every == cadence) {
      if (each_step && every_step_sampled) return "values at every model step";
      return fmt::format("each value is that of the first model step at or past {}", points_of(cadence));
    }
    const std::string sample =
        every_step_sampled ? "model step" : fmt::format("sample (taken {})", cadence.sentence());
    return fmt::format("each value is that of the first {} at or past {}", sample, points_of(every));
  }
  std::string windows_in_words(const Period& every, bool whole_samples) const override {
    return every.sentence() + (whole_samples ? ", to the first sample at or past that" : "");
  }
};

}  // namespace

const Convention& standard_convention() {
  static const Standard standard;
  return standard;
}

}  // namespace tailrace::time
