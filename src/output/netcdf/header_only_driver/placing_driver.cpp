#include "output/netcdf/header_only_driver/placing_driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace tailrace::output::netcdf {
namespace {

constexpr haddr_t max_address = (haddr_t{1} << 62) - 1;

struct DriverInfo {  // driver data in the file access properties
  PlacedFile* file = nullptr;
};

struct DriverFile {
  H5FD_t base{};  // must be first: HDF5 identifies a DriverFile by its address
  PlacedFile* file = nullptr;
};

PlacedFile& placed(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file)->file; }
const PlacedFile& placed(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file)->file; }

extern "C" {

static H5FD_t* tailrace_placing_open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto file = std::make_unique<DriverFile>();
  file->file = info->file;
  return &file.release()->base;  // HDF5 owns it until it calls close
}

static herr_t tailrace_placing_close(H5FD_t* file) {
  delete reinterpret_cast<DriverFile*>(file);
  return 0;
}

static herr_t tailrace_placing_query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;
  return 0;
}

// HDF5 stores large attributes as raw data too; these are allocated at the end.
static haddr_t tailrace_placing_alloc(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  PlacedFile& self = placed(file);
  if (type == H5FD_MEM_DRAW && self.place) return *std::exchange(self.place, std::nullopt);
  const haddr_t address = self.end;
  self.end = address == 0 ? std::max<haddr_t>(self.first_free, size) : address + size;
  return address;
}

static herr_t tailrace_placing_free(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, hsize_t) { return 0; }

static haddr_t tailrace_placing_get_eoa(const H5FD_t* file, H5FD_mem_t) { return placed(file).end; }

static herr_t tailrace_placing_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  placed(file).end = address;
  return 0;
}

static haddr_t tailrace_placing_get_eof(const H5FD_t* file, H5FD_mem_t) { return placed(file).end; }

static herr_t tailrace_placing_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size,
                                    void* buffer) {
  try {
    const std::span<std::byte> bytes(static_cast<std::byte*>(buffer), size);
    std::ranges::fill(bytes, std::byte{0});
    placed(file).written.cover(address, bytes);
    return 0;
  } catch (...) {
    return -1;
  }
}

static herr_t tailrace_placing_write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size,
                                     const void* buffer) {
  try {
    if (type == H5FD_MEM_DRAW && placed(file).drops_values) return 0;
    placed(file).written.put(address, {static_cast<const std::byte*>(buffer), size});
    return 0;
  } catch (...) {
    return -1;
  }
}

}  // extern "C"

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(513);  // from the range for private drivers
#endif
  driver.name = "tailrace_placing";
  driver.maxaddr = max_address;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = &tailrace_placing_open;
  driver.close = &tailrace_placing_close;
  driver.query = &tailrace_placing_query;
  driver.alloc = &tailrace_placing_alloc;
  driver.free = &tailrace_placing_free;
  driver.get_eoa = &tailrace_placing_get_eoa;
  driver.set_eoa = &tailrace_placing_set_eoa;
  driver.get_eof = &tailrace_placing_get_eof;
  driver.read = &tailrace_placing_read;
  driver.write = &tailrace_placing_write;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return driver;
}

// As in driver.cpp: the access properties keep the driver registered until the file is closed.
herr_t close_placed_file(hid_t file) {
  const hid_t access = H5Fget_access_plist(file);
  const herr_t status = H5Fclose(file);
  if (access >= 0) H5Pclose(access);
  return status;
}

}  // namespace

Id create_in(PlacedFile& file, hid_t creation_properties) {
  static const H5FD_class_t driver = driver_class();
  const Id registered(H5FDregister(&driver), &H5FDunregister, "cannot register the file driver");
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "cannot make access properties");
  const DriverInfo info{&file};
  check(H5Pset_driver(access, registered, &info), "cannot choose the file driver");
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "cannot set the close degree");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "cannot bind the file format");
  return {H5Fcreate("tailrace", H5F_ACC_TRUNC, creation_properties, access), &close_placed_file,
          "cannot create"};
}

}  // namespace tailrace::output::netcdf
