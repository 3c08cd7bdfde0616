// POSIX shared memory with a name that is nobody else's.
#pragma once

#include <string>

#include "transport/mapping.hpp"

namespace tailrace::transport::shm {

class Segment {
 public:
  // All zero, its pages taken from the node's shared memory at once. `purpose` is for the message when there
  // are not enough: Error(resource).
  static Segment create(std::size_t bytes, const std::string& purpose);
  // Whole. Its pages, which are there, are mapped where they are used, several at a time: whoever created it
  // waits for this call. Throws Error(resource).
  static Segment attach(const std::string& name);

  Segment(Segment&&) noexcept = default;
  Segment& operator=(Segment&&) = delete;
  ~Segment();  // takes the name away, if this side created it

  std::byte* data() const { return mapping_.data(); }
  std::size_t size() const { return mapping_.size(); }
  const std::string& name() const { return name_; }

 private:
  enum class Name { ours, theirs };  // to take away when this object ends
  Segment(Mapping mapping, std::string name, Name whose)
      : mapping_(std::move(mapping)), name_(std::move(name)), owner_(whose == Name::ours) {}
  Mapping mapping_;
  std::string name_;
  bool owner_;
};

// Takes away the names of segments of this user that processes of this node left when they died; empty files
// only when they are some minutes old.
void remove_leftovers();

void forget(const std::string& name);  // takes the name away; the memory stays with those who mapped it

}  // namespace tailrace::transport::shm
