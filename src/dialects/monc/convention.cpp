#include "dialects/monc/convention.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailrace::dialects::monc {
namespace {

using time::LastEdge;
using time::Period;
using time::Ruler;

bool drifts(const Period& period) { return period.kind() == time::PeriodKind::seconds; }

class Monc final : public time::Convention {
 public:
  std::string name() const override { return dialect_name; }
  bool only_whole_samples() const override { return true; }

  LastEdge first_edge(const Ruler& ruler, const model::Tick& begin) const override {
    return drifts(ruler.period()) ? LastEdge{} : standard_.first_edge(ruler, begin);
  }

  bool ends_record(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const override {
    const Period& every = ruler.period();
    if (!drifts(every)) return standard_.ends_record(ruler, tick, last);
    constexpr double units = 1e7;  // MONC counts in units of 1e-7 s
    if (std::trunc(tick.time * units) - std::trunc(last.time * units) < every.seconds() * units) return false;
    last.time = tick.time;
    ++last.index;
    return true;
  }

  bool ends_file(const Ruler& ruler, const model::Tick& tick, LastEdge& last) const override {
    const Period& every = ruler.period();
    if (!drifts(every)) return standard_.ends_file(ruler, tick, last);
    if (tick.time - last.time < every.seconds()) return false;
    last.time = static_cast<double>(static_cast<float>(tick.time));  // MONC keeps it in single precision
    ++last.index;
    return true;
  }

  // MONC's average is a = (T*a + d*x)/(T + d), where T is the time since the begin of the window and d the
  // time since the last sample. So the weight of a sample relative to the sum of all weights before it is
  // d/T, and the weight of the first sample is arbitrary.
  double weight(const Ruler& ruler, const time::WholeSample& sample, const LastEdge& last) const override {
    if (!drifts(ruler.period())) return standard_.weight(ruler, sample, last);
    if (sample.gathered == 0.0) return 1.0;
    const double since_begin = sample.time - last.time;
    const double since_sample = sample.time - sample.before;
    return since_begin > 0.0 ? sample.gathered * (since_sample / since_begin) : 0.0;
  }

  bool stamps_end() const override { return true; }
  // MONC counts periods, regardless of where they end.
  double end_of_file(const Ruler& ruler, std::int64_t index) const override {
    return static_cast<double>(index) * ruler.period().seconds();
  }
  // MONC looks for the first dot of the path; here it is the first dot of the file's name.
  std::size_t place_of_number(const std::string& path) const override {
    const std::size_t name = path.find_last_of('/') + 1;  // 0 where there are no folders
    const std::size_t ending = path.find('.', name + 1);
    return ending != std::string::npos ? ending : path.size();
  }

  std::string instants_in_words(const Period& every, const Period& cadence) const override {
    if (!drifts(every)) return standard_.instants_in_words(every, cadence);
    return fmt::format("each value is that of the first sample (taken {}) {} or more after the one before it",
                       cadence.sentence(), every.length());
  }
  std::string windows_in_words(const Period& every, bool whole_samples) const override {
    if (!drifts(every)) return standard_.windows_in_words(every, whole_samples);
    return fmt::format(
        "to the first sample {} or more after its begin; means are weighted as in MONC, where the first "
        "sample of an interval counts about twice",
        every.length());
  }

 private:
  const time::Convention& standard_ = time::standard_convention();
};

}  // namespace

const time::Convention& convention() {
  static const Monc monc;
  return monc;
}

}  // namespace tailrace::dialects::monc
