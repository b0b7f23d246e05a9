// SPDX-License-Identifier: Apache-2.0

import HostFiles

/// Where manifests are searched for.
public struct IdentityOptions: Sendable {
    /// The folder of root-owned manifests.
    public var rootManifestFolder = "/etc/swift-keychain/programs.d"

    /// Folders of signed manifests, besides the folder of the executable itself: a manifest there is named by the
    /// executable's SHA-256 and ``ProgramManifest/fileSuffix``.
    public var manifestFolders = ["/etc/swift-keychain/manifests"]

    /// Which files only root can change.
    var trust = FileTrust()

    /// The system's folders.
    public init() {}

    /// The system's folders, and that of the user who runs this process: `swift-keychain/manifests` in
    /// `$XDG_CONFIG_HOME`, or in `~/.config` (XDG Base Directory Specification 0.8).
    public static var ofUser: IdentityOptions {
        var options = IdentityOptions()
        let named = ProcessEnvironment.value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = ProcessEnvironment.value("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = named ?? (home ?? KeychainLocation.homeFromUserDatabase()).map { "\($0)/.config" }
        if let folder { options.manifestFolders.append("\(folder)/swift-keychain/manifests") }
        return options
    }
}
