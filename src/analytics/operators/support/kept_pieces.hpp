// What reductions keep: for each cell of the kept dimensions something that values were added to. A block
// covers only a region of the kept cells; so there is a piece for each region, and pieces come together in
// messages and at the end.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analytics/operator.hpp"
#include "base/bytes.hpp"
#include "model/region.hpp"

namespace tailrace::analytics::operators {

// So many kept cells, each with a state of which merging is associative and commutative to the bit.
class Cells {
 public:
  virtual ~Cells() = default;
  // `count` cells of another of the same type and parameters, from `from` on, into those from `first` on.
  virtual void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) = 0;
  virtual void merge(base::ByteReader bytes) = 0;  // cell by cell, what write() wrote
  virtual void write(base::ByteWriter& bytes) const = 0;
  virtual void clear() = 0;
  virtual void results(std::span<double> values) const = 0;  // width() a cell
  virtual std::size_t width() const { return 1; }
};

// Cells that take values by themselves, wherever these lie along the consumed dimensions.
class ValueCells : public Cells {
 public:
  virtual void add(std::size_t cell, std::span<const double> values) = 0;
  virtual void add_each(std::size_t first, std::span<const double> values) = 0;
};

// Not safe from several threads: each lane has its own. A piece a region, and not one array of all kept
// cells: a server may hold a few rows of a large map, and what it keeps and sends should be as large as
// those. Pieces are looked for in a list, the last one first: blocks of a server have few regions, and come
// in turn. Overlaps are settled at the end, by merging, which is associative and commutative to the bit.
class KeptPieces {
 public:
  using Make = std::function<std::unique_ptr<Cells>(std::size_t cells)>;
  // `kept`: the dimensions that the reduction leaves; `made`: those of a cell's results besides.
  KeptPieces(const Dims& kept, const Dims& made, Make make);

  Cells& of(const model::Region& kept);  // good until the next call of a non-const member
  void merge(std::span<const std::byte> bytes);
  std::vector<std::byte> to_bytes() const;
  void clear();
  Array finish() const;

 private:
  struct Piece {
    model::Region region;
    std::vector<std::byte> key;  // the region as it stands in messages
    std::unique_ptr<Cells> cells;
    bool used = false;  // since clear()
  };
  Piece& added(model::Region region);
  const Cells* covers_all() const;  // the only piece that was added to, where it is everything
  bool overlap() const;
  void collect(std::span<double> values) const;

  model::Box kept_;
  model::Region whole_;  // of the kept cells
  model::Box result_;
  Make make_;
  std::vector<Piece> pieces_;
  std::size_t last_ = 0;
};

// A reduction's partial result whose cells take values by themselves.
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

// The one that a call asks for: consumes call.dims.
std::unique_ptr<Partial> kept_partial(const Call& call, KeptPieces::Make make, const Dims& made = {});

}  // namespace tailrace::analytics::operators
