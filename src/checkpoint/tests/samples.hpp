// A state of some arrays, and checkpoints of it.
#pragma once

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "checkpoint/saved_state.hpp"
#include "checkpoint/shard_writer.hpp"
#include "model/memory_state.hpp"

namespace tailrace::checkpoint::testing {

using model::DataType;
using model::Region;
using model::StateArray;

using Bytes = std::vector<std::byte>;

inline Region whole(const StateArray& array) {
  return Region::of_box({std::vector<std::int64_t>(array.shape.size(), 0), array.shape});
}

inline std::size_t bytes_of(const StateArray& array) {
  return static_cast<std::size_t>(whole(array).size()) * model::size_of(array.type);
}

inline Bytes pattern(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline std::vector<StateArray> sample_arrays() {
  return {
      {"streams/step", DataType::int64, {}, {}},
      {"files/mean.nc/w/sum", DataType::float64, {"z", "y", "x"}, {5, 7, 11}},
      {"files/mean.nc/w/samples", DataType::int64, {"files/mean.nc/w/samples"}, {3}},
      {"files/none.nc/clock/waiting", DataType::float64, {"files/none.nc/clock/waiting"}, {0}},
      {"files/{day}.nc/w/extreme", DataType::float32, {"record", "y", "x"}, {2, 7, 11}},
      {"files/{day}.nc/v/extreme", DataType::int16, {"record", "y", "x"}, {3, 7, 11}},
      {"large", DataType::float64, {"cell"}, {300001}},
  };
}

// Other values for each step.
inline Bytes sample_values(std::size_t array, std::int64_t step) {
  return pattern(bytes_of(sample_arrays()[array]),
                 static_cast<unsigned>(100 * step) + static_cast<unsigned>(array));
}

inline CheckpointHeader sample_head(std::int64_t step) {
  return {"atmosphere", step, 0.25 * static_cast<double>(step)};
}

// The part of server `server` of `servers`: every so manieth array.
inline Shard write_shard(env::FileSystem& files, const std::string& checkpoints, std::int64_t step,
                         std::size_t server, std::size_t servers) {
  ShardWriter writer(files, checkpoint_path(checkpoints, step), sample_head(step),
                     shard_name(static_cast<int>(server)));
  const auto arrays = sample_arrays();
  for (std::size_t i = server; i < arrays.size(); i += servers)
    writer.save(arrays[i], whole(arrays[i]), sample_values(i, step));
  return writer.finish();
}

inline Manifest write_checkpoint(env::FileSystem& files, CheckpointStore& store, std::int64_t step,
                                 std::size_t servers = 2) {
  Manifest manifest{.head = sample_head(step), .texts = {{"configuration", "output: \"ä\"\n"}}, .shards = {}};
  for (std::size_t server = 0; server < servers; ++server)
    manifest.shards.push_back(write_shard(files, store.path(), step, server, servers));
  store.commit(manifest);
  return manifest;
}

// Whether all of the state of `step` is read from its set.
inline void expect_values(env::FileSystem& files, const std::string& checkpoints, std::int64_t step) {
  const std::string checkpoint = checkpoint_path(checkpoints, step);
  const SavedState state(files, checkpoint, read_manifest(files, checkpoint));
  const auto arrays = sample_arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Bytes values(bytes_of(arrays[i]));
    state.load(arrays[i], whole(arrays[i]), values);
    EXPECT_EQ(values, sample_values(i, step)) << arrays[i].name;
  }
}

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tailrace::checkpoint::testing
