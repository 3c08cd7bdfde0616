#include "codecs/codec.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "base/testing/has_test.hpp"
#include "codecs/find_codec.hpp"
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

TEST(Codecs, all_have_a_conformance_test) {
  for (const std::string& name : codec_names()) base::testing::expect_conformance_test(name, "Codec");
}

TEST(NoneCodec, keeps_the_contract) { testing::check_codec({"none", 0, true}); }

TEST(ZstdCodec, keeps_the_contract) {
  for (const int level : {1, 3, 9}) testing::check_codec({"zstd", level, true});
  testing::check_codec({"zstd", 1, false});
}

TEST(Codecs, are_found_by_their_filters) {
  for (const CodecOptions& options : {CodecOptions{"zlib", 1, true}, CodecOptions{"zlib", 9, false},
                                      CodecOptions{"zstd", 3, true}, CodecOptions{"zstd", 22, false}}) {
    auto filters = make_codec(options)->filters(4);
    EXPECT_EQ(find_codec(filters, 4), options);
    filters.back().parameters.push_back(7);  // as a plugin of HDF5 may do
    EXPECT_EQ(find_codec(filters, 4), options);
    filters.push_back({32013, {}});
    EXPECT_EQ(find_codec(filters, 4), std::nullopt);
  }
  EXPECT_EQ(find_codec({}, 4)->codec, "none");
}

TEST(Codec, shuffle_makes_smooth_fields_smaller) {
  const Bytes field = testing::smooth(model::DataType::float64, 50000);
  for (const char* name : {"zlib", "zstd"}) {
    const ChunkDescription chunk = testing::chunk_of(model::DataType::float64, field);
    EXPECT_LT(make_codec({name, 1, true})->encode(field, chunk).size(),
              make_codec({name, 1, false})->encode(field, chunk).size());
  }
}

TEST(Codec, a_preference_chooses_a_level_by_the_chunk_alone) {
  const Bytes field = testing::smooth(model::DataType::float32, 200000);
  const Bytes noise = testing::noise(800000);
  for (const Prefer prefer : {Prefer::ratio, Prefer::speed}) {
    const CodecOptions options{.codec = "zstd", .prefer = prefer};
    for (const Bytes& bytes : {field, noise, Bytes(), Bytes(4)}) {
      const ChunkDescription chunk = testing::chunk_of(model::DataType::float32, bytes);
      const Encoded one = make_codec(options)->encode_by_choice(bytes, chunk);
      const Encoded other = make_codec(options)->encode_by_choice(bytes, chunk);
      EXPECT_EQ(one.level, other.level);
      EXPECT_EQ(one.bytes, make_codec({"zstd", one.level, true})->encode(bytes, chunk));
      EXPECT_EQ(make_codec({"zstd", 1, true})->decode(one.bytes, bytes.size(), 4), bytes);
    }
  }
  const ChunkDescription chunk = testing::chunk_of(model::DataType::float32, noise);
  EXPECT_EQ(make_codec({.codec = "zstd", .prefer = Prefer::ratio})->encode_by_choice(noise, chunk).level, 1);
  EXPECT_EQ(make_codec({"zstd", 3, true})->encode_by_choice(noise, chunk).level, 0);
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
  EXPECT_THAT(message_of({"zlb", 1, true}),
              ::testing::StartsWith("codec \"zlb\" is unknown. Did you mean \"zlib\"? (known: "));
  EXPECT_THAT(message_of({"zlib", 10, true}),
              HasSubstr("compression level 10 does not exist for codec \"zlib\"; its levels are 1"));
  EXPECT_THAT(message_of({"zstd", 0, true}), HasSubstr("its levels are 1 (fastest) to 22 (smallest)"));
}

TEST(Shuffle, puts_bytes_of_equal_rank_side_by_side) {
  Bytes bytes;
  for (const int value : {1, 2, 3, 4, 5, 6, 7}) bytes.push_back(static_cast<std::byte>(value));
  const Bytes expected = shuffle(bytes, 3);
  EXPECT_THAT(expected, ElementsAre(std::byte{1}, std::byte{4}, std::byte{2}, std::byte{5}, std::byte{3},
                                    std::byte{6}, std::byte{7}));
  EXPECT_EQ(unshuffle(expected, 3), bytes);
}

TEST(Shuffle, undoes_itself_for_any_size) {
  for (const std::size_t size :
       {1, 2, 3, 7, 1021, 65537})  // includes sizes that are no multiple of the element
    for (const std::size_t element_size : {1, 2, 4, 8, 12}) {
      const Bytes bytes = testing::noise(size);
      EXPECT_EQ(unshuffle(shuffle(bytes, element_size), element_size), bytes)
          << size << " of " << element_size;
    }
}

// zlib itself, loaded here so that the room need not link it.
class ZlibCodec : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(library_) << dlerror(); }
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_.get(), name));
  }

 private:
  std::unique_ptr<void, int (*)(void*)> library_{dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL), &dlclose};
};

TEST_F(ZlibCodec, keeps_the_contract) {
  for (const int level : {1, 6, 9}) testing::check_codec({"zlib", level, true});
  testing::check_codec({"zlib", 1, false});
}

TEST_F(ZlibCodec, is_what_zlib_reads) {
  using Uncompress = int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long);
  const auto uncompress = function<Uncompress>("uncompress");
  ASSERT_TRUE(uncompress);
  for (const int level : {1, 5, 9}) {
    const Bytes field = testing::smooth(model::DataType::float32, 123457);
    const Bytes encoded =
        make_codec({"zlib", level, true})->encode(field, testing::chunk_of(model::DataType::float32, field));
    Bytes decoded(field.size());
    unsigned long size = decoded.size();
    ASSERT_EQ(uncompress(reinterpret_cast<unsigned char*>(decoded.data()), &size,
                         reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size()),
              0);
    EXPECT_EQ(size, field.size());
    EXPECT_EQ(unshuffle(decoded, 4), field);
  }
}

TEST_F(ZlibCodec, reads_what_zlib_wrote) {
  using Compress = int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long, int);
  const auto compress = function<Compress>("compress2");
  ASSERT_TRUE(compress);
  const Bytes field = testing::smooth(model::DataType::float64, 12345);
  const Bytes shuffled = shuffle(field, 8);
  for (const int level : {0, 1, 6, 9}) {
    Bytes encoded(field.size() + 1000);
    unsigned long size = encoded.size();
    ASSERT_EQ(compress(reinterpret_cast<unsigned char*>(encoded.data()), &size,
                       reinterpret_cast<const unsigned char*>(shuffled.data()), shuffled.size(), level),
              0);
    encoded.resize(size);
    EXPECT_EQ(make_codec({"zlib", 1, true})->decode(encoded, field.size(), 8), field) << level;
  }
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// Written by hand after RFC 8878: magic number, one segment of seven bytes, a raw block and, as the last, a
// run.
TEST(ZstdCodec, reads_a_frame_of_the_standard) {
  const int raw = 4 << 3;
  const int run = 3 << 3 | 1 << 1 | 1;
  const Bytes frame =
      bytes_of({0x28, 0xb5, 0x2f, 0xfd, 0x20, 7, raw, 0, 0, 't', 'a', 'i', 'l', run, 0, 0, 'e'});
  EXPECT_EQ(make_codec({"zstd", 1, false})->decode(frame, 7, 1),
            bytes_of({'t', 'a', 'i', 'l', 'e', 'e', 'e'}));
}

}  // namespace
}  // namespace tailrace::codecs
