# The headers that nearly all sources include, read once per build instead of once per source:
#   tailrace_precompile(<target> product)   for what goes into the library
#   tailrace_precompile(<target> once)      for what of it runs once a run (TAILRACE_ONCE_OPTIONS)
#   tailrace_precompile(<target> tests)     for unit tests
# A target has to have the options of its kind, since GCC takes a precompiled header only under the options that it was
# made with. A source still includes all that it uses, because it is built without this too: the preset `debug` does so,
# and every build with ccache, which finds nothing again when a header's precompiled bytes differ from tree to tree.
if("${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(TAILRACE_PRECOMPILED
    <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <vector> <fmt/format.h>)
# Tests are compiled more often than they run.
set(TAILRACE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
# So is what runs once in each run.
set(TAILRACE_ONCE_OPTIONS $<$<CONFIG:Release>:-O1>)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// Here only to carry precompiled headers.\n")

function(tailrace_precompiled kind)
  add_library(tailrace_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(tailrace_precompiled_${kind} PRIVATE fmt::fmt spdlog::spdlog Threads::Threads)
  target_compile_options(tailrace_precompiled_${kind} PRIVATE ${TAILRACE_WARNINGS})
  target_precompile_headers(tailrace_precompiled_${kind} PRIVATE ${TAILRACE_PRECOMPILED})
endfunction()

foreach(kind product once)
  tailrace_precompiled(${kind})
  set_target_properties(tailrace_precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                                VISIBILITY_INLINES_HIDDEN ON)
endforeach()
target_compile_options(tailrace_precompiled_once PRIVATE ${TAILRACE_ONCE_OPTIONS})
if(TAILRACE_TESTS)
  tailrace_precompiled(tests)
  target_link_libraries(tailrace_precompiled_tests PRIVATE GTest::gmock)
  target_compile_options(tailrace_precompiled_tests PRIVATE ${TAILRACE_TEST_OPTIONS})
  target_precompile_headers(tailrace_precompiled_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endif()

function(tailrace_precompile target kind)
  target_precompile_headers(${target} REUSE_FROM tailrace_precompiled_${kind})
endfunction()
