// The file of a dataset and its journal, interrupted at every point.
#include "output/netcdf/atomic_file.hpp"

#include <cstring>

#include "env/faulty/faulty_files.hpp"
#include "output/netcdf/driver.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

class AtomicFileTest : public NetcdfFormat {};

// ext4 flushes a file that was ever truncated to 0 before close returns.
TEST_F(AtomicFileTest, does_not_truncate_a_new_file) {
  env::FaultyFiles files(env::system_files());
  netcdf::AtomicFile(files.open(path("new"), Access::create), 0, false).begin();
  EXPECT_EQ(files.writes(), 0U);
  put_contents(path("left"), pattern(700, 1));
  netcdf::AtomicFile(files.open(path("left"), Access::create), 0, false).begin();
  EXPECT_EQ(files.writes(), 1U);
  EXPECT_TRUE(contents(path("left")).empty());
}

TEST_F(AtomicFileTest, is_opened_by_hdf5_with_a_small_cache) {
  netcdf::AtomicFile file(env::system_files().open(path("new"), Access::create), 0, false);
  file.begin();
  const netcdf::Hdf5Lock lock;
  const netcdf::Id hdf5 = netcdf::create_in(file, H5P_DEFAULT);
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  ASSERT_GE(H5Fget_mdc_config(hdf5, &cache), 0);
  EXPECT_LE(cache.max_size, netcdf::cache_bytes);
  EXPECT_EQ(netcdf_format().cache_bytes("a.nc"), netcdf::cache_bytes);
}

// HDF5 writes under a lock that all files share, so it must not wait for a slow disk.
TEST_F(AtomicFileTest, writes_nothing_before_the_commit) {
  env::FaultyFiles files(env::system_files());
  netcdf::AtomicFile file(files.open(path("new"), Access::create), 0, false);
  file.begin();
  {
    const netcdf::Hdf5Lock lock;
    netcdf::create_in(file, H5P_DEFAULT).close("cannot close");
  }
  const std::uint64_t end = file.end();
  const Bytes values = pattern(5000, 2);
  file.refer_to(values);
  file.write(end, values, true);
  EXPECT_EQ(files.writes(), 0U);
  Bytes signature(8), seen(values.size());
  file.read(0, signature);
  EXPECT_EQ(std::memcmp(signature.data(), "\x89HDF\r\n\x1a\n", 8), 0);
  file.read(end, seen);
  EXPECT_EQ(seen, values);
  file.set_end(end + values.size());
  file.commit();
  EXPECT_GT(files.writes(), 0U);
}

TEST_F(AtomicFileTest, journal_completes_any_mixture_of_old_and_new) {
  const std::string name = path("file");
  const Bytes before = pattern(3000, 1);
  const netcdf::Journal journal{
      3000, 2900, {{0, pattern(512, 2)}, {1024, pattern(700, 3)}, {2500, pattern(9, 4)}}};
  Bytes after = before;
  for (const auto& patch : journal.patches)
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              after.begin() + static_cast<std::ptrdiff_t>(patch.address));
  after.resize(2900);
  put_contents(name, before);
  {
    const auto file = open(name, Access::update);
    netcdf::write_journal(*file, journal);
  }
  const Bytes with_journal = contents(name);

  for (std::size_t length = with_journal.size() - 1; length >= before.size();
       --length) {  // interrupted while it is written
    const auto file = open(name, Access::update);
    file->truncate(length);
    EXPECT_FALSE(netcdf::read_journal(*file).has_value()) << length;
  }
  for (std::size_t changed = 0; changed < journal.patches.size();
       ++changed) {  // interrupted while it is applied
    for (const std::size_t part : {std::size_t{0}, std::size_t{5}, journal.patches[changed].bytes.size()}) {
      Bytes mixture = with_journal;
      for (std::size_t i = 0; i <= changed; ++i) {
        const auto& patch = journal.patches[i];
        const auto count = static_cast<std::ptrdiff_t>(i < changed ? patch.bytes.size() : part);
        std::copy(patch.bytes.begin(), patch.bytes.begin() + count,
                  mixture.begin() + static_cast<std::ptrdiff_t>(patch.address));
      }
      put_contents(name, mixture);
      const auto file = open(name, Access::update);
      const auto found = netcdf::read_journal(*file);
      ASSERT_TRUE(found.has_value());
      netcdf::finish_journal(*file, *found);
      EXPECT_EQ(contents(name), after);
    }
  }
}

TEST_F(AtomicFileTest, damaged_journal_is_ignored) {
  const std::string name = path("file");
  put_contents(name, pattern(600, 1));
  {
    const auto file = open(name, Access::update);
    netcdf::write_journal(*file, {600, 600, {{100, pattern(50, 2)}}});
  }
  Bytes bytes = contents(name);
  bytes[630] ^= std::byte{1};
  put_contents(name, bytes);
  EXPECT_FALSE(netcdf::read_journal(*open(name, Access::read)).has_value());
}

}  // namespace
}  // namespace tailrace::output::testing
