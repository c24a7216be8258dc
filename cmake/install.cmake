# What `cmake --install` puts where: the tool, both libraries, the header, ways to find them (pkg-config and CMake),
# man pages and completion for bash.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scadyg)
install(FILES include/scadyg.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Two export sets, so that a user of the shared library needs none of the packages the static one is made with.
foreach(kind static shared)
  install(TARGETS scadyg_${kind} EXPORT scadyg_${kind}_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT scadyg_${kind}_targets NAMESPACE scadyg:: FILE scadyg-${kind}.cmake DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/scadyg-config.cmake.in ${CMAKE_BINARY_DIR}/scadyg-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/scadyg-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/scadyg-config.cmake ${CMAKE_BINARY_DIR}/scadyg-config-version.cmake
        DESTINATION ${package_dir})

# pkg-config: the paths are relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_private "-lm")
foreach(name IN LISTS OpenMP_C_LIB_NAMES)
  # Every compiler finds these; clang's own is in a directory that linkers do not search.
  if(name MATCHES "^(gomp|pthread)$")
    string(APPEND pc_private " -l${name}")
  else()
    string(APPEND pc_private " ${OpenMP_${name}_LIBRARY}")
  endif()
endforeach()
# OpenBLAS itself, not as a required package: that would bring what only a static OpenBLAS needs, Fortran's library.
list(JOIN OPENBLAS_LDFLAGS " " pc_openblas)
string(APPEND pc_private " ${pc_openblas}")
configure_file(cmake/scadyg.pc.in ${CMAKE_BINARY_DIR}/scadyg.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/scadyg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET scadyg)
  install(TARGETS scadyg DESTINATION ${CMAKE_INSTALL_BINDIR})

  # The tool writes its own man pages and completion, from the tables that its help is made from.
  set(made_help "")
  function(make_help output)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/help/${output}
                       COMMAND scadyg help ${ARGN} > ${CMAKE_BINARY_DIR}/help/${output}
                       DEPENDS scadyg VERBATIM)
    list(APPEND made_help ${CMAKE_BINARY_DIR}/help/${output})
    set(made_help ${made_help} PARENT_SCOPE)
  endfunction()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/help)
  make_help(scadyg.1 --man)
  file(GLOB commands CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src/cli ${CMAKE_SOURCE_DIR}/src/cli/cmd_*.c)
  foreach(source IN LISTS commands)
    string(REGEX REPLACE "^cmd_(.*)[.]c$" "\\1" command ${source})
    make_help(scadyg-${command}.1 --man ${command})
  endforeach()
  install(FILES ${made_help} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  make_help(scadyg --completion)
  install(FILES ${CMAKE_BINARY_DIR}/help/scadyg
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  add_custom_target(help_pages ALL DEPENDS ${made_help})
endif()
