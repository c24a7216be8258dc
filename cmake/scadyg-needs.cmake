# What the library is linked with: zlib, zstd and, where there is one, OpenBLAS. Included by the build, and installed
# for the programs of others that are linked with the static library. The targets are seen from every directory, since
# a library in a subdirectory is of no use to its parent without them.
#
#   scadyg_needs        what to link with
#   scadyg_have_blas    whether there is an OpenBLAS among it, and
#   scadyg_blas_library, scadyg_blas_rpath    which, and where it is found at run time
find_package(PkgConfig REQUIRED)
if(SCADYG_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
set(scadyg_needs "")
foreach(need zlib libzstd)
  string(TOUPPER "SCADYG_${need}" name)
  if(NOT TARGET PkgConfig::${name})
    pkg_check_modules(${name} ${scadyg_needs_mode} IMPORTED_TARGET GLOBAL ${need})
    if(NOT ${name}_FOUND AND NOT scadyg_needs_mode)
      message(FATAL_ERROR "${need} is missing (Debian: zlib1g-dev, libzstd-dev; pkg-config has to find it)")
    endif()
  endif()
  list(APPEND scadyg_needs PkgConfig::${name})
endforeach()
list(APPEND scadyg_needs -pthread)

# Debian has OpenBLAS in several kinds, which may lie side by side. The serial one is taken wherever it is: the library
# has its own threads, and results that do not depend on how many they are.
set(scadyg_have_blas OFF)
set(scadyg_blas_rpath "")
if(NOT DEFINED SCADYG_BLAS OR SCADYG_BLAS)
  set(places /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
  list(TRANSFORM places APPEND /openblas-serial)
  find_library(SCADYG_BLAS_LIBRARY NAMES openblas openblas_serial PATHS ${places} NO_DEFAULT_PATH
               DOC "the OpenBLAS in use")
  find_library(SCADYG_BLAS_LIBRARY NAMES openblas DOC "the OpenBLAS in use")
  find_path(SCADYG_BLAS_INCLUDE cblas.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial openblas-serial
            ${CMAKE_LIBRARY_ARCHITECTURE} openblas DOC "where the cblas.h of OpenBLAS is")
  mark_as_advanced(SCADYG_BLAS_LIBRARY SCADYG_BLAS_INCLUDE)
  if(SCADYG_BLAS_LIBRARY AND SCADYG_BLAS_INCLUDE)
    set(scadyg_have_blas ON)
    set(scadyg_blas_library ${SCADYG_BLAS_LIBRARY})
    if(NOT TARGET scadyg::blas)
      add_library(scadyg::blas INTERFACE IMPORTED GLOBAL)
      set_target_properties(scadyg::blas PROPERTIES INTERFACE_LINK_LIBRARIES "${SCADYG_BLAS_LIBRARY}"
                            INTERFACE_INCLUDE_DIRECTORIES "${SCADYG_BLAS_INCLUDE}")
    endif()
    list(APPEND scadyg_needs scadyg::blas)
    # Without a search path the dynamic linker takes whichever kind the system's alternatives name.
    get_filename_component(scadyg_blas_rpath "${SCADYG_BLAS_LIBRARY}" DIRECTORY)
    if(NOT scadyg_blas_rpath MATCHES "serial")
      set(scadyg_blas_rpath "")
    endif()
  elseif(SCADYG_BLAS STREQUAL "ON" AND NOT scadyg_needs_mode)
    message(FATAL_ERROR "OpenBLAS is missing (Debian: libopenblas-serial-dev); -DSCADYG_BLAS=OFF does without")
  endif()
endif()
