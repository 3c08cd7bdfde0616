# tailrace_room(<name> [USES <room>...] [LIBRARIES <target>...])
#
# Declares src/<name> as a room: an object library tailrace_<name> of all its sources (in all its folders, so that a
# format or codec is added as a folder and registers itself), and, from src/<name>/tests/*_test.cpp, the test program
# <name>_test, which links the room and what it uses and nothing else.
function(tailrace_room name)
  cmake_parse_arguments(room "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/tests?/|/testing/")
  if(NOT sources)
    return()
  endif()

  set(uses base ${room_USES})
  list(REMOVE_ITEM uses ${name})
  set(closure ${name})
  foreach(used IN LISTS uses)
    get_property(used_closure GLOBAL PROPERTY tailrace_closure_${used})
    list(APPEND closure ${used_closure})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY tailrace_closure_${name} "${closure}")
  set_property(GLOBAL APPEND PROPERTY tailrace_rooms ${name})

  add_library(tailrace_${name} OBJECT ${sources})
  target_include_directories(tailrace_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(tailrace_${name} PUBLIC fmt::fmt spdlog::spdlog Threads::Threads ${room_LIBRARIES})
  foreach(used IN LISTS uses)
    if(TARGET tailrace_${used})
      get_target_property(libraries tailrace_${used} INTERFACE_LINK_LIBRARIES)
      target_link_libraries(tailrace_${name} PUBLIC ${libraries})
    endif()
  endforeach()
  target_compile_options(tailrace_${name} PRIVATE ${TAILRACE_WARNINGS})
  target_compile_definitions(tailrace_${name} PRIVATE TAILRACE_VERSION="${PROJECT_VERSION}")
  set_target_properties(tailrace_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                    VISIBILITY_INLINES_HIDDEN ON)

  file(GLOB tests CONFIGURE_DEPENDS ${name}/tests/*_test.cpp)
  if(tests AND TAILRACE_TESTS)
    add_executable(${name}_test ${tests})
    target_compile_options(${name}_test PRIVATE ${TAILRACE_WARNINGS})
    foreach(linked IN LISTS closure)
      if(TARGET tailrace_${linked})
        target_link_libraries(${name}_test PRIVATE tailrace_${linked})
        target_sources(${name}_test PRIVATE $<TARGET_OBJECTS:tailrace_${linked}>)
      endif()
    endforeach()
    target_link_libraries(${name}_test PRIVATE GTest::gmock GTest::gtest_main)
    # NO_PRETTY_VALUES: CMake understands values in names only where they stand for a number, so that a test with a
    # name of its own would carry the value behind it.
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." NO_PRETTY_VALUES PROPERTIES TIMEOUT 60 LABELS "unit;${name}"
                         DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
