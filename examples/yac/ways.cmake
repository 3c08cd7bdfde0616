# For a model that has several ways of input or output, with a library for each: a program PROJECT_WAY for each way whose
# library is found, of the file INPUT_OR_OUTPUT_WAY.f90 and of the model, the target PROJECT_model.
#
#   include(../yac/ways.cmake)
#   add_model(output settings.f90 model.f90)     # or input
#   add_way(none)                                # needs no library
#   add_way_of_tailrace()
#   add_way_of_library(netcdf netcdf-fortran libnetcdff-dev)
#   add_way_of_yac()
find_package(MPI REQUIRED COMPONENTS Fortran)
find_package(PkgConfig)

# All but the ways, which are submodules of one of these files.
macro(add_model input_or_output)
  set(ways_prefix ${input_or_output})
  add_library(${PROJECT_NAME}_model OBJECT ${ARGN})
  target_link_libraries(${PROJECT_NAME}_model PUBLIC MPI::MPI_Fortran)
  set_target_properties(${PROJECT_NAME}_model PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules)
  target_include_directories(${PROJECT_NAME}_model PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/modules)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    # No fused multiply-add: whether a compiler forms one may differ between the copies of a loop, and with it the bits.
    target_compile_options(${PROJECT_NAME}_model
                           PUBLIC $<$<COMPILE_LANGUAGE:Fortran>:-O3 -ffp-contract=off -std=f2018 -Wall -Wextra>)
  endif()
endmacro()

# With the libraries that follow the name.
function(add_way way)
  add_executable(${PROJECT_NAME}_${way} ${ways_prefix}_${way}.f90)
  target_link_libraries(${PROJECT_NAME}_${way} PRIVATE ${PROJECT_NAME}_model ${ARGN})
  set_target_properties(${PROJECT_NAME}_${way} PROPERTIES Fortran_MODULE_DIRECTORY
                                                          ${CMAKE_CURRENT_BINARY_DIR}/modules_${way})
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    # A way has all arguments of the interface, whatever it needs.
    target_compile_options(${PROJECT_NAME}_${way} PRIVATE -Wno-unused-dummy-argument)
  endif()
endfunction()

function(say_absence way library package)
  message(STATUS "${library} is not here (${package}): the example ${PROJECT_NAME} is built without ${PROJECT_NAME}_${way}")
endfunction()

# As part of Tailrace's own build, or with an installed one.
function(add_way_of_tailrace)
  if(NOT TARGET tailrace::fortran AND NOT TARGET tailrace_fortran)
    find_package(tailrace QUIET)
  endif()
  if(TARGET tailrace::fortran)
    add_way(tailrace tailrace::fortran)
  elseif(TARGET tailrace_fortran)
    add_way(tailrace tailrace_fortran)
  else()
    say_absence(tailrace Tailrace "see CMAKE_PREFIX_PATH")
  endif()
endfunction()

# A library with a module for Fortran. `package`: of pkg-config; `debian`: where it can be had.
function(add_way_of_library way package debian)
  string(TOUPPER "${package}" name)
  string(REPLACE "-" "_" name ${name})
  if(PkgConfig_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${package})
  endif()
  # Debian keeps modules of Fortran in a folder for each version of their format.
  file(GLOB module_folders /usr/lib/*/fortran/gfortran-mod-15)
  string(REPLACE "-fortran" "" module ${package})
  find_path(${name}_MODULES ${module}.mod HINTS ${${name}_INCLUDEDIR} ${${name}_INCLUDE_DIRS}
                                                ${${name}_LIBDIR}/fortran/gfortran-mod-15 PATHS /usr/include ${module_folders})
  if(TARGET PkgConfig::${name} AND ${name}_MODULES)
    add_way(${way} PkgConfig::${name})
    target_include_directories(${PROJECT_NAME}_${way} SYSTEM PRIVATE ${${name}_MODULES})
  else()
    say_absence(${way} ${package} ${debian})
  endif()
endfunction()

function(add_way_of_yac)
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/find_yac.cmake)
  if(TARGET example_yac)
    add_way(yac example_yac)
  else()
    say_absence(yac YAC "pip install yac, for Open MPI")
  endif()
endfunction()
