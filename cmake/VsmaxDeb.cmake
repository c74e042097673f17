# cpack -G DEB makes three packages: vsmax (the program), libvsmaxN (libvsmax.so, N being its ABI
# version) and libvsmax-dev (headers, both libraries, CMake and pkg-config files). Nothing that needs
# LibTorch is in them. Configure with the preset deb, which has Debian's paths.
find_program(GZIP gzip)
if(NOT EXISTS /etc/debian_version OR NOT GZIP)
  return()
endif()
set(VSMAX_MAINTAINER "The vsmax authors <vsmax@users.noreply.example>" CACHE STRING
    "Who answers for the Debian packages")
get_target_property(abi vsmax_shared SOVERSION)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vsmax)
set(CPACK_PACKAGE_CONTACT ${VSMAX_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package's description has its own first line
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME vsmax)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"find the straight lines in images
vsmax detect prints the lines in PNG and JPEG images with a confidence each:
thin lines, horizons, the lines that structure a photograph, and other edges.
The models are built in.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libvsmax${abi})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"find the straight lines in images - C library
The library finds the lines in images with a confidence each: thin lines,
horizons, the lines that structure a photograph, and other edges. The models
are built in.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libvsmax-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libvsmax${abi} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libpng-dev, libjpeg-dev")
if(TARGET hwy::hwy)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libhwy-dev")
endif()
set(CPACK_DEBIAN_DEV_DESCRIPTION
"find the straight lines in images - development files
Headers, CMake and pkg-config files of the C library, and the static library
for C++.")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in packaging/changelog.Debian @ONLY)
execute_process(COMMAND ${GZIP} -9nf ${PROJECT_BINARY_DIR}/packaging/changelog.Debian
                COMMAND_ERROR_IS_FATAL ANY)
foreach(component program runtime dev)
  string(TOUPPER ${component} name)
  install(FILES packaging/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
