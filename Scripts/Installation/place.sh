# SPDX-License-Identifier: Apache-2.0
# Sourced by Scripts/install and Scripts/release, in the root of the repository: functions that put files under a prefix.
#
# 'staged' is the folder where the prefix is now, 'prefix' the one where it will be used; build.sh has set 'products' and
# 'executables'.
# shellcheck shell=sh

# place MODE FILE TARGET: by a rename, so that a program that runs meanwhile keeps the file that it has open.
place() {
    mkdir -p "$(dirname "$3")"
    cp "$2" "$3.new"
    chmod "$1" "$3.new"
    mv -f "$3.new" "$3"
}

# The library, its modules, and the toolsets by which an unmodified package builds with it.
place_library() {
    library="$staged/lib/swift-keychain"
    share="$staged/share/swift-keychain"
    triple="$(swift -print-target-info | sed -n 's/.*"moduleTriple" *: *"\([^"]*\)".*/\1/p' | head -n 1)"
    for module in KeychainServices PortableSecurity Security \
        LocalAuthenticationServices PortableLocalAuthentication LocalAuthentication KeychainSimulation KeychainTesting; do
        for kind in swiftmodule swiftinterface swiftdoc; do
            place 644 "$products/Modules/$module.$kind" "$library/modules/$module.swiftmodule/$triple.$kind"
        done
    done
    # swift-crypto's modules are not resilient: these serve the compiler that made them only.
    for module in CryptoKit Crypto CryptoBoringWrapper; do
        place 644 "$products/Modules/$module.swiftmodule" \
            "$library/CryptoKit-modules/$module.swiftmodule/$triple.swiftmodule"
    done
    # The thin modules. CommonCrypto is one of C, with headers. Those named os and OSLog pass OSServices on.
    place 644 Sources/API/CommonCrypto/include/module.modulemap "$library/CommonCrypto-modules/module.modulemap"
    for header in Sources/API/CommonCrypto/include/CommonCrypto/*.h; do
        place 644 "$header" "$library/CommonCrypto-modules/CommonCrypto/${header##*/}"
    done
    for kind in swiftmodule swiftinterface swiftdoc; do
        place 644 "$products/Modules/OSServices.$kind" "$library/os-modules/OSServices.swiftmodule/$triple.$kind"
    done
    place 644 Sources/API/Reexports/os/module.modulemap "$library/os-modules/module.modulemap"
    for module in os OSLog; do
        swiftc -emit-module -module-name "$module" -swift-version 6 -enable-library-evolution \
            -enable-upcoming-feature InternalImportsByDefault -I "$library/os-modules" Sources/API/Reexports/os/os.swift \
            -o "$products/$module.swiftmodule" -emit-module-interface-path "$products/$module.swiftinterface"
        place_module "$module" os-modules
    done
    # For packages that import CoreFoundation, a C module of the toolchain whose names would be ambiguous beside ours.
    echo '@_exported public import KeychainServices' > "$products/CoreFoundation.swift"
    swiftc -emit-module -module-name CoreFoundation -swift-version 6 -enable-library-evolution -I "$library/modules" \
        -o "$products/CoreFoundation.swiftmodule" "$products/CoreFoundation.swift" \
        -emit-module-interface-path "$products/CoreFoundation.swiftinterface"
    place_module CoreFoundation CoreFoundation-modules
    for name in SwiftKeychain SwiftKeychainCryptoKit SwiftKeychainSimulation SwiftKeychainTesting \
        SwiftKeychainCommonCrypto SwiftKeychainOS; do
        place 644 "$products/lib$name.so" "$library/lib$name.so"
    done
    for toolset in toolset toolset-explicit toolset-CryptoKit toolset-CommonCrypto toolset-os toolset-CoreFoundation; do
        sed "s|@LIBRARY@|$prefix/lib/swift-keychain|g" "Scripts/Installation/$toolset.json.in" > "$products/$toolset.json"
        place 644 "$products/$toolset.json" "$share/$toolset.json"
    done
}

# place_module NAME FOLDER: a module that was compiled for the toolset alone.
place_module() {
    for kind in swiftmodule swiftinterface; do
        place 644 "$products/$1.$kind" "$library/$2/$1.swiftmodule/$triple.$kind"
    done
}

# place_tools NAME...: programs, without their tables of symbols.
place_tools() {
    for tool in "$@"; do place_tool "$tool" "$tool"; done
}

# place_tool BUILT NAME
place_tool() {
    strip -o "$executables/$1.stripped" "$executables/$1"
    place 755 "$executables/$1.stripped" "$staged/bin/$2"
}

# The names by which git, docker and others run keychain-helper.
helper_names="git-credential-keychain docker-credential-keychain cargo-credential-keychain keychain-aws keychain-kubectl keychain-askpass keychain-keyring"

# keychain-helper, and its other names: it takes its name for a command.
place_helpers() {
    place_tools keychain-helper
    for helper in $helper_names; do
        ln -sf keychain-helper "$staged/bin/$helper.new"
        mv -f "$staged/bin/$helper.new" "$staged/bin/$helper"
    done
}

# place_units FOLDER: the units of the user's daemons, in the folder of the prefix that systemd reads.
place_units() {
    "$executables/keychainctl" service unit-files --program "$prefix/bin/keychaind" --output "$staged/$1"
}

# The files of systemd for the system service.
place_system_service() {
    "$executables/keychainctl" service unit-files --program "$prefix/bin/keychaind" --output "$staged/lib" --system
}

# What starts keychaind as the Secret Service of a session bus, and as a back end of its portal.
place_activation() {
    for name in org.freedesktop.secrets org.freedesktop.impl.portal.desktop.swift_keychain; do
        place_activation_file "$name.service" "$staged/share/dbus-1/services/$name.service"
    done
    place 644 Packaging/secret-service/swift-keychain.portal \
        "$staged/share/xdg-desktop-portal/portals/swift-keychain.portal"
}

# place_activation_file NAME TARGET: with the path of keychaind under the prefix.
place_activation_file() {
    sed "s|@PROGRAM@|$prefix/bin/keychaind|" "Packaging/secret-service/$1.in" > "$executables/$1"
    place 644 "$executables/$1" "$2"
}

# What the shells complete, in the folders in which they look.
place_completions() {
    for tool in keychainctl keychaind keychain-lint; do
        [ -x "$staged/bin/$tool" ] || continue
        for shell in bash zsh fish; do
            "$executables/$tool" --generate-completion-script "$shell" > "$executables/$tool.$shell"
            sed -i '1{/^#!/d;}' "$executables/$tool.$shell"
        done
        place_completion "$tool"
    done
    for shell in bash zsh fish; do
        "$executables/command-manual" --completion "$shell" > "$executables/security.$shell"
    done
    place_completion security
}

place_completion() {
    place 644 "$executables/$1.bash" "$staged/share/bash-completion/completions/$1"
    place 644 "$executables/$1.zsh" "$staged/share/zsh/$zsh_folder/_$1"
    place 644 "$executables/$1.fish" "$staged/share/fish/vendor_completions.d/$1.fish"
}

# The manual pages; 'date' is the day on them. They are made of the tables of which --help is made.
place_manuals() {
    pages="$executables/manuals"
    rm -rf "$pages"
    mkdir -p "$pages"
    "$executables/keychaind" --experimental-dump-help > "$executables/keychaind.json"
    set -- --daemon "$executables/keychaind.json"
    if [ -x "$staged/bin/keychain-lint" ]; then
        "$executables/keychain-lint" --experimental-dump-help > "$executables/keychain-lint.json"
        set -- "$@" --linter "$executables/keychain-lint.json"
    fi
    "$executables/command-manual" --date "$date" --output-directory "$pages" "$@"
    sed "s/@DATE@/$date/" Scripts/Installation/keychain-helper.1 > "$pages/keychain-helper.1"
    Scripts/Installation/configuration-page "$date" < Documentation/Configuration.md > "$pages/swift-keychain.7"
    if command -v mandoc > /dev/null; then mandoc -T lint -W warning "$pages"/*; fi
    for page in "$pages"/*; do place 644 "$page" "$staged/share/man/man${page##*.}/${page##*/}"; done
    # The other names of keychain-helper are read from its page.
    echo ".so man1/keychain-helper.1" > "$pages/other-names"
    for helper in $helper_names; do place 644 "$pages/other-names" "$staged/share/man/man1/$helper.1"; done
}

# place_licenses FOLDER: the licences of what is linked into the programs, of the packages and the toolchain that were
# used. Packaging/licenses has those of which neither has a text.
place_licenses() {
    mkdir -p "$1"
    for checkout in "$tools_build"/checkouts/*/; do
        for text in "$checkout"LICENSE* "$checkout"NOTICE*; do
            [ ! -f "$text" ] || place 644 "$text" "$1/$(basename "$checkout")-$(basename "$text" .txt).txt"
        done
    done
    resources="$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\([^"]*\)".*/\1/p')"
    place 644 "$resources/../../share/swift/LICENSE.txt" "$1/swift-LICENSE.txt"
    for text in Packaging/licenses/*.txt; do place 644 "$text" "$1/$(basename "$text")"; done
    # The C library, that of C++ and SQLite, as the system that links them says.
    for linked in libc6-dev libsqlite3-dev "$(dpkg-query -W -f '${Package}\n' 'libstdc++-*-dev' | sort -V | tail -n 1)"; do
        place 644 "/usr/share/doc/$linked/copyright" "$1/$linked-copyright.txt"
    done
}
