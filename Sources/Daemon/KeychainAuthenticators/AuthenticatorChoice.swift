// SPDX-License-Identifier: Apache-2.0

/// How the user is prompted, as the environment variable `SWIFT_KEYCHAIN_AUTHENTICATOR` says.
package enum AuthenticatorChoice: Sendable, Hashable {
    /// The variable is not set.
    case byDefault
    case terminal
    /// A pinentry, by its path; `nil` for that of the system.
    case pinentry(path: String?)
    /// Nobody is prompted, also for a word that has no meaning: no prompt is better than one in the wrong place.
    case nobody

    /// Reads the variable.
    package init(in environment: (String) -> String?) {
        switch environment("SWIFT_KEYCHAIN_AUTHENTICATOR") {
        case nil: self = .byDefault
        case "terminal": self = .terminal
        case "pinentry": self = .pinentry(path: nil)
        case let word? where word.hasPrefix("pinentry:/"):
            self = .pinentry(path: String(word.dropFirst("pinentry:".count)))
        default: self = .nobody
        }
    }
}
