// SPDX-License-Identifier: Apache-2.0

/// The access groups of programs that have no entitlements.
extension Client {
    /// The group that all programs of the user share.
    package static let commonGroup = "swift-keychain.common"

    /// Returns the group of a program without entitlements, by the name of its executable.
    package static func group(ofProgram name: String) -> String { "swift-keychain.program.\(name)" }

    /// The user at the keyboard: stores in the common group, and sees every group.
    package static let person = Client(accessGroups: [commonGroup, everyGroup])

    /// The suffix that a signed manifest next to an executable adds to the executable's name.
    package static let manifestSuffix = ".keychain-manifest"

    /// Stands for every group.
    package static let everyGroup = "*"
}
