#include "input/regridding/weights_store.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::input {

bool WeightsStore::has(const regrid::WeightsRequest& request) const {
  return regrid::has_weights(request, cache_.directory);
}

std::shared_ptr<const SourceRows> WeightsStore::rows(const regrid::WeightsRequest& request,
                                                     const std::vector<std::int64_t>& shape,
                                                     const std::atomic<bool>& is_stopped) {
  const std::lock_guard lock(mutex_);
  const std::string path = regrid::weights_file(request, cache_, is_stopped);
  std::weak_ptr<const SourceRows>& known = rows_[path];
  if (auto rows = known.lock()) return rows;
  const regrid::WeightsHeader header = regrid::read_weights_header(path);
  const std::int64_t source = regrid::cells_of(request.source), target = regrid::cells_of(request.target);
  if (header.source_cells != source || header.target_cells != target)
    throw Error(ErrorCode::configuration,
                fmt::format("the weights {} are for {} to {} cells; expected {} to {}", path,
                            header.source_cells, header.target_cells, source, target));
  auto rows = std::make_shared<const SourceRows>(source_rows_of(regrid::read_rows(path, 0, target), shape));
  known = rows;
  return rows;
}

}  // namespace tailrace::input
