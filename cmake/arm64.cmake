# Toolchain: arm64 Linux, with Debian's cross compiler (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross). Libraries are
# those in SCADYG_SYSROOT, which scripts/sysroot.sh fills; programs run under qemu-aarch64-static.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT DEFINED SCADYG_SYSROOT)
  set(SCADYG_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-long/sysroot-arm64)
endif()
get_filename_component(SCADYG_SYSROOT ${SCADYG_SYSROOT} ABSOLUTE)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SCADYG_SYSROOT)
set(libraries ${SCADYG_SYSROOT}/usr/lib/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH ${SCADYG_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SCADYG_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${SCADYG_SYSROOT}/usr/share/pkgconfig)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}:${SCADYG_SYSROOT}/lib/aarch64-linux-gnu")

find_program(QEMU_ARM64 NAMES qemu-aarch64-static qemu-aarch64)
if(QEMU_ARM64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_ARM64} -L /usr/aarch64-linux-gnu -E 
      LD_LIBRARY_PATH=${libraries}:${SCADYG_SYSROOT}/lib/aarch64-linux-gnu)
endif()
