// SPDX-License-Identifier: Apache-2.0

extension KeychainCommand {
    /// The most bytes of a text that is shown with a prompt.
    package static let longestText = 4 << 10

    /// The most bytes of an application password.
    package static let longestPassword = 64 << 10

    /// The most access groups that a client claims: the entitlements of real programs name a few dozen.
    package static let mostAccessGroups = 1_024

    /// Refuses what would be kept for long, or makes for much work, and is larger than anybody needs.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        if let claimed = itemCall?.client.accessGroups, claimed.count > Self.mostAccessGroups {
            throw .parameter("the client claims \(claimed.count) access groups; there may be \(Self.mostAccessGroups)")
        }
        if case .authentication(.evaluate(_, let reason, _)) = self { try Self.check(reason) }
        for context in authenticationContexts {
            let settings = context.settings
            for text in [settings.localizedReason, settings.localizedFallbackTitle, settings.localizedCancelTitle] {
                try Self.check(text ?? "")
            }
            guard (context.applicationPassword?.count ?? 0) <= Self.longestPassword else {
                throw .parameter("the application password is longer than \(Self.longestPassword) bytes")
            }
        }
    }

    private static func check(_ text: String) throws(KeychainError) {
        guard text.utf8.count <= longestText else {
            throw .parameter("the reason or the title of a prompt is longer than \(longestText) bytes")
        }
    }
}
