// The placeholders that have a value although the model gives none.
#pragma once

namespace tailrace::settings {

inline constexpr const char* component_option = "component";  // the name of the component
inline constexpr const char* member_option = "member";  // its place among those with the same configuration

}  // namespace tailrace::settings
