#include "input/regridding/weights_store.hpp"

#include "regrid/maker/maker_files.hpp"
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
  const std::int64_t target = regrid::cells_of(request.target);
  regrid::check_cached(path, regrid::digest_of(request), regrid::cells_of(request.source), target);
  auto rows = std::make_shared<const SourceRows>(source_rows_of(regrid::read_rows(path, 0, target), shape));
  known = rows;
  std::size_t bytes = 0;
  for (const auto& [name, one] : rows_)
    if (const auto live = one.lock()) bytes += live->rows.bytes();
  bytes_ = bytes;
  return rows;
}

}  // namespace tailrace::input
