# A room is one folder of src/vsmax:
#   vsmax_room(hough SOURCES grid.cpp hough.cpp MAY_INCLUDE base geometry)
# MAY_INCLUDE is the layer rule, and this is the only place where it is written. The compiler
# enforces it: a room's include path holds its own headers and those of the rooms it lists, nothing
# else. The objects of all rooms together make the library vsmax::core.
function(vsmax_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;MAY_INCLUDE;LINKS" ${ARGN})
  vsmax_room_headers(${name})
  set_property(GLOBAL APPEND PROPERTY VSMAX_CORE_ROOMS ${name})
  if(NOT ROOM_SOURCES)
    return()
  endif()
  add_library(vsmax_${name} OBJECT ${ROOM_SOURCES})
  target_compile_features(vsmax_${name} PUBLIC cxx_std_20)
  list(TRANSFORM ROOM_MAY_INCLUDE REPLACE "(.+)" "vsmax_\\1_headers")
  target_link_libraries(vsmax_${name} PRIVATE vsmax_flags vsmax_${name}_headers ${ROOM_MAY_INCLUDE}
                        ${ROOM_LINKS})
  set_property(GLOBAL APPEND PROPERTY VSMAX_CORE_OBJECTS $<TARGET_OBJECTS:vsmax_${name}>)
endfunction()

# The target vsmax_NAME_headers: an include path with that one folder of src/vsmax in it.
function(vsmax_room_headers name)
  set(root ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${root}/vsmax)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/vsmax/${name} ${root}/vsmax/${name} SYMBOLIC)
  add_library(vsmax_${name}_headers INTERFACE)
  target_include_directories(vsmax_${name}_headers INTERFACE ${root})
endfunction()

# Sources of a room whose kernels are compiled for every instruction set (base/every_target.h).
function(vsmax_kernels name)
  # No vector wider than the target's registers ever crosses from one file to another.
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -Wno-psabi)
  if(TARGET hwy::hwy)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS VSMAX_WITH_HIGHWAY=1)
    target_link_libraries(vsmax_${name} PRIVATE hwy::hwy)
  endif()
endfunction()
