// SPDX-License-Identifier: Apache-2.0

/// An authentication context as a request carries it: which one it is, and what the program set on it.
///
/// What has been authenticated in the context is recorded by the keychain that asked, under the identifier. The
/// identifier is drawn at random, so that no other program can name the context.
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
        /// What to write on the button that falls back to the passcode; empty hides it.
        package var localizedFallbackTitle: String?
        /// What to write on the button that cancels.
        package var localizedCancelTitle: String?
        /// For how many seconds an earlier recognition counts.
        package var reuseDurationSeconds = 0.0

        /// The longest time for which an earlier recognition counts, whatever a request demands: five minutes.
        package static let longestReuseSeconds = 300.0

        /// Nothing is forbidden, and no text is given.
        package init() {}
    }

    /// Something that the user has authenticated with.
    package enum Factor: Sendable, Hashable {
        /// The passcode.
        case passcode
        /// Biometry, and which set was enrolled then.
        case biometry(enrolledSet: Bytes16)
    }

    /// What a keychain knows of a context.
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
