// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folders of the files that identify programs (Identity).
package enum ManifestFolders {
    /// The folder of root-owned manifests.
    package static let rootOwned = "/etc/swift-keychain/programs.d"

    /// A folder of signed manifests, each named by the digest of its executable.
    package static let signed = "/etc/swift-keychain/manifests"

    /// The folder `swift-keychain` of the user that runs this process, in `$XDG_CONFIG_HOME` or in `~/.config`; `nil`
    /// if the user has no home folder.
    ///
    /// A daemon that a program starts inherits the variable; one that systemd starts has that of the user's manager.
    package static var user: String? {
        let named = ProcessEnvironment.value("XDG_CONFIG_HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        let home = ProcessEnvironment.value("HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        let folder = named ?? (home ?? KeychainLocation.homeFromUserDatabase()).map { "\($0)/.config" }
        return folder.map { "\($0)/swift-keychain" }
    }

    /// The folder of signed manifests in a user's folder.
    package static func signed(in user: String) -> String { "\(user)/manifests" }
}
