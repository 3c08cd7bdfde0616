#include "settings/data_files.hpp"

#include "mip_tables/table_files.hpp"
#include "points/tables.hpp"
#include "settings/grid_files.hpp"

namespace tailrace::settings {

std::vector<config::DataFile> data_files(const std::vector<config::Node>& trees, const env::FileSystem& files,
                                         config::Problems& problems) {
  std::vector<config::DataFile> found = points::tables_in(trees);
  const auto add = [&](const std::vector<config::DataFile>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  for (const config::Node& tree : trees)
    if (const config::NodeEntry* names = tree.find("names"))
      add(config::named_files(names->value, "names", problems));
  add(mip_tables::table_files(trees, files, problems));
  add(grid_files(trees, problems));
  return found;
}

}  // namespace tailrace::settings
