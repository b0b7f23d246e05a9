// SPDX-License-Identifier: Apache-2.0

/// The attributes of a request's sender that the rules use (Semantics, "Access groups").
package struct Client: Sendable, Hashable {
    /// The access groups in their order; the first is the default of an add.
    ///
    /// `*` means every group.
    package var accessGroups: [String]

    /// The front end that the client uses.
    package var profile: Profile

    /// The application identifier of an app clip, which is its only group; `nil` for other clients.
    package var appClipIdentifier: String?

    /// Whether the client may use any group that ends in `com.apple.networkextensionsharing`.
    package var isNetworkExtension: Bool

    /// A client of these groups.
    package init(
        accessGroups: [String],
        profile: Profile = .iOS,
        appClipIdentifier: String? = nil,
        isNetworkExtension: Bool = false
    ) {
        self.accessGroups = accessGroups
        self.profile = profile
        self.appClipIdentifier = appClipIdentifier
        self.isNetworkExtension = isNetworkExtension
    }
}

/// The two front ends of the data protection keychain (Semantics, "Front ends"); raw values are part of messages.
package enum Profile: UInt8, Sendable, Hashable, CaseIterable {
    /// `dp-ios`: dictionaries reach the keychain as they are.
    case iOS = 1
    /// `dp-macos`: the front end first removes some keys (Semantics, "Keys that the macOS front end removes").
    case macOS = 2
}

extension Client {
    /// The group for an add that specifies none: the first group; `nil` for a client without write access to any.
    ///
    /// A list with only the group of hardware tokens is for reading (Semantics, "Access groups"). Nevertheless, it is
    /// the default of a list that starts with it; lists from entitlements have it last.
    package var defaultAccessGroup: String? {
        accessGroups.contains { $0 != PropertyKey.accessGroupToken } ? accessGroups.first : nil
    }
}

extension Client {
    /// The groups that the client claims: those of its list, or the only one of an app clip.
    package var claimedGroups: [String] { appClipIdentifier.map { [$0] } ?? accessGroups }
}

/// The access groups of programs that have no entitlements.
extension Client {
    /// The group that all programs of the user share.
    package static let commonGroup = "swift-keychain.common"

    /// Returns the group of a program without entitlements, by the name of its executable.
    package static func group(ofProgram name: String) -> String { "swift-keychain.program.\(name)" }

    /// The interactive user: stores in the common group, and sees every group.
    package static let person = Client(accessGroups: [commonGroup, everyGroup])

    /// The suffix that a signed manifest next to an executable adds to the executable's name.
    package static let manifestSuffix = ".keychain-manifest"

    /// Matches every group.
    package static let everyGroup = "*"
}
