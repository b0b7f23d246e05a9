// SPDX-License-Identifier: Apache-2.0

/// The sender of a request, as far as the rules consider it (Semantics, "Access groups").
package struct Client: Sendable, Hashable {
    /// The access groups in their order; the first is the default of an add.
    ///
    /// `*` means every group.
    package var accessGroups: [String]

    /// Which front end the client talks to.
    package var profile: Profile

    /// The application identifier, when the client is an app clip: then its only group.
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
