// The partial results of reductions: a state for each cell of the kept dimensions. A block covers only a
// region of the kept cells, so there is one piece for each region. Pieces are merged from messages and at the
// end.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analytics/operator.hpp"
#include "base/bytes.hpp"
#include "model/region.hpp"

namespace tailrace::analytics::operators {

// The states of some kept cells. Merging is associative and commutative bit for bit.
class Cells {
 public:
  virtual ~Cells() = default;
  // Merges `count` cells of another object with the same type and parameters, from `from` on, into those from
  // `first` on.
  virtual void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) = 0;
  virtual void merge(base::ByteReader bytes) = 0;  // cell by cell, the bytes of write()
  virtual void write(base::ByteWriter& bytes) const = 0;
  virtual void clear() = 0;
  virtual void results(std::span<double> values) const = 0;  // width() for each cell
  virtual std::size_t width() const { return 1; }
};

// Cells whose result depends only on the values, and not on their positions along the consumed dimensions.
class ValueCells : public Cells {
 public:
  virtual void add(std::size_t cell, std::span<const double> values) = 0;
  virtual void add_each(std::size_t first, std::span<const double> values) = 0;
};

// Not thread-safe: each worker has its own. There is one piece for each region and not one array of all kept
// cells, since a server may hold only a few rows of a large map, and the memory and messages should be no
// larger than these. Pieces are searched in a list that starts after the last one used: the blocks of a
// server have few regions, which recur in turn. Overlapping pieces are merged at the end.
class KeptPieces {
 public:
  using Make = std::function<std::unique_ptr<Cells>(std::size_t cells)>;
  // `kept`: the dimensions that the reduction keeps; `made`: additional dimensions of each cell's results.
  KeptPieces(const Dims& kept, const Dims& made, Make make);

  Cells& of(const model::Region& kept);  // valid until the next call of a non-const member
  void merge(std::span<const std::byte> bytes);
  std::vector<std::byte> to_bytes() const;
  void clear();
  Array finish() const;

 private:
  struct Piece {
    model::Region region;
    std::vector<std::byte> key;  // the region as encoded in messages
    std::unique_ptr<Cells> cells;
    bool used = false;  // since clear()
  };
  Piece& added(model::Region region);
  const Cells* covers_all() const;  // the only used piece, if it covers all cells
  bool overlap() const;
  void collect(std::span<double> values) const;

  model::Box kept_;
  model::Region whole_;  // of the kept cells
  model::Box result_;
  Make make_;
  std::vector<Piece> pieces_;
  std::size_t last_ = 0;
};

// The partial result of a reduction with ValueCells.
class KeptPartial final : public FusiblePartial {
 public:
  KeptPartial(std::vector<bool> consumed, KeptPieces pieces);

  void add(std::span<const ConstArray> arguments) override;
  void begin(const model::Region& kept) override;
  void add_row(std::size_t cell, std::span<const double> values) override { cells_->add(cell, values); }
  void add_cells(std::size_t first, std::span<const double> values) override {
    cells_->add_each(first, values);
  }
  void merge(std::span<const std::byte> bytes) override { pieces_.merge(bytes); }
  std::vector<std::byte> to_bytes() const override { return pieces_.to_bytes(); }
  void clear() override { pieces_.clear(); }
  Array finish() const override { return pieces_.finish(); }

 private:
  std::vector<bool> consumed_;
  KeptPieces pieces_;
  ValueCells* cells_ = nullptr;
};

// The partial result of a call, which consumes call.dims.
std::unique_ptr<Partial> kept_partial(const Call& call, KeptPieces::Make make, const Dims& made = {});

}  // namespace tailrace::analytics::operators
