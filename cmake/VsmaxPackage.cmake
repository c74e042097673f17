# Installation of the libraries: find_package(vsmax) and pkg-config from another project.
set(VSMAX_HAS_HIGHWAY OFF)
set(VSMAX_PRIVATE_LIBRARIES "-lpng -ljpeg -lstdc++ -lm -pthread")
if(TARGET hwy::hwy)
  set(VSMAX_HAS_HIGHWAY ON)
  string(PREPEND VSMAX_PRIVATE_LIBRARIES "-lhwy ")
endif()
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vsmax)
install(TARGETS vsmax_core EXPORT vsmaxTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT vsmaxTargets NAMESPACE vsmax:: DESTINATION ${package_folder} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/vsmaxConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/vsmaxConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/vsmaxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vsmaxConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/vsmaxConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT dev)
if(NOT VSMAX_BUILD_SHARED)
  return()
endif()

install(TARGETS vsmax_shared EXPORT vsmaxCTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(EXPORT vsmaxCTargets NAMESPACE vsmax:: DESTINATION ${package_folder} COMPONENT dev)

# The paths are relative to the file, so that the prefix can be chosen on installation.
file(RELATIVE_PATH VSMAX_PC_TO_INCLUDE /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig
     /p/${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/vsmax.pc.in vsmax.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vsmax.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
