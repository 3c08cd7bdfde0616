# Everything Tailrace builds upon; all of it is packaged by Debian 12 and Ubuntu 24.04.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(udunits REQUIRED IMPORTED_TARGET udunits)
pkg_check_modules(netcdf REQUIRED IMPORTED_TARGET netcdf)
# The layout of cores and caches of a node; without it servers are placed by nodes alone.
pkg_check_modules(hwloc QUIET IMPORTED_TARGET hwloc>=2.0)
# Writes to object stores; without it their names are refused.
pkg_check_modules(libcurl QUIET IMPORTED_TARGET libcurl>=7.75)
# ADIOS2: a package of the system, or the wheel that .venv has. Without it its format is refused.
if(NOT adios2_DIR AND Python_EXECUTABLE)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import adios2, os; print(os.path.dirname(adios2.__file__))"
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE adios2_wheel ERROR_QUIET)
  if(adios2_wheel)
    list(APPEND CMAKE_PREFIX_PATH ${adios2_wheel}/cmake/adios2)
  endif()
endif()
find_package(adios2 2.9 CONFIG QUIET COMPONENTS CXX)
# The libraries that the wheel brings for its own. (Found beside the folder that CMake remembers.)
set(adios2_libraries ${adios2_DIR}/../../../adios2.libs)
if(NOT adios2_FOUND OR NOT EXISTS ${adios2_libraries})
  unset(adios2_libraries)
endif()
find_path(kissfft_include kissfft/kissfft.hh REQUIRED)  # the header alone: the libraries are single precision

find_package(HDF5 1.10.7 REQUIRED COMPONENTS C HL)
add_library(tailrace_hdf5 INTERFACE)
target_include_directories(tailrace_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(tailrace_hdf5 INTERFACE ${HDF5_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
