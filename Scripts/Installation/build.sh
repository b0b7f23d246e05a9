# SPDX-License-Identifier: Apache-2.0
# Sourced by Scripts/install and Scripts/release, in the root of the repository: functions that build what they place.
# Folders of their own, so that nothing here depends on an ordinary build.
# shellcheck shell=sh

# Stack protectors and checked calls in what is written in C; all addresses resolved, and then read-only, when a program
# starts.
hardened="-Xcc -fstack-protector-strong -Xcc -D_FORTIFY_SOURCE=2 -Xlinker -z -Xlinker now"
library_build=.build-installation
tools_build=.build-installation-static
# Those of the package that a build of the tools has; keychain-lint needs one.
traits=""

# Two builds of the same sources give the same bytes: the compiler orders some instructions by the addresses of its own
# memory, and debug information contains the times of the headers.
fixed=""
if setarch --addr-no-randomize true 2> /dev/null; then fixed="setarch --addr-no-randomize"; fi
repeatable="-debug-info-format none"

# quietly WHAT COMMAND...: the output of the compiler and the linker is shown only where something fails.
quietly() {
    echo "$1 …"
    shift
    log="$(mktemp)"
    # As a condition, a function would go on after an error.
    set +e
    (set -e; "$@") > "$log" 2>&1
    status=$?
    set -e
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# Builds a part of the library with its toolset.
build_part() {
    # shellcheck disable=SC2086 # a list of options
    SWIFT_KEYCHAIN_INSTALLATION=1 $fixed swift build -c release --scratch-path "$library_build" $hardened $repeatable "$@"
}

# link_part NAME TARGETS OPTIONS...: makes a library of some targets alone. The package manager would link everything
# that they are built on into it, a second keychain with a lock state of its own among it.
link_part() {
    name="$1"
    targets="$2"
    shift 2
    # Those that the manifest of the build names: what an earlier build left of sources that are gone stays in the folder.
    for target in $targets; do
        grep -o "\"$products/$target\.build/[^\"]*\.o\"" "$library_build/release.yaml"
    done | tr -d '"' | sort -u |
        while read -r object; do [ ! -f "$object" ] || echo "\"$object\""; done > "$products/$name-objects"
    swiftc -emit-library -o "$products/lib$name.so" "@$products/$name-objects" -L "$products" -lSwiftKeychain "$@" \
        -Xlinker -soname="lib$name.so" -Xlinker -rpath='$ORIGIN' -Xlinker --gc-sections -Xlinker --no-undefined \
        -Xlinker -Bsymbolic-functions -Xlinker -z -Xlinker now
}

# The library and the modules of the toolset, in the folder 'products'.
build_library() {
    build_part --product SwiftKeychain
    build_part --target CryptoKit
    build_part --product SwiftKeychainCommonCrypto
    build_part --product SwiftKeychainOS
    build_part --target KeychainTesting
    find_builds
    boringssl="CryptoBoringWrapper CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims"
    link_part SwiftKeychainCryptoKit "CryptoKit Crypto $boringssl" -lstdc++ \
        -Xlinker --version-script=Scripts/Installation/CryptoKit-symbols.map
    link_part SwiftKeychainSimulation "KeychainSimulation KeychainDoctor"
    link_part SwiftKeychainTesting KeychainTesting
}

# Sets 'products' and 'executables', the folders of what was built.
find_builds() {
    products="$(build_part --show-bin-path)"
    executables="$(build_tool --show-bin-path)"
}

# build_tools NAME...: programs that need no toolchain where they run, in the folder 'executables'.
# security, keychainctl and keychain-lint have the C library in them as well, keychaind has not (Package.swift).
build_tools() {
    for tool in "$@"; do
        case "$tool" in
            # shellcheck disable=SC2086 # a list of options
            security | keychainctl | keychain-helper | keychain-lint) build_tool $static_linking --product "$tool" ;;
            *) build_tool --product "$tool" ;;
        esac
    done
}

# Constants are read-only, and what is resolved when a program starts is afterwards (static.ld says what would prevent it).
static_linking="-Xlinker -T -Xlinker $(pwd)/Scripts/Installation/static.ld"
# Where a program is loaded at an address that differs each time, it corrects many addresses when it starts. Packed, their
# list is smaller by 1.5 MB, which are read then; the C library in the program reads such a list from 2.36 on.
oldest="$(printf '2.36\n%s\n' "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -V | head -n 1)"
[ "$oldest" != 2.36 ] || static_linking="$static_linking -Xlinker -z -Xlinker pack-relative-relocs"

# Builds keychaind with the C library in it, and without the system bus, as 'keychaind-static'.
build_static_daemon() {
    # shellcheck disable=SC2086 # a list of options
    static=daemon build_tool $static_linking --product keychaind
    executables="$(build_tool --show-bin-path)"
    mv "$executables/keychaind" "$executables/keychaind-static"
}

# The linker warns about functions that would load the C library's modules for other sources of accounts; what we ask of
# accounts has an answer without them.
build_tool() {
    # shellcheck disable=SC2086 # a list of options
    SWIFT_KEYCHAIN_STATIC_TOOLS="${static:-tools}" $fixed swift build -c release --scratch-path "$tools_build" \
        --static-swift-stdlib $traits $hardened $repeatable -Xlinker --gc-sections --disable-local-rpath "$@"
}
