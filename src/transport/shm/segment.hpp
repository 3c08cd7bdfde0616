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
  // Whole. Its pages, which are there, are mapped where they are used, several at a time: the client waits in
  // `ready` until its server has attached. Throws Error(resource).
  static Segment attach(const std::string& name);

  Segment(Segment&&) noexcept = default;
  Segment& operator=(Segment&&) = delete;
  ~Segment();  // takes the name away, if this side created it

  std::byte* data() const { return mapping_.data(); }
  std::size_t size() const { return mapping_.size(); }
  const std::string& name() const { return name_; }

 private:
  Segment(Mapping mapping, std::string name, bool owner)
      : mapping_(std::move(mapping)), name_(std::move(name)), owner_(owner) {}
  Mapping mapping_;
  std::string name_;
  bool owner_;
};

void forget(const std::string& name);  // takes the name away; the memory stays with those who mapped it

}  // namespace tailrace::transport::shm
