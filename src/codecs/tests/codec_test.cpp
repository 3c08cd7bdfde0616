#include "codecs/codec.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "codecs/compressor.hpp"
#include "codecs/shuffle.hpp"
#include "codecs/testing/codec_conformance.hpp"

namespace tailrace::codecs {
namespace {

using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const CodecOptions& options) {
  try {
    make_codec(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "no error";
}

TEST(Codec, none_keeps_the_contract) { testing::check_codec({"none", 0, true}); }

TEST(Codec, zlib_keeps_the_contract) {
  for (const int level : {1, 6, 9}) testing::check_codec({"zlib", level, true});
  testing::check_codec({"zlib", 1, false});
}

TEST(Codec, zstd_keeps_the_contract) {
  for (const int level : {1, 3, 9}) testing::check_codec({"zstd", level, true});
  testing::check_codec({"zstd", 1, false});
}

TEST(Codec, shuffle_makes_smooth_fields_smaller) {
  const Bytes field = testing::smooth(model::DataType::float64, 50000);
  for (const char* name : {"zlib", "zstd"}) {
    EXPECT_LT(make_codec({name, 1, true})->encode(field, 8).size(),
              make_codec({name, 1, false})->encode(field, 8).size());
  }
}

TEST(Codec, filters_say_what_a_header_needs) {
  const auto ids = [](const CodecOptions& options) {
    std::vector<std::int32_t> ids;
    for (const Filter& filter : make_codec(options)->filters(8)) ids.push_back(filter.hdf5_id);
    return ids;
  };
  EXPECT_THAT(ids({"none", 1, true}), ElementsAre());
  EXPECT_THAT(ids({"zlib", 4, true}), ElementsAre(2, 1));
  EXPECT_THAT(ids({"zstd", 4, false}), ElementsAre(32015));
  const auto filters = make_codec({"zstd", 4, true})->filters(8);
  EXPECT_THAT(filters[0].parameters, ElementsAre(8u));
  EXPECT_THAT(filters[1].parameters, ElementsAre(4u));
}

TEST(Codec, unknown_codec_and_level_are_named) {
  EXPECT_EQ(message_of({"zlb", 1, true}),
            "codec \"zlb\" is unknown. Did you mean \"zlib\"? (known: none, zlib, zstd)");
  EXPECT_THAT(message_of({"zlib", 10, true}),
              HasSubstr("compression level 10 does not exist for codec \"zlib\"; it knows 1"));
  EXPECT_THAT(message_of({"zstd", 0, true}), HasSubstr("it knows 1 (fastest) to 22 (smallest)"));
}

TEST(Shuffle, puts_bytes_of_equal_rank_side_by_side) {
  Bytes bytes;
  for (const int value : {1, 2, 3, 4, 5, 6, 7}) bytes.push_back(static_cast<std::byte>(value));
  const Bytes expected = shuffle(bytes, 3);
  EXPECT_THAT(expected, ElementsAre(std::byte{1}, std::byte{4}, std::byte{2}, std::byte{5}, std::byte{3},
                                    std::byte{6}, std::byte{7}));
  EXPECT_EQ(unshuffle(expected, 3), bytes);
}

// zlib's own decoder, loaded here so that the room itself need not link it.
TEST(Zlib, is_what_zlib_reads) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL), &dlclose);
  ASSERT_TRUE(library) << dlerror();
  using Uncompress = int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long);
  const auto uncompress = reinterpret_cast<Uncompress>(dlsym(library.get(), "uncompress"));
  ASSERT_TRUE(uncompress);
  for (const int level : {1, 5, 9}) {
    const Bytes field = testing::smooth(model::DataType::float32, 123457);
    const Bytes encoded = make_codec({"zlib", level, true})->encode(field, 4);
    Bytes decoded(field.size());
    unsigned long size = decoded.size();
    ASSERT_EQ(uncompress(reinterpret_cast<unsigned char*>(decoded.data()), &size,
                         reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size()),
              0);
    EXPECT_EQ(size, field.size());
    EXPECT_EQ(unshuffle(decoded, 4), field);
  }
}

}  // namespace
}  // namespace tailrace::codecs
