// Saved state in memory: puts the parts of arrays together as they come from all servers of a process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/state.hpp"

namespace tailrace::model {

// One thread.
class MemoryState final : public StateSaver, public StateLoader {
 public:
  // A cell may be saved again, by a server that knows it too; Error(internal) where the value is another.
  void save(const StateArray& array, const Region& region, std::span<const std::byte> values) override;
  std::optional<StateArray> find(const std::string& name) const override;
  void load(const StateArray& array, const Region& region, std::span<std::byte> values) const override;

  std::vector<std::string> names() const;

 private:
  struct Saved {
    StateArray array;
    std::vector<std::byte> values;
    std::vector<bool> there;  // by cell
  };
  std::map<std::string, Saved> arrays_;
};

}  // namespace tailrace::model
