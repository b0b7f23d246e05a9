// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Owner {
    /// A question that the device put.
    public struct Question: Sendable, Hashable {
        /// What was asked for.
        public let kind: Kind

        /// Why, in the program's words.
        public let reason: String

        /// What a question asks for.
        public enum Kind: String, Sendable, Hashable {
            /// A finger, a face or an iris.
            case biometry
            /// The passcode of the device.
            case passcode
            /// The password of an application, or a new one.
            case applicationPassword
        }

        init(_ prompt: AuthenticationPrompt) {
            reason = prompt.reason
            kind =
                switch prompt.kind {
                case .biometry: .biometry
                case .passcode: .passcode
                case .applicationPassword, .newApplicationPassword: .applicationPassword
                }
        }
    }

    /// The next question that nobody answers but the test, as soon as it is put.
    ///
    /// The call that asks blocks its thread meanwhile, as it does on a device: make it with ``App/runOnThread(_:)`` or
    /// the asynchronous functions of the module Keychain. Each question is given out once.
    ///
    /// ```swift
    /// device.owner.answer = .waits
    /// async let token = app.runOnThread { try store.token() }
    /// let question = try await device.owner.nextOpenQuestion()
    /// question.answer(.cancels)
    /// ```
    ///
    /// - Throws: `CancellationError` when the task that waits is cancelled.
    public func nextOpenQuestion() async throws -> OpenQuestion { try await openQuestions.next() }
}
