# libvsmax.so: the room c and what it needs of the other rooms. Only the functions of vsmax/c/vsmax.h
# are exported. The core contains the room c too, so libvsmax.a is the static counterpart.
set(map ${CMAKE_CURRENT_SOURCE_DIR}/c/libvsmax.map)
file(STRINGS c/vsmax.h abi REGEX "^#define VSMAX_ABI_VERSION ")
string(REGEX REPLACE ".* " "" abi "${abi}")

add_library(vsmax_shared SHARED $<TARGET_OBJECTS:vsmax_c>)
add_library(vsmax::c ALIAS vsmax_shared)
set_target_properties(vsmax_shared PROPERTIES EXPORT_NAME c OUTPUT_NAME vsmax LINKER_LANGUAGE CXX
  SOVERSION ${abi} VERSION ${abi}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
  LINK_DEPENDS ${map})
target_link_options(vsmax_shared PRIVATE LINKER:--version-script=${map} LINKER:--no-undefined)
target_link_libraries(vsmax_shared PRIVATE vsmax_core)
target_include_directories(vsmax_shared INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/rooms/c>"
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
