# For a build with an MPI that is not the system's default (MPI_EXECUTABLE_SUFFIX): this MPI's commands under their plain
# names, in bin/ of the build tree, and environment.sh, in which shells and tests find them and what was built.
set(commands ${PROJECT_BINARY_DIR}/bin)
foreach(command mpirun mpiexec mpicc mpicxx mpifort mpif90)
  find_program(${command}_program ${command}${MPI_EXECUTABLE_SUFFIX} REQUIRED NO_CACHE)
  # Scripts rather than links, because Hydra looks for its helpers beside the name that it was called by.
  file(CONFIGURE OUTPUT ${commands}/${command} CONTENT "#!/bin/sh\nexec ${${command}_program} \"$@\"\n" @ONLY)
  file(CHMOD ${commands}/${command} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
endforeach()

# The wheel of mpi4py looks for the library of any MPI with MPICH's binary interface under the name libmpi.so.12.
list(GET MPI_C_LIBRARIES 0 library)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
file(CREATE_LINK ${library} ${PROJECT_BINARY_DIR}/lib/libmpi.so.12 SYMBOLIC)

cmake_path(GET python_directory PARENT_PATH packages)
configure_file(${CMAKE_CURRENT_LIST_DIR}/environment.sh.in ${PROJECT_BINARY_DIR}/environment.sh @ONLY)
