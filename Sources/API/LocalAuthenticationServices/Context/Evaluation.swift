// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices

/// One evaluation in a context: by the service of the program that started it, on a queue of its own, with one reply.
struct Evaluation {
    let context: ClientContext
    let reason: String

    /// The keychain that calls of this task have.
    static var keychainInEffect: any KeychainBackend { KeychainContext.inEffect.backend }

    /// Evaluates without blocking the caller, and replies with the error, or `nil`.
    ///
    /// The service is the caller's: the keychain of a task is unknown on another thread. The reply also has the
    /// caller's keychain, so that an item can be read in it. An evaluation blocks while it waits for the user, so each
    /// has a serial queue of its own, which does not use the threads that the program's concurrent queues share.
    func start(
        _ body:
            @escaping @Sendable (AuthenticationService, AuthenticationContext) throws(AuthenticationFailure) -> Void,
        reply: @escaping @Sendable (LAError?) -> Void
    ) {
        let keychain = KeychainContext.inEffect
        let backend = keychain.backend
        let refusal = refusal
        let reply: @Sendable (LAError?) -> Void = { error in
            KeychainContext.$current.withValue(keychain) { reply(error) }
        }
        DispatchQueue(label: "swift-keychain.evaluation").async { [context] in
            if let refusal { return reply(refusal) }
            do throws(AuthenticationFailure) {
                try body(backend.authentication, context.value(for: backend))
                reply(nil)
            } catch {
                // The context was good when the evaluation began, so invalidating it cancelled this.
                reply(LAError(context.isInvalid ? .appCancel : error))
            }
        }
    }

    /// The reason why no prompt is shown, regardless of the service.
    private var refusal: LAError? {
        if reason.isEmpty { return LAError(.notInteractive, "A prompt requires a localized reason.") }
        return context.isInvalid ? LAError(.invalidContext) : nil
    }
}

extension AuthenticationService {
    /// Why nothing could be stored under an access control; `nil` if it could.
    ///
    /// Only a device with a passcode stores items that require the owner's authentication.
    func obstacle(toStoringUnder value: AccessControl, _ context: AuthenticationContext) -> AuthenticationFailure? {
        let asksTheOwner = value.constraints?.shown.isEmpty == false
        guard asksTheOwner || value.protection == .whenPasscodeSetThisDeviceOnly else { return nil }
        return obstacle(to: .deviceOwner, context) == .passcodeNotSet ? .passcodeNotSet : nil
    }
}
