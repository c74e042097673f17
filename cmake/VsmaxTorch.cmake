# LibTorch as the target vsmax_libtorch: Debian's 1.13, or a torch 2.x wheel when its prefix is in
# CMAKE_PREFIX_PATH (python3 -c 'import torch; print(torch.utils.cmake_prefix_path)').
# TorchConfig.cmake itself only serves to locate LibTorch: including it would search for every CUDA
# library that torch was built with, even for a build without CUDA.

# For the Python package: the torch of the interpreter that installs it, and no other.
if(SKBUILD)
  find_package(Python REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
                          "import torch; print(torch.__version__); print(torch.utils.cmake_prefix_path)"
                  OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "vsmax needs torch, which ${Python_EXECUTABLE} cannot import")
  endif()
  string(REPLACE "\n" ";" python_torch "${python_torch}")
  list(GET python_torch 0 python_torch_version)
  list(GET python_torch 1 python_torch_prefix)
  list(PREPEND CMAKE_PREFIX_PATH ${python_torch_prefix})
endif()

find_path(VSMAX_TORCH_CONFIG_DIR TorchConfig.cmake HINTS ${Torch_DIR} ENV Torch_DIR
          PATH_SUFFIXES Torch share/cmake/Torch cmake/Torch lib/cmake/Torch
                        lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch)
if(NOT VSMAX_TORCH_CONFIG_DIR)
  message(FATAL_ERROR "LibTorch was not found: install libtorch-dev, or add the output of "
    "python3 -c 'import torch; print(torch.utils.cmake_prefix_path)' to CMAKE_PREFIX_PATH")
endif()
file(STRINGS ${VSMAX_TORCH_CONFIG_DIR}/TorchConfigVersion.cmake torch_version
     REGEX "^set\\(PACKAGE_VERSION ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" torch_version "${torch_version}")
if(torch_version VERSION_LESS 1.13 OR
   (torch_version VERSION_GREATER_EQUAL 2 AND torch_version VERSION_LESS 2.7))
  message(FATAL_ERROR "LibTorch ${torch_version} is neither 1.13 nor 2.7 or newer, which are supported")
endif()
if(SKBUILD)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" python_torch_version "${python_torch_version}")
  if(NOT torch_version MATCHES "^${python_torch_version}\\.")
    message(FATAL_ERROR "LibTorch ${torch_version} at ${VSMAX_TORCH_CONFIG_DIR} is not the "
      "${python_torch_version} that ${Python_EXECUTABLE} imports")
  endif()
endif()

# PREFIX/share/cmake/Torch in a wheel, PREFIX/lib/ARCH/cmake/Torch on Debian.
get_filename_component(torch_prefix ${VSMAX_TORCH_CONFIG_DIR}/../../.. ABSOLUTE)
if(NOT EXISTS ${torch_prefix}/include/torch/csrc/api/include/torch/types.h)
  get_filename_component(torch_prefix ${torch_prefix}/.. ABSOLUTE)
endif()
if(NOT EXISTS ${torch_prefix}/include/torch/csrc/api/include/torch/types.h)
  message(FATAL_ERROR "LibTorch's headers were not found near ${VSMAX_TORCH_CONFIG_DIR}")
endif()

add_library(vsmax_libtorch INTERFACE)
target_include_directories(vsmax_libtorch SYSTEM INTERFACE
  ${torch_prefix}/include ${torch_prefix}/include/torch/csrc/api/include)
# Some libraries are needed only for the kernels that they register when loaded.
target_link_options(vsmax_libtorch INTERFACE LINKER:--no-as-needed)
set(torch_libraries torch_cpu c10)
if(VSMAX_WITH_CUDA)
  list(APPEND torch_libraries torch_cuda c10_cuda)
endif()
foreach(name ${torch_libraries})
  find_library(VSMAX_${name}_LIBRARY ${name} HINTS ${torch_prefix}/lib NO_CMAKE_PATH REQUIRED)
  target_link_libraries(vsmax_libtorch INTERFACE ${VSMAX_${name}_LIBRARY})
endforeach()

if(VSMAX_WITH_CUDA)
  if(torch_version VERSION_LESS 2)
    message(FATAL_ERROR "CUDA needs torch 2 or later, not ${torch_version}")
  endif()
endif()
message(STATUS "LibTorch ${torch_version} at ${torch_prefix}")

# Training in several processes: c10d's headers include those of its backends, which a torch wheel
# may lack.
set(VSMAX_C10D_BACKENDS)
if(EXISTS ${torch_prefix}/include/gloo/context.h)
  list(APPEND VSMAX_C10D_BACKENDS GLOO)
endif()
if(VSMAX_WITH_CUDA)
  find_path(VSMAX_NCCL_INCLUDE_DIR nccl.h HINTS ${torch_prefix}/include
            ${torch_prefix}/../nvidia/nccl/include ${CUDAToolkit_INCLUDE_DIRS})
  if(VSMAX_NCCL_INCLUDE_DIR)
    list(APPEND VSMAX_C10D_BACKENDS NCCL)
  endif()
endif()

# Torch's headers take half a minute to parse, so all targets share the precompiled header of the room
# ops. Executables are compiled with -fPIC like libraries, as it fits only one kind of code.
function(vsmax_reuse_torch_headers target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  if(VSMAX_WITH_CUDA)  # or the header does not fit
    target_compile_definitions(${target} PRIVATE VSMAX_WITH_CUDA)
  endif()
  target_precompile_headers(${target} REUSE_FROM vsmax_torch_ops_objects)
endfunction()

# A room on LibTorch is one folder of src/vsmax/torch:
#   vsmax_torch_room(models SOURCES line_model.cpp MAY_INCLUDE base geometry torch_ops)
# MAY_INCLUDE is the layer rule, as for vsmax_room; torch rooms are named torch_NAME. The target
# vsmax_torch_NAME carries the objects themselves rather than an archive, because a linker drops
# files of an archive that do nothing but register operators. So link it, and what is made of it,
# to executables and modules only.
function(vsmax_torch_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;MAY_INCLUDE;LINKS" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/rooms/torch_${name})
  file(MAKE_DIRECTORY ${root}/vsmax/torch)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/vsmax/torch/${name} ${root}/vsmax/torch/${name}
       SYMBOLIC)
  add_library(vsmax_torch_${name}_headers INTERFACE)
  target_include_directories(vsmax_torch_${name}_headers INTERFACE ${root})

  add_library(vsmax_torch_${name}_objects OBJECT ${ROOM_SOURCES})
  target_compile_features(vsmax_torch_${name}_objects PRIVATE cxx_std_20)
  # A room is compiled as one file: most of the time goes to LibTorch's templates.
  set_target_properties(vsmax_torch_${name}_objects PROPERTIES UNITY_BUILD ON
                        UNITY_BUILD_BATCH_SIZE 0)
  if(name STREQUAL ops)
    target_precompile_headers(vsmax_torch_ops_objects PRIVATE
                              ${PROJECT_SOURCE_DIR}/src/vsmax/torch/torch_headers.h)
  else()
    vsmax_reuse_torch_headers(vsmax_torch_${name}_objects)
  endif()
  set(torch_rooms ${ROOM_MAY_INCLUDE})
  list(FILTER torch_rooms INCLUDE REGEX "^torch_")
  list(TRANSFORM torch_rooms PREPEND vsmax_)
  list(TRANSFORM ROOM_MAY_INCLUDE REPLACE "(.+)" "vsmax_\\1_headers")
  target_link_libraries(vsmax_torch_${name}_objects PRIVATE
    vsmax_flags vsmax_libtorch vsmax_torch_${name}_headers ${ROOM_MAY_INCLUDE} ${ROOM_LINKS})
  if(VSMAX_WITH_CUDA)
    target_compile_definitions(vsmax_torch_${name}_objects PRIVATE VSMAX_WITH_CUDA)
    target_link_libraries(vsmax_torch_${name}_objects PRIVATE CUDA::cudart)
  endif()

  add_library(vsmax_torch_${name} INTERFACE)
  target_sources(vsmax_torch_${name} INTERFACE $<TARGET_OBJECTS:vsmax_torch_${name}_objects>)
  target_link_libraries(vsmax_torch_${name} INTERFACE
    vsmax_torch_${name}_headers ${torch_rooms} vsmax_core vsmax_libtorch ${ROOM_LINKS})
  if(VSMAX_WITH_CUDA)
    target_link_libraries(vsmax_torch_${name} INTERFACE vsmax_cuda)
  endif()
endfunction()
