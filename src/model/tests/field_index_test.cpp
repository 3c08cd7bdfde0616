#include "model/field_index.hpp"

#include <gtest/gtest.h>

namespace tailrace::model {
namespace {

TEST(FieldIndex, finds_what_the_declarations_find) {
  Declarations declarations;
  for (const char* name : {"scalar.w", "u", "les:x", "v", "u"}) {
    Field field;
    field.name = name;
    declarations.fields.push_back(field);
  }
  const FieldIndex index(declarations);
  for (const char* name : {"scalar.w", "u", "les:x", "v", "w", ""})
    EXPECT_EQ(index.find(name), declarations.find_field(name)) << name;
  EXPECT_EQ(index.find("u"), 1);
}

}  // namespace
}  // namespace tailrace::model
