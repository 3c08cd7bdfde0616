// A safe interface to the HDF5 C library: one lock, identifiers that close themselves, errors as exceptions.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/thread_safety.hpp"

namespace tailrace::output::netcdf {

// Every use of HDF5 by Tailrace in this process holds this lock, since the library is not thread-safe.
extern base::Mutex hdf5_mutex;

// Holds the lock. Meanwhile HDF5 prints no error messages; afterwards the previous setting is restored, since
// the model may use HDF5 too.
class TAILRACE_SCOPED_CAPABILITY Hdf5Lock {
 public:
  Hdf5Lock() TAILRACE_ACQUIRE(hdf5_mutex);
  ~Hdf5Lock() TAILRACE_RELEASE();
  Hdf5Lock(const Hdf5Lock&) = delete;
  Hdf5Lock& operator=(const Hdf5Lock&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

// Whether the HDF5 library in this process was built thread-safe, so that other code may call it without the
// lock.
bool hdf5_is_thread_safe();

// Throws Error(resource) with `doing`, which names the operation, and the first message of HDF5's error
// stack.
[[noreturn]] void throw_hdf5_error(std::string_view doing);

inline void check(herr_t status, std::string_view doing) {
  if (status < 0) throw_hdf5_error(doing);
}

// Owns an HDF5 identifier and closes it with the given function.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Close close, std::string_view doing) : id_(id), close_(close) {
    if (id_ < 0) throw_hdf5_error(doing);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close(std::string_view doing) {
    if (id_ >= 0) check(close_(std::exchange(id_, H5I_INVALID_HID)), doing);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace tailrace::output::netcdf
