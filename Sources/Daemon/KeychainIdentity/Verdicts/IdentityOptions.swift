// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// Where manifests are searched for.
package struct IdentityOptions: Sendable {
    /// The folder of root-owned manifests.
    package var rootManifestFolder = ManifestFolders.rootOwned

    /// Folders of signed manifests, besides the folder of the executable itself: a manifest there is named by the
    /// executable's SHA-256 and ``ProgramManifest/fileSuffix``.
    package var manifestFolders = [ManifestFolders.signed]

    /// Folders of teams' published statements: a file for each team, which only root or the user of this process may be
    /// able to write to.
    package var statementFolders = [systemStatementFolder]

    /// Whether this process predicts how the system service will identify the program: it then reads only what every
    /// user can read.
    var isForSystemService = false

    /// The folder of published statements that all daemons read.
    package static let systemStatementFolder = "/etc/swift-keychain/statements"

    /// Which files only root can change.
    var trust = FileTrust()

    /// How much of a process is examined.
    var limits = CheckEffort.Limits()

    /// For how long a program that has connected is examined, after which it is refused; 10 seconds, as for the servers
    /// of daemons.
    var identificationMilliseconds: Int32 = 10_000

    /// The system's folders.
    package init() {}

    /// The system's folders, and those of the user who runs this process: `manifests` and `statements` in
    /// ``userFolder`` (XDG Base Directory Specification 0.8).
    package static var ofUser: IdentityOptions {
        var options = IdentityOptions()
        if let folder = userFolder {
            options.manifestFolders.append(ManifestFolders.signed(in: folder))
            options.statementFolders.append("\(folder)/statements")
        }
        return options
    }

    /// The places where the system service searches, for a process that predicts how it identifies a program.
    package static var ofSystemService: IdentityOptions {
        var options = IdentityOptions()
        options.isForSystemService = true
        return options
    }

    /// The folder `swift-keychain` of the user who runs this process, in `$XDG_CONFIG_HOME` or in `~/.config`; `nil` if
    /// that user has no home folder.
    package static var userFolder: String? { ManifestFolders.user }
}
