// Chunks that a format encodes itself, by a codec that does not decode to what it encoded.
#include "output/encode_again.hpp"

#include <gmock/gmock.h>

#include "codecs/compressor.hpp"
#include "output/testing/appending_conformance.hpp"
#include "output/tests/raw_files.hpp"
#include "output/tests/read_zarr.hpp"
#include "output/tests/sharded_sample.hpp"

namespace tailrace::output::testing {
namespace {

bool is_faulty = false;

// zlib, whose streams hold another first byte while it is faulty.
class Faulty final : public codecs::Compressor {
 public:
  std::string name() const override { return "zz_faulty"; }
  std::optional<codecs::Levels> levels() const override { return codecs::Levels{1, 9}; }
  Bytes compress(std::span<const std::byte> bytes, const codecs::ChunkDescription& chunk,
                 int) const override {
    Bytes input(bytes.begin(), bytes.end());
    if (is_faulty && !input.empty()) input[0] ^= std::byte{1};
    return zlib().encode(input, chunk);
  }
  Bytes decompress(std::span<const std::byte> bytes, std::size_t size) const override {
    return zlib().decode(bytes, size, 1);
  }
  std::optional<codecs::Filter> filter(int level) const override {
    return codecs::Filter{1, {static_cast<unsigned>(level)}};  // deflate, so that HDF5 reads it
  }

 private:
  static const codecs::Codec& zlib() {
    static const auto codec = codecs::make_codec({"zlib", 1, false});
    return *codec;
  }
};

const codecs::CompressorRegistration registration{std::make_unique<Faulty>()};

const codecs::CodecOptions faulty{
    .codec = "zz_faulty", .shuffle = false, .keep = codecs::lossy::Keep{.absolute = 1.0}};

using Read = Bytes (*)(const std::string& path, const std::string& variable);

// The second run joins its records with those of the first in one chunk, and ends within the next one.
void check_format_that_encodes(const Format& format, const std::string& path, const Read& read) {
  DatasetSpec spec = sample_spec(path, faulty);
  {
    const auto first = format.create(spec);
    for (std::int64_t record = 0; record < 4; ++record) first->commit(sample_commit(spec, record));
    first->close();
  }
  spec.if_exists = IfExists::append;
  spec.kept = {{time_dim, 4}, {snap_dim, 4}};
  const auto second = format.create(spec);
  ::testing::internal::CaptureStderr();
  for (std::int64_t record = 4; record < 8; ++record) {
    Commit commit = commit_of_later_run(spec, record, 4);
    commit.last = record == 7;
    is_faulty = true;
    second->commit(commit);
    is_faulty = false;
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr(path + ": the chunk of \"flux\" at (3, 0) is stored without compression: "
                                          "zz_faulty: what was encoded decodes to other values"));
  second->close();
  for (const int variable : {theta, flux, mask})
    EXPECT_EQ(read(path, spec.variables[base::index(variable)].name),
              expected(spec, variable, variable == mask ? 1 : 8))
        << variable;
}

TEST_F(NetcdfFormat, a_chunk_that_cannot_be_encoded_again_stays_exact) {
  check_format_that_encodes(netcdf_format(), path("faulty.nc"), &read_with_hdf5);
}

TEST_F(NetcdfFormat, a_chunk_of_a_store_that_cannot_be_encoded_again_stays_exact) {
  check_format_that_encodes(*find_format("zarr"), path("faulty.zarr"), &read_zarr);
}

TEST_F(NetcdfFormat, a_chunk_of_a_shard_that_cannot_be_encoded_again_stays_exact) {
  check_format_that_encodes(ShardedZarr(), path("faulty_shards.zarr"), &read_zarr);
}

TEST(EncodeAgain, passes_other_mistakes_on) {
  DatasetSpec spec = sample_spec("any.nc", {.codec = "zlub"});
  EncodedChunk chunk{.variable = theta, .offset = {0, 0, 0}, .bytes = Bytes(80), .filtered = false};
  EXPECT_THROW(encode_again(spec, chunk), Error);
}

}  // namespace
}  // namespace tailrace::output::testing
