// The part of a variable that the cells of a grid need, and where its numbers go.
#pragma once

#include <cstdint>
#include <vector>

#include "input/matching.hpp"
#include "input/reader/file_header.hpp"

namespace tailrace::input {

// Where the numbers of a box of the file go in an array of the grid. Both lists are by dim of the grid: the
// distances, in elements, of the cells along it from the beginning of the box and of the array.
struct Copying {
  std::vector<std::vector<std::int64_t>> from, to;
  std::int64_t from_time = 0;  // distance between two records in the box
};

// A box of the file that is read at once.
struct Piece {
  std::vector<std::int64_t> start, count;  // by dim of the file
  Copying copying;
};

struct RecordRange {
  std::int64_t begin = 0, count = 0;
};

// `record` and those behind it that lie in the same chunks, so that they are read together. Without chunks:
// those that lie so near to each other that a library reads them with it, up to some MiB.
RecordRange records_together(const VariableHeader& variable, const Match& match, std::int64_t record);

// The bytes of one record, at most.
std::uint64_t record_bytes(const VariableHeader& variable, const Match& match);

// The cells of a variable that are needed: by dim of the file their indices, ascending. Empty along the dim
// of time.
struct Box {
  std::vector<std::vector<std::int64_t>> cells;
};
Box box_of(const VariableHeader& variable, const Match& match);
double cells_in(const Box& box);  // of what is read for it, without chunks

// `shape`: of the grid's array, by dim. One box, or two of different chunks if the cells lie at both ends of
// a dim: where a model's region crosses the file's first longitude. `box`: the cells that are read, with
// those of the match among them; null: no others.
std::vector<Piece> pieces_of(const VariableHeader& variable, const Match& match,
                             const std::vector<std::int64_t>& shape, RecordRange records,
                             const Box* box = nullptr);

// The uncompressed size of the chunks that a piece needs.
std::uint64_t bytes_of_chunks(const VariableHeader& variable, const Piece& piece);

}  // namespace tailrace::input
