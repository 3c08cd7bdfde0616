// Gives a model its fields from a checkpoint, under its present decomposition.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/declarer.hpp"
#include "client/field_source.hpp"
#include "model/kept_value.hpp"
#include "model/state.hpp"

namespace tailrace::client {

// May block on the disk. Throws Error(usage) for misuse, with the names and shapes.
class RestoredFields final : public FieldSource {
 public:
  using Names = std::function<std::vector<std::string>()>;  // of all arrays of the state

  // The state and the declarer must live longer.
  RestoredFields(const model::StateLoader& state, Names names, const Declarer& declarer)
      : state_(state), names_(std::move(names)), declarer_(declarer) {}

  bool has(int field) const override;
  void get(int field, const model::Tick& now, const Target& target) const override;
  model::KeptValue value(const std::string& name) const;

 private:
  std::string hint(const std::string& name,
                   const std::function<std::string(const std::string&)>& known) const;

  const model::StateLoader& state_;
  Names names_;
  const Declarer& declarer_;
};

}  // namespace tailrace::client
