// SPDX-License-Identifier: Apache-2.0

/// The identities of sandboxed programs.
extension ClientIdentity {
    /// A Flatpak application.
    init(flatpak application: String) {
        self.init(.flatpak(application), sandbox: "flatpak", name: application, application: application)
    }

    /// A snap, and one of its programs.
    init(snap: String, application: String) {
        self.init(.snap(snap), sandbox: "snap", name: snap, application: application)
    }

    /// The program that a portal names: a Flatpak application, or a snap as `snap.NAME`; `nil` for any other name.
    package init?(sandboxedAs name: String) {
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        if words.count == 2, words[0] == "snap", SnapLabel.isName(words[1]) {
            self.init(snap: String(words[1]), application: name)
        } else if FlatpakInformation.isName(Array(name.utf8)[...]) {
            self.init(flatpak: name)
        } else {
            return nil
        }
    }

    private init(_ kind: Kind, sandbox: String, name: String, application: String) {
        self.init(
            kind,
            applicationIdentifier: application,
            ownedGroups: ["\(sandbox)/\(name)"],
            ownedPrefix: "\(sandbox)/\(name)/",
            isConfined: true
        )
    }
}
