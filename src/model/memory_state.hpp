// Saved state in memory: assembles arrays from the parts that all servers of a process save.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/state.hpp"

namespace tailrace::model {

// Not safe from several threads.
class MemoryState final : public StateSaver, public StateLoader {
 public:
  // Several servers may save the same cell; Error(internal) if the values differ.
  void save(const StateArray& array, const Region& region, std::span<const std::byte> values) override;
  std::optional<StateArray> find(const std::string& name) const override;
  void load(const StateArray& array, const Region& region, std::span<std::byte> values) const override;

  std::vector<std::string> names() const;

 private:
  struct Saved {
    StateArray array;
    std::vector<std::byte> values;
    std::vector<bool> there;  // by cell: it was saved
  };
  std::map<std::string, Saved> arrays_;
};

}  // namespace tailrace::model
