// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// The dependencies of a helper; tests substitute their own.
package struct HelperSurroundings: Sendable {
    /// The credentials.
    package var store: CredentialStore

    /// Asks the user where a helper has no other answer.
    package var authenticator: any Authenticator

    /// Returns the value of an environment variable.
    package var environment: @Sendable (String) -> String?

    /// The time, in seconds since 1970.
    package var now: @Sendable () -> Int

    /// The streams.
    package var streams: any HelperStreams

    /// The dependencies of a helper.
    package init(
        keychain: any KeychainBackend,
        authenticator: any Authenticator,
        environment: @escaping @Sendable (String) -> String?,
        now: @escaping @Sendable () -> Int,
        streams: any HelperStreams
    ) {
        store = CredentialStore(keychain)
        self.authenticator = authenticator
        self.environment = environment
        self.now = now
        self.streams = streams
    }
}

/// The standard streams of a helper.
package protocol HelperStreams: Sendable {
    /// The whole input.
    ///
    /// - Throws: ``HelperFailure`` if it cannot be read or is too large.
    func readAll() throws(HelperFailure) -> SecretBytes

    /// The next line without its newline; `nil` at the end of the input.
    ///
    /// - Throws: ``HelperFailure`` if it cannot be read or is too long.
    func readLine() throws(HelperFailure) -> SecretBytes?

    /// Writes to standard output.
    func write(_ bytes: SecretBytes)

    /// Writes a line to standard error.
    func remark(_ line: String)
}

extension HelperStreams {
    /// Writes a line to standard output.
    func writeLine(_ text: String) { write(SecretBytes(Array("\(text)\n".utf8))) }
}

/// Why a helper has no answer: one sentence, without any value of the caller or the keychain.
package struct HelperFailure: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The most bytes that a helper reads: 16 MiB, as many as an item may have.
    package static let largestByteCount = ItemLimits.secretByteCount

    static let tooLarge = HelperFailure("the input has more than \(largestByteCount) bytes")
}

extension HelperSurroundings {
    /// Says on standard error why there is no answer.
    func remark(_ name: HelperName, _ reason: String) { streams.remark("\(name.rawValue): \(reason)") }

    /// Says why there is no answer: an error of the keychain, or ``HelperFailure``.
    func remark(_ name: HelperName, reasonOf error: any Error) { remark(name, Self.reason(error)) }

    /// One sentence about an error, without any value.
    static func reason(_ error: any Error) -> String { (error as? KeychainError)?.helperReason ?? "\(error)" }
}

extension KeychainError {
    /// The reason, and the remedy if the keychain is locked.
    var helperReason: String {
        guard status == .interactionNotAllowed else { return reason }
        return "the keychain is locked; 'keychainctl device unlock -- COMMAND' runs a command unlocked"
    }
}
