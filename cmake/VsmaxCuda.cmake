# The CUDA kernels, each in the room of the stage that it computes, and the code that calls them
# without LibTorch.
set(VSMAX_CUDA_KERNELS)
foreach(kernel conv/max_pool_cuda.cu data/synthetic_cuda.cu geometry/leading_line_cuda.cu hough/hough_adjoint_cuda.cu
               hough/hough_forward_cuda.cu readout/concentration_cuda.cu
               readout/line_readout_cuda.cu readout/veronese_cuda.cu refine/refine_net_backward_cuda.cu refine/refine_net_cuda.cu
               refine/seam_relu_cuda.cu torch/train/adamw_cuda.cu)
  list(APPEND VSMAX_CUDA_KERNELS ${PROJECT_SOURCE_DIR}/src/vsmax/${kernel})
endforeach()
set(VSMAX_CUDA_CALLERS ${PROJECT_SOURCE_DIR}/src/vsmax/recover/cuda_recoverer.cpp)
if(NOT VSMAX_WITH_CUDA)
  return()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)  # from Ampere on; newer GPUs compile the PTX on loading
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

add_library(vsmax_cuda STATIC ${VSMAX_CUDA_KERNELS} ${VSMAX_CUDA_CALLERS})
target_compile_features(vsmax_cuda PRIVATE cuda_std_20)  # needs CMake 3.26
# --expt-relaxed-constexpr: headers that host and device share use std::array in device code.
target_compile_options(vsmax_cuda PRIVATE
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>"
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion>")
# Which pixels a line covers, and which bin a pixel votes for, is decided in double and must not
# depend on fused multiply-add.
foreach(kernel ${VSMAX_CUDA_KERNELS})
  if(kernel MATCHES "/(synthetic|hough_adjoint|hough_forward)_cuda.cu$")
    set_property(SOURCE ${kernel} APPEND PROPERTY COMPILE_OPTIONS --fmad=false)
  endif()
endforeach()
# For the headers of the torch rooms, which vsmax::core does not provide.
target_include_directories(vsmax_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(vsmax_cuda PUBLIC vsmax::core CUDA::cudart)
add_library(vsmax::cuda ALIAS vsmax_cuda)
set_target_properties(vsmax_cuda PROPERTIES EXPORT_NAME cuda)

# find_package(vsmax COMPONENTS core cuda)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/vsmax)
install(FILES ${PROJECT_SOURCE_DIR}/src/vsmax/recover/cuda_recoverer.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vsmax/recover COMPONENT dev)
install(TARGETS vsmax_cuda EXPORT vsmaxCudaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT vsmaxCudaTargets NAMESPACE vsmax:: DESTINATION ${folder} COMPONENT dev)
