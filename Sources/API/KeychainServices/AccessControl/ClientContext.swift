// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
import Synchronization

/// The program's side of an authentication context: the storage of an `LAContext`.
///
/// Commands carry its ``value``. Each keychain that the context is used with records what is authenticated in it; the
/// keychains are notified when the context is invalidated or released. Thread-safe.
package final class ClientContext: Sendable {
    private let state: Mutex<State>
    private let identifier: Bytes16

    private struct State {
        var value: AuthenticationContext
        var keychains: [any KeychainBackend] = []
    }

    /// A context without any authentication.
    package init() {
        let value = AuthenticationContext()
        identifier = value.identifier
        state = Mutex(State(value: value))
        Self.insert(self, identifier)
    }

    deinit {
        Self.remove(identifier)
        for keychain in state.withLock(\.keychains) { keychain.authentication.release(identifier) }
    }

    /// The context as a command carries it.
    package var value: AuthenticationContext { state.withLock(\.value) }

    /// The context as a command to a keychain carries it, which then belongs to those that it was used with.
    package func value(for keychain: any KeychainBackend) -> AuthenticationContext {
        recordUse(with: keychain)
        return value
    }

    /// Notes a keychain that it is used with.
    package func recordUse(with keychain: any KeychainBackend) {
        let isInvalid = state.withLock { state in
            if !state.keychains.contains(where: { $0.identity == keychain.identity }) {
                state.keychains.append(keychain)
            }
            return state.value.isInvalid
        }
        // The request may have been made before the context was invalidated, without a notification to this keychain.
        if isInvalid { keychain.authentication.invalidate(identifier) }
    }

    /// How the user is prompted.
    package var settings: AuthenticationContext.Settings { state.withLock(\.value.settings) }

    /// Changes how the user is prompted.
    package func configure(_ change: (inout AuthenticationContext.Settings) -> Void) {
        state.withLock { change(&$0.value.settings) }
    }

    /// Sets or removes the application password; a typed one is forgotten.
    ///
    /// - Returns: Whether it was accepted: not in an invalid context.
    package func setApplicationPassword(_ password: SecretBytes?) -> Bool {
        let keychains: [any KeychainBackend]? = state.withLock { state in
            guard !state.value.isInvalid else { return nil }
            state.value.applicationPassword = password
            return state.keychains
        }
        guard let keychains else { return false }
        // A new one is sent with the next call, and takes precedence; until then a call in progress keeps the previous
        // one.
        if password == nil { for keychain in keychains { keychain.authentication.forgetPassword(of: identifier) } }
        return true
    }

    /// Whether there is an application password, set by the program or typed and verified.
    package var hasApplicationPassword: Bool {
        let (value, keychains) = state.withLock { ($0.value, $0.keychains) }
        guard !value.isInvalid, value.applicationPassword == nil else { return !value.isInvalid }
        return keychains.contains { $0.authentication.status(of: identifier).hasApplicationPassword }
    }

    /// Whether the context was invalidated.
    package var isInvalid: Bool { state.withLock(\.value.isInvalid) }

    /// Ends the use of the context: what was shown in it is forgotten, and the questions that are open in it end.
    package func invalidate() {
        let keychains = state.withLock { state in
            state.value.isInvalid = true
            state.value.applicationPassword = nil
            return state.keychains
        }
        for keychain in keychains { keychain.authentication.invalidate(identifier) }
    }
}

// MARK: - By identifier

extension ClientContext {
    /// The context of an identifier, for as long as it is retained.
    package static func existing(_ identifier: Bytes16) -> ClientContext? {
        every.withLock { $0[identifier]?.context }
    }

    private struct Weak: Sendable {
        weak var context: ClientContext?
    }

    private static let every = Mutex<[Bytes16: Weak]>([:])

    private static func insert(_ context: ClientContext, _ identifier: Bytes16) {
        every.withLock { $0[identifier] = Weak(context: context) }
    }

    private static func remove(_ identifier: Bytes16) { every.withLock { $0[identifier] = nil } }
}
