# Makes the target `example_yac`: YAC's library, with the module yac_calls for Fortran. It is not made where there is no YAC.
#
# YAC is an installation, or the package of PyPI, whose module for Python has the functions of the C interface. The package is
# built for Open MPI (whose library for Fortran is libmpi_mpifh), and needs the library of Python.
if(NOT TARGET example_yac)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(YAC QUIET IMPORTED_TARGET GLOBAL yac-mci)
  endif()
  if(NOT TARGET PkgConfig::YAC)
    find_package(Python COMPONENTS Interpreter Development.Embed)
    if(Python_Interpreter_FOUND)
      execute_process(
        COMMAND
          ${Python_EXECUTABLE} -c
          "import importlib.util, pathlib; print(next(pathlib.Path(importlib.util.find_spec('yac').origin).parent.glob('_yac.*.so')))"
        OUTPUT_VARIABLE yac_library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  if(TARGET PkgConfig::YAC OR (yac_library AND Python_Development.Embed_FOUND AND MPI_Fortran_LIBRARIES MATCHES libmpi_mpifh))
    add_library(example_yac STATIC ${CMAKE_CURRENT_LIST_DIR}/yac_calls.f90)
    set_target_properties(example_yac PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/yac_modules)
    target_link_libraries(example_yac PUBLIC MPI::MPI_Fortran)
    target_include_directories(example_yac INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/yac_modules)
    if(TARGET PkgConfig::YAC)
      target_link_libraries(example_yac PUBLIC PkgConfig::YAC)
    else()
      # The libraries of the package find each other when the program is loaded, and Python's is needed by YAC's alone.
      add_library(example_yac_library UNKNOWN IMPORTED GLOBAL)
      set_target_properties(example_yac_library PROPERTIES IMPORTED_LOCATION ${yac_library})
      target_link_libraries(example_yac PUBLIC example_yac_library ${Python_LIBRARIES})
      target_link_options(example_yac INTERFACE -Wl,--allow-shlib-undefined -Wl,--no-as-needed)
    endif()
  endif()
endif()
