// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices
import KeychainTestSupport
import Synchronization

/// An authentication service that answers what a test says, and keeps what it was asked.
final class FakeAuthentication: KeychainBackend {
    struct Question: Sendable {
        var demand: Demand
        var reason: String
        var context: AuthenticationContext
        /// What ends it: done when its context is invalidated.
        var cancellation: PromptCancellation
        /// Notes what was shown.
        var record: @Sendable (AuthenticationContext.Factor) -> Void
    }

    typealias Demand = KeychainCommand.Authentication.Demand

    private struct State {
        var biometry: Biometry
        var obstacles: [AuthenticationPolicy: AuthenticationFailure] = [:]
        var questions: [Question] = []
        var cancellations: [Bytes16: PromptCancellation] = [:]
        var shown: [Bytes16: Set<AuthenticationContext.Factor>] = [:]
    }

    private let state: Mutex<State>
    private let answer: @Sendable (Question) -> AuthenticationFailure?

    /// A service that answers every evaluation by a closure, `nil` for success.
    init(biometry: Biometry = .none, answer: @escaping @Sendable (Question) -> AuthenticationFailure? = { _ in nil }) {
        state = Mutex(State(biometry: biometry))
        self.answer = answer
    }

    var biometry: Biometry {
        get { state.withLock(\.biometry) }
        set { state.withLock { $0.biometry = newValue } }
    }

    var obstacles: [AuthenticationPolicy: AuthenticationFailure] {
        get { state.withLock(\.obstacles) }
        set { state.withLock { $0.obstacles = newValue } }
    }

    var questions: [Question] { state.withLock(\.questions) }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .authentication(let command) = command else {
            throw KeychainError(.itemNotFound, "nothing is stored")
        }
        switch command {
        case .biometry: return .biometry(biometry)
        case .check(let policy, _):
            if let obstacle = obstacles[policy] { throw KeychainError(obstacle) }
        case .evaluate(let demand, let reason, let context):
            let question = question(for: demand, reason: reason, in: context)
            state.withLock { $0.questions.append(question) }
            if let failure = answer(question) { throw KeychainError(failure) }
        case .status(let context):
            return .context(AuthenticationContext.Status(shown: state.withLock { $0.shown[context] } ?? []))
        case .invalidate(let context): cancellation(of: context).cancel()
        case .forgetPassword, .release: break
        }
        return .done
    }

    private func question(for demand: Demand, reason: String, in context: AuthenticationContext) -> Question {
        Question(
            demand: demand,
            reason: reason,
            context: context,
            cancellation: cancellation(of: context.identifier)
        ) { [weak self] factor in
            self?.state.withLock { _ = $0.shown[context.identifier, default: []].insert(factor) }
        }
    }

    private func cancellation(of context: Bytes16) -> PromptCancellation {
        state.withLock { state in
            let cancellation = state.cancellations[context] ?? PromptCancellation()
            state.cancellations[context] = cancellation
            return cancellation
        }
    }

    /// The keychain of tasks whose owner this service asks.
    var keychain: KeychainContext {
        KeychainContext(backend: self, client: Client(accessGroups: ["tests"]))
    }

    /// Runs `body` in a task that has this keychain.
    func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await KeychainContext.$current.withValue(keychain, operation: body)
    }

    /// Runs `body` so that it has this keychain.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try KeychainContext.$current.withValue(keychain, operation: body)
    }
}
