// The HDF5 C library made safe to use: one lock, identifiers that close themselves, errors as exceptions.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/thread_safety.hpp"

namespace tailrace::output::netcdf {

// Held around every use of HDF5, by all datasets of the process: the library is not thread-safe.
extern base::Mutex hdf5_mutex;

// Holds it. Meanwhile HDF5 prints nothing; what it did before comes back afterwards, for the model may use
// HDF5 too.
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

// Of the library that this process has loaded: whether others may call it without our lock.
bool hdf5_is_thread_safe();

// Throws Error(resource): what was being done, and the first message of HDF5's error stack.
[[noreturn]] void throw_hdf5_error(std::string_view doing);

inline void check(herr_t status, std::string_view doing) {
  if (status < 0) throw_hdf5_error(doing);
}

// An identifier with the function that gives it back.
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
