// SPDX-License-Identifier: Apache-2.0

/// An authentication context in a request: its identifier, and the program's settings.
///
/// The keychain that prompted records what has been authenticated in the context under the identifier. The identifier
/// is random, so that no other program can refer to the context.
package struct AuthenticationContext: Sendable, Hashable {
    /// Which context it is.
    package let identifier: Bytes16
    /// How the user is prompted.
    package var settings: Settings
    /// The application password that the program set.
    package var applicationPassword: SecretBytes?
    /// Whether the program has ended the use of the context.
    package var isInvalid: Bool

    /// How the user is prompted.
    package struct Settings: Sendable, Hashable {
        /// Whether asking is forbidden.
        package var interactionNotAllowed = false
        /// The reason shown in a prompt that a keychain query causes.
        package var localizedReason = ""
        /// The title of the button that falls back to the passcode; empty hides it.
        package var localizedFallbackTitle: String?
        /// The title of the button that cancels.
        package var localizedCancelTitle: String?
        /// For how many seconds an earlier recognition counts.
        package var reuseDurationSeconds = 0.0

        /// The maximum age of an earlier recognition that counts, regardless of the request: five minutes.
        package static let longestReuseSeconds = 300.0

        /// Creates settings without restrictions and texts.
        package init() {}
    }

    /// Something that the user has authenticated with.
    package enum Factor: Sendable, Hashable {
        /// The passcode.
        case passcode
        /// Biometry, and which set was enrolled then.
        case biometry(enrolledSet: Bytes16)
    }

    /// The state of a context in a keychain.
    package struct Status: Sendable, Hashable {
        /// What was shown in it; nothing once it is invalid.
        package var shown: Set<Factor>
        /// Whether it has an application password, set by the program or typed and found right.
        package var hasApplicationPassword: Bool

        /// A status.
        package init(shown: Set<Factor> = [], hasApplicationPassword: Bool = false) {
            self.shown = shown
            self.hasApplicationPassword = hasApplicationPassword
        }
    }

    /// A context; a new one unless it is named.
    package init(
        identifier: Bytes16 = .random(),
        settings: Settings = Settings(),
        applicationPassword: SecretBytes? = nil,
        isInvalid: Bool = false
    ) {
        self.identifier = identifier
        self.settings = settings
        self.applicationPassword = applicationPassword
        self.isInvalid = isInvalid
    }
}

extension AuthenticationContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of what identifies the context or is secret in it.
    package var description: String { "an authentication context\(isInvalid ? ", invalid" : "")" }

    /// The same as ``description``.
    package var debugDescription: String { description }

    /// The settings alone.
    package var customMirror: Mirror { Mirror(self, children: ["settings": settings]) }
}
