// argmin and argmax: the position of an extreme.
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/kept_pieces.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

struct Candidate {
  double value = 0.0;
  std::int64_t place = -1;  // in C order over the consumed dimensions of the global array; -1: none
};

// NaN precedes all values, as in NumPy; among equal values the first place does.
bool before(const Candidate& a, const Candidate& b, bool highest) {
  if (b.place < 0) return true;
  const bool a_missing = a.value != a.value;
  const bool b_missing = b.value != b.value;
  if (a_missing != b_missing) return a_missing;
  if (a_missing || a.value == b.value) return a.place < b.place;
  return highest ? a.value > b.value : a.value < b.value;
}

// Converts a place to the index or coordinate that the call requests.
struct Decoder {
  std::int64_t step = 1;  // stride of the dimension in the places
  std::int64_t extent = 1;
  std::vector<double> coordinates;  // empty: return the index

  double of(std::int64_t place) const {
    if (place < 0) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t index = place / step % extent;
    return coordinates.empty() ? static_cast<double>(index) : coordinates[base::index(index)];
  }
};

class CandidateCells final : public Cells {
 public:
  CandidateCells(std::size_t cells, bool highest, Decoder decoder)
      : best_(cells), highest_(highest), decoder_(std::move(decoder)) {}

  void add(std::size_t cell, const Candidate& candidate) {
    if (before(candidate, best_[cell], highest_)) best_[cell] = candidate;
  }
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i)
      take(first + i, static_cast<const CandidateCells&>(other).best_[from + i]);
  }
  void merge(base::ByteReader bytes) override {
    for (std::size_t cell = 0; cell < best_.size(); ++cell) take(cell, bytes.get<Candidate>());
  }
  void write(base::ByteWriter& bytes) const override {
    bytes.put_bytes(std::as_bytes(std::span<const Candidate>(best_)));
  }
  void clear() override { best_.assign(best_.size(), Candidate{}); }
  void results(std::span<double> values) const override {
    for (std::size_t cell = 0; cell < values.size(); ++cell) values[cell] = decoder_.of(best_[cell].place);
  }

 private:
  void take(std::size_t cell, const Candidate& candidate) {
    if (candidate.place >= 0) add(cell, candidate);
  }

  std::vector<Candidate> best_;
  bool highest_;
  Decoder decoder_;
};

class WherePartial final : public Partial {
 public:
  // `steps`: the stride of each dimension in the places, 0 if it is kept.
  WherePartial(std::vector<bool> consumed, std::vector<std::int64_t> steps, bool skip_missing,
               KeptPieces pieces)
      : consumed_(std::move(consumed)),
        steps_(std::move(steps)),
        skip_missing_(skip_missing),
        pieces_(std::move(pieces)) {}

  void add(std::span<const ConstArray> arguments) override {
    const ConstArray& block = arguments[0];
    if (block.region->size() == 0) return;
    auto& cells = static_cast<CandidateCells&>(pieces_.of(kept_of(*block.region, consumed_)));
    std::vector<std::vector<std::int64_t>> places(steps_.size());
    for (std::size_t d = 0; d < steps_.size(); ++d)
      for (const std::int64_t index : indices_along(*block.region, d)) places[d].push_back(index * steps_[d]);

    const Stretches stretches(block.region->counts(), consumed_);
    const std::vector<std::int64_t> outer = summed(places, 0, stretches.outer.size());
    const std::vector<std::int64_t> inner = summed(places, stretches.outer.size(), places.size());
    stretches.for_each([&](std::size_t at, std::size_t cell) {
      const std::int64_t base = outer[at / inner.size()];
      for (std::size_t i = 0; i < inner.size(); ++i) {
        const Candidate candidate{block.values[at + i], base + inner[i]};
        if (skip_missing_ && candidate.value != candidate.value) continue;
        cells.add(stretches.into_one ? cell : cell + i, candidate);
      }
    });
  }
  void merge(std::span<const std::byte> bytes) override { pieces_.merge(bytes); }
  std::vector<std::byte> to_bytes() const override { return pieces_.to_bytes(); }
  void clear() override { pieces_.clear(); }
  Array finish() const override { return pieces_.finish(); }

 private:
  std::vector<bool> consumed_;
  std::vector<std::int64_t> steps_;
  bool skip_missing_;
  KeptPieces pieces_;
};

std::vector<std::int64_t> steps_of(const Call& call, const std::vector<bool>& consumed) {
  const Dims& dims = call.arguments[0].dims;
  std::vector<std::int64_t> steps(dims.size(), 0);
  std::int64_t step = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (!consumed[d]) continue;
    steps[d] = step;
    step *= dims[d].extent;
  }
  return steps;
}

// The name of the dimension whose index is requested.
std::string along(const Call& call) {
  std::vector<std::string> names = call.dims;
  if (names.empty())
    for (const Dim& dim : call.arguments.at(0).dims) names.push_back(dim.name);
  const std::string given = text(call, "along", names.size() == 1 ? names[0] : "");
  if (given.empty())
    throw CallProblem(-1, "along", "needs along=\"DIM\": the consumed dimension whose index is wanted");
  if (std::find(names.begin(), names.end(), given) == names.end())
    throw CallProblem(-1, "along", "along=\"" + given + "\" is not one of the consumed dimensions");
  return given;
}

std::vector<double> wanted_coordinates(const Call& call, const std::string& dim) {
  const bool given = call.parameters.contains("coordinates");
  if (!given && word(call, "give", "index", {"index", "coordinate"}) == "index") return {};
  if (!given) return coordinates(call, dim);
  std::vector<double> values = numbers(call, "coordinates");
  if (static_cast<std::int64_t>(values.size()) != call.arguments[0].dims[place_of(call, dim)].extent)
    throw CallProblem(-1, "coordinates", "\"coordinates\" must be as long as dimension \"" + dim + "\"");
  return values;
}

class Where final : public Reduction {
 public:
  explicit Where(bool highest) : highest_(highest) {}
  OperatorDoc doc() const override {
    const std::string name = highest_ ? "argmax" : "argmin";
    return {name + "(a, dims..., along=\"DIM\", give=\"index\" | \"coordinate\", skip_missing=0)",
            "The position along a dimension of the " + std::string(highest_ ? "highest" : "lowest") +
                " value over the named dimensions, or all: the global index from 0, as numpy." + name +
                " with unravel_index, or the coordinate there (of the dimension, or coordinates=[...]). With "
                "several dimensions, along selects one. Among equal values, and among NaN (which takes "
                "precedence; skip_missing=1 leaves it out), the first in C order of the global array is "
                "taken. Empty blocks and ranks without cells contribute nothing; without cells it is NaN, "
                "for length 1 it is 0.",
            "local; one pass over the cells; 16 bytes per kept cell in the message", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"along", "give", "coordinates", "skip_missing"});
    flag(call, "skip_missing");
    Shape shape = without(call, consumed_dims(call));
    if (call.arguments[0].dims.empty()) throw CallProblem(0, "", "a scalar has no places");
    shape.units = std::nullopt;
    if (wanted_coordinates(call, along(call)).empty()) shape.units = dimensionless();
    return shape;
  }
  std::vector<std::string> coordinates_wanted(const Call& call) const override {
    if (text(call, "give", "index") != "coordinate" || call.parameters.contains("coordinates")) return {};
    return {along(call)};
  }
  bool can_skip_missing() const override { return true; }
  std::unique_ptr<Partial> start(const Call& call) const override {
    const std::vector<bool> consumed = consumed_dims(call);
    const std::vector<std::int64_t> steps = steps_of(call, consumed);
    const std::size_t place = place_of(call, along(call));
    const Decoder decoder{steps[place], call.arguments[0].dims[place].extent,
                          wanted_coordinates(call, along(call))};
    KeptPieces pieces(without(call, consumed).dims, {}, [highest = highest_, decoder](std::size_t cells) {
      return std::make_unique<CandidateCells>(cells, highest, decoder);
    });
    return std::make_unique<WherePartial>(consumed, steps, flag(call, "skip_missing"), std::move(pieces));
  }

 private:
  bool highest_;
};

const OperatorEntry argmin("argmin", std::make_shared<Where>(false));
const OperatorEntry argmax("argmax", std::make_shared<Where>(true));

}  // namespace
}  // namespace tailrace::analytics::operators
