// Saves the records of a variable that are complete but not yet in a complete chunk on disk: one array over
// these records and the cells of the grid, independent of the chunks and servers that hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cf/layout.hpp"
#include "model/state.hpp"
#include "output/assembly.hpp"
#include "plan/commit_clock.hpp"
#include "plan/plan.hpp"

namespace tailrace::sinks {

class SavedRecords {
 public:
  // `variable`: index into the layout's variables. `plan` and `layout` must live longer.
  SavedRecords(const plan::DatasetPlan& plan, const cf::DatasetLayout& layout, std::size_t variable,
               const plan::Pending& pending);

  bool none() const { return end_ <= first_; }
  std::int64_t first() const { return first_; }  // the first record of a chunk that is not all on disk
  std::int64_t end() const { return end_; }      // records before this one are complete

  // `cells`: a full-sized, unencoded chunk. Only records before `records_end` are valid in a chunk that was
  // flushed early.
  void save(model::StateSaver& saver, std::int64_t spatial, std::int64_t record_chunk,
            std::span<const std::byte> cells, std::int64_t records_end = INT64_MAX) const;
  // The errors of the records of a chunk that were rounded; nothing is saved of others.
  void save_reached(model::StateSaver& saver, std::int64_t spatial, std::int64_t record_chunk,
                    std::span<const codecs::lossy::Reached> reached,
                    std::int64_t records_end = INT64_MAX) const;
  codecs::lossy::Reached load_reached(const model::StateLoader& loader, std::int64_t spatial,
                                      std::int64_t record) const;
  // Loads the cells of a record inside a chunk's box, in C order.
  std::vector<std::byte> load(const model::StateLoader& loader, std::int64_t spatial,
                              std::int64_t record) const;

 private:
  model::Region region(std::int64_t spatial, std::int64_t first_record, std::int64_t records) const;

  output::ChunkGrid grid_;
  std::size_t element_;
  std::int64_t first_ = 0, end_ = 0;
  model::StateArray array_, reached_;
};

}  // namespace tailrace::sinks
