// Every sink of this room under the suite of the room.
#include "sinks/testing/sink_conformance.hpp"

#include <set>

#include "output/memory/memory_format.hpp"

namespace tailrace::sinks {
namespace {

using testing::check_sink;

// One server writes the file, and the others know it as elsewhere.
TEST(SinkConformance, AFileWithOneHome) {
  check_sink("memory", make_sink);
  const auto written = output::memory::contents_of("conformance_memory");
  ASSERT_TRUE(written);
}

TEST(SinkConformance, AFileWrittenByMany) { check_sink("null", make_sink); }

TEST(SinkConformance, ChunksOfAFileWrittenByManyStayWhereTheyArePutTogether) {
  const testing::OneVariable file("stay", "null");
  testing::Servers servers(file, 3, make_sink);
  std::set<int> homes;
  for (std::int64_t spatial = 0; spatial < testing::spatial_chunks; ++spatial) {
    const ChunkPlace place = servers.place(spatial, 0);
    EXPECT_EQ(servers.all()[0].sink->home_of(place), place.assembled_on);
    homes.insert(place.assembled_on);
  }
  EXPECT_EQ(homes.size(), 3U) << "records of this size are spread over all servers";
}

}  // namespace
}  // namespace tailrace::sinks
