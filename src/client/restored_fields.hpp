// What a model takes out of a checkpoint, under the decomposition that it has now.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/array.hpp"
#include "client/declarer.hpp"
#include "model/kept_value.hpp"
#include "model/state.hpp"

namespace tailrace::client {

// As Array, to be written to.
struct Target {
  void* data = nullptr;
  model::DataType type = model::DataType::float64;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
};

// May block on the disk. Misuse is Error(usage), with the names and shapes.
class RestoredFields {
 public:
  using Names = std::function<std::vector<std::string>()>;  // of all arrays of the state

  // The state and the declarer must live longer.
  RestoredFields(const model::StateLoader& state, Names names, const Declarer& declarer)
      : state_(state), names_(std::move(names)), declarer_(declarer) {}

  // This rank's part, in C order or with strides, as a put takes it.
  void get(int field, const Target& target) const;
  model::KeptValue value(const std::string& name) const;

 private:
  std::string hint(const std::string& name,
                   const std::function<std::string(const std::string&)>& known) const;

  const model::StateLoader& state_;
  Names names_;
  const Declarer& declarer_;
};

}  // namespace tailrace::client
