// SPDX-License-Identifier: Apache-2.0

/// An authentication context as a request carries it: which one it is, and what the program set on it.
///
/// What has been authenticated in the context is recorded by the keychain that asked, under the identifier. The
/// identifier is drawn at random, so that no other program can name the context.
public struct AuthenticationContext: Sendable, Hashable {
    /// Which context it is.
    public let identifier: Bytes16
    /// How the user is prompted.
    public var settings: Settings
    /// The application password that the program set.
    public var applicationPassword: SecretBytes?
    /// Whether the program has ended the use of the context.
    public var isInvalid: Bool

    /// How the user is prompted.
    public struct Settings: Sendable, Hashable {
        /// Whether asking is forbidden.
        public var interactionNotAllowed = false
        /// The reason shown in a prompt that a keychain query causes.
        public var localizedReason = ""
        /// What to write on the button that falls back to the passcode; empty hides it.
        public var localizedFallbackTitle: String?
        /// What to write on the button that cancels.
        public var localizedCancelTitle: String?
        /// For how many seconds an earlier recognition counts.
        public var reuseDurationSeconds = 0.0

        /// The longest time for which an earlier recognition counts, whatever a request demands: five minutes.
        public static let longestReuseSeconds = 300.0

        /// Nothing is forbidden, and no text is given.
        public init() {}
    }

    /// Something that the user has authenticated with.
    public enum Factor: Sendable, Hashable {
        /// The passcode.
        case passcode
        /// Biometry, and which set was enrolled then.
        case biometry(enrolledSet: Bytes16)
    }

    /// What a keychain knows of a context.
    public struct Status: Sendable, Hashable {
        /// What was shown in it; nothing once it is invalid.
        public var shown: Set<Factor>
        /// Whether it has an application password, set by the program or typed and found right.
        public var hasApplicationPassword: Bool

        /// A status.
        public init(shown: Set<Factor> = [], hasApplicationPassword: Bool = false) {
            self.shown = shown
            self.hasApplicationPassword = hasApplicationPassword
        }
    }

    /// A context; a new one unless it is named.
    public init(
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
    public var description: String { "an authentication context\(isInvalid ? ", invalid" : "")" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The settings alone.
    public var customMirror: Mirror { Mirror(self, children: ["settings": settings]) }
}
