// SPDX-License-Identifier: Apache-2.0

/// The label that AppArmor gives a program of a snap: `snap.NAME.APP (enforce)`.
///
/// The kernel keeps it. A program in a sandbox cannot take another one; one that AppArmor does not confine can
/// (aa_change_profile(2)), unless `kernel.apparmor_restrict_unprivileged_unconfined` is on.
struct SnapLabel: Sendable, Hashable {
    /// The name of the snap, without that of an instance.
    let snap: String

    /// The application in it.
    let application: String

    /// Reads a label; `nil` for that of something else, and for a profile that is not enforced.
    init?(_ label: String) {
        let words = label.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[1] == "(enforce)" else { return nil }
        let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "snap", Self.isName(parts[1]), Self.isName(parts[2]) else { return nil }
        snap = String(parts[1])
        application = String(parts[2])
    }

    /// Lower case in a snap's name, either in an application's; an underscore before the key of an instance.
    static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
            }
    }
}
