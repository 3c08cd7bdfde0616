// POSIX shared memory with a unique name.
#pragma once

#include <string>

#include "transport/mapping.hpp"

namespace tailrace::transport::shm {

class Segment {
 public:
  // Zeroed memory, whose pages are allocated at once. Throws Error(resource) with `purpose` in the message if
  // the node's shared memory is too small.
  static Segment create(std::size_t bytes, const std::string& purpose);
  // Maps the whole segment. Its pages are mapped when they are used, several at a time, to keep this call
  // short: the creator waits for it. Throws Error(resource).
  static Segment attach(const std::string& name);

  Segment(Segment&&) noexcept = default;
  Segment& operator=(Segment&&) = delete;
  ~Segment();  // removes the name, if this side created it

  std::byte* data() const { return mapping_.data(); }
  std::size_t size() const { return mapping_.size(); }
  const std::string& name() const { return name_; }

 private:
  enum class Name { ours, theirs };  // `ours`: the destructor removes it
  Segment(Mapping mapping, std::string name, Name whose)
      : mapping_(std::move(mapping)), name_(std::move(name)), owner_(whose == Name::ours) {}
  Mapping mapping_;
  std::string name_;
  bool owner_;
};

// Removes the names of this user's segments that dead processes of this node left; empty files only when they
// are some minutes old.
void remove_leftovers();

void forget(const std::string& name);  // removes the name; the memory remains while it is mapped

}  // namespace tailrace::transport::shm
