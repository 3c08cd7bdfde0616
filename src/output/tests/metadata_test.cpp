// Pieces of metadata: how they lie over a file, and HDF5's checksum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "output/netcdf/metadata/checksum.hpp"
#include "output/netcdf/metadata/overlay.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

TEST(MetadataChecksum, is_that_of_its_author) {
  const auto of = [](std::string_view text) {
    return netcdf::metadata_checksum(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(of(""), 0xdeadbeefu);
  EXPECT_EQ(of("Four score and seven years ago"), 0x17770551u);
}

TEST(Overlay, is_what_was_written_last) {
  std::mt19937 random(5);
  netcdf::Overlay overlay;
  Bytes expected(300), file(300);
  for (int i = 0; i < 400; ++i) {
    const std::size_t at = random() % 290, size = random() % std::min<std::size_t>(40, 300 - at);
    const Bytes bytes = pattern(size, i);
    overlay.put(at, bytes);
    std::ranges::copy(bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t from = random() % 300, count = random() % (300 - from);
    Bytes seen(file.begin() + static_cast<std::ptrdiff_t>(from),
               file.begin() + static_cast<std::ptrdiff_t>(from + count));
    overlay.cover(from, seen);
    ASSERT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin() + static_cast<std::ptrdiff_t>(from)));
  }
  std::uint64_t end = 0;
  for (const auto& [address, bytes] : overlay.pieces()) {
    EXPECT_GE(address, end);
    end = address + bytes.size();
  }
}

// More commits than there are places for copies of headers.
TEST_F(NetcdfFormat, places_of_headers_are_used_in_turn) {
  const auto spec = sample_spec(path("long.nc"));
  const auto dataset = netcdf_format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  const auto length = [&] { return std::filesystem::file_size(spec.path); };
  for (std::int64_t record = 1; record < 300; ++record) {
    dataset->commit(sample_commit(spec, record));
    if (record % 37 == 0) {
      EXPECT_EQ(check_whole(spec.path), record + 1);
    }
  }
  EXPECT_LT(dataset->bytes_on_disk(), 1'500'000u) << "128 copies of the headers, and not 300";
  EXPECT_GT(length(), dataset->bytes_on_disk()) << "there is room behind the end";
  dataset->close();
  EXPECT_EQ(length(), dataset->bytes_on_disk());
  EXPECT_EQ(check_whole(spec.path), 300);
}

}  // namespace
}  // namespace tailrace::output::testing
