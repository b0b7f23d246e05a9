// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Owner {
    /// A prompt of the device.
    public struct Question: Sendable, Hashable {
        /// The kind of prompt.
        public let kind: Kind

        /// The reason that the program gave.
        public let reason: String

        /// The kinds of prompts.
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

    /// Waits for the next question that the test has to answer.
    ///
    /// The call that prompts blocks its thread meanwhile, as on a device: make it with ``App/runOnThread(_:)`` or the
    /// asynchronous functions of the module Keychain. Each question is returned once.
    ///
    /// ```swift
    /// device.owner.answer = .waits
    /// async let token = app.runOnThread { try store.token() }
    /// let question = try await device.owner.nextOpenQuestion()
    /// question.answer(.cancels)
    /// ```
    ///
    /// - Parameter limit: the time limit. Without one, a call that fails before it prompts would make the test wait
    ///   forever.
    /// - Returns: The question.
    /// - Throws: ``NoQuestionError`` if the time limit is exceeded, and `CancellationError` if the waiting task is
    ///   cancelled.
    public func nextOpenQuestion(within limit: Duration = .seconds(120)) async throws -> OpenQuestion {
        try await openQuestions.next(within: limit)
    }

    /// The device did not prompt its owner while a test waited for a question.
    public struct NoQuestionError: Error, Sendable, Hashable, CustomStringConvertible {
        /// How long the test waited.
        public let limit: Duration

        /// What happened, and where to look for the cause.
        public var description: String {
            "the device asked its owner nothing within \(limit): did the call that should ask fail before?"
        }
    }
}
