# `cmake --install` leaves the libraries, the headers, the Fortran module files, the CMake package tailrace
# (targets tailrace::tailrace and tailrace::fortran) and a pkg-config file; with TAILRACE_PYTHON also the Python package.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/tailrace)

# The two libraries find each other wherever the tree is moved, and what they were linked with where it was.
foreach(library tailrace tailrace_fortran)
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
endforeach()

install(TARGETS tailrace tailrace_fortran EXPORT tailraceTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tailrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

if(TARGET tailrace_adios2)
  install(TARGETS tailrace_adios2 tailrace_adios2_codecs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(TARGETS tailrace_sst RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endif()
install(TARGETS tailrace_hdf5_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tailrace/hdf5_plugin COMPONENT library)
install(TARGETS tailrace_read_netcdf RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/clients DESTINATION ${CMAKE_INSTALL_DATADIR}/tailrace COMPONENT library)
install(EXPORT tailraceTargets NAMESPACE tailrace:: DESTINATION ${package_directory} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tailraceConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/tailraceConfig.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tailraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tailraceConfig.cmake ${PROJECT_BINARY_DIR}/tailraceConfigVersion.cmake
        DESTINATION ${package_directory} COMPONENT library)

configure_file(${CMAKE_CURRENT_LIST_DIR}/tailrace.pc.in ${PROJECT_BINARY_DIR}/tailrace.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tailrace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(TAILRACE_PYTHON)
  # A wheel carries the library beside the module, so that it needs nothing from outside; as one file without a number,
  # since a wheel would hold a copy in place of each link.
  if(SKBUILD)
    set(python_directory tailrace)
    set_property(TARGET tailrace PROPERTY VERSION)
    set_property(TARGET tailrace PROPERTY SOVERSION)
    install(TARGETS tailrace LIBRARY DESTINATION ${python_directory} COMPONENT python)
    install(TARGETS tailrace_hdf5_plugin LIBRARY DESTINATION ${python_directory}/hdf5_plugin COMPONENT python)
    set_target_properties(tailrace_python PROPERTIES INSTALL_RPATH "$ORIGIN")
  else()
    get_property(python_version GLOBAL PROPERTY tailrace_python_version)
    set(python_directory ${CMAKE_INSTALL_LIBDIR}/python${python_version}/site-packages/tailrace)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tailrace/ DESTINATION ${python_directory} COMPONENT python
            PATTERN __pycache__ EXCLUDE)
    set_target_properties(tailrace_python PROPERTIES INSTALL_RPATH "$ORIGIN/../../..")
  endif()
  install(TARGETS tailrace_python LIBRARY DESTINATION ${python_directory} COMPONENT python)
endif()
