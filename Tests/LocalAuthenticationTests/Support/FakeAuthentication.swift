// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices
import KeychainTestSupport
import Synchronization

/// An authentication service that answers what a test says, and keeps what it was asked.
final class FakeAuthentication: AuthenticationService {
    struct Question: Sendable, Hashable {
        var demand: Demand
        var reason: String
        var context: AuthenticationContext
    }

    enum Demand: Sendable, Hashable {
        case policy(AuthenticationPolicy)
        case accessControl(AccessControl)
    }

    private struct State {
        var biometry: Biometry
        var obstacles: [AuthenticationPolicy: AuthenticationFailure] = [:]
        var questions: [Question] = []
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

    func obstacle(to policy: AuthenticationPolicy, _ context: AuthenticationContext) -> AuthenticationFailure? {
        obstacles[policy]
    }

    func evaluate(
        _ policy: AuthenticationPolicy,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        try evaluate(Question(demand: .policy(policy), reason: reason, context: context))
    }

    func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        try evaluate(Question(demand: .accessControl(accessControl), reason: reason, context: context))
    }

    private func evaluate(_ question: Question) throws(AuthenticationFailure) {
        state.withLock { $0.questions.append(question) }
        if let failure = answer(question) { throw failure }
    }

    /// The keychain of tasks whose owner this service asks.
    var keychain: KeychainContext {
        let backend = FakeKeychain(authentication: self) { _ throws(KeychainError) in
            throw KeychainError(.itemNotFound, "nothing is stored")
        }
        return KeychainContext(backend: backend, client: Client(accessGroups: ["tests"]))
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
