// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The contexts of programs that a keychain has seen, by their identifiers.
///
/// A program reports when it has finished with a context. Because some programs never do, the number of contexts is
/// limited: the least recently used is removed first, and what was shown in it is required again.
final class ContextRegistry: Sendable {
    /// The maximum number of contexts.
    let limit: Int

    private let state = Mutex(State())

    private struct State {
        var contexts: [Bytes16: (state: ContextState, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    /// How many contexts a keychain of one process keeps.
    static let defaultLimit = 1024

    init(limit: Int = defaultLimit) { self.limit = limit }

    /// The number of contexts.
    var count: Int { state.withLock(\.contexts.count) }

    /// The state of a context, with the program's current settings.
    func state(of given: AuthenticationContext) -> ContextState {
        let context = entry(given.identifier)
        context.update(from: given)
        return context
    }

    /// A copy of the state of a context, with the program's current settings, for an observer, which leaves no trace.
    func copy(of given: AuthenticationContext) -> ContextState {
        let known = state.withLock { $0.contexts[given.identifier]?.state }
        let copy = known.map(ContextState.init(copying:)) ?? ContextState()
        copy.update(from: given)
        return copy
    }

    /// The public status of a context; an empty one for an unknown context.
    func status(of identifier: Bytes16) -> AuthenticationContext.Status {
        state.withLock { $0.contexts[identifier]?.state }?.status ?? AuthenticationContext.Status()
    }

    /// Forgets the application password of a context, one that was typed as well as one that the program gave.
    func forgetPassword(of identifier: Bytes16) {
        state.withLock { $0.contexts[identifier]?.state }?.forgetPassword()
    }

    /// Ends the use of a context, also of one that is on its way here in another call.
    func invalidate(_ identifier: Bytes16) { entry(identifier).invalidate() }

    /// Forgets a context.
    func release(_ identifier: Bytes16) {
        let released = state.withLock { $0.contexts.removeValue(forKey: identifier) }
        // The results of its pending prompts can no longer be used.
        released?.state.invalidate()
    }

    private func entry(_ identifier: Bytes16) -> ContextState {
        state.withLock { state in
            state.uses += 1
            let context = state.contexts[identifier]?.state ?? ContextState()
            state.contexts[identifier] = (context, state.uses)
            if state.contexts.count > limit { Self.dropOldest(&state) }
            return context
        }
    }

    /// Removes the least recently used contexts, an eighth at a time, except for those with an open prompt.
    private static func dropOldest(_ state: inout State) {
        let idle = state.contexts.filter { !$0.value.state.isAsking }.sorted { $0.value.lastUse < $1.value.lastUse }
        // The newest is the one that was requested.
        for (identifier, _) in idle.dropLast().prefix(max(1, state.contexts.count / 8)) {
            state.contexts[identifier] = nil
        }
    }
}

extension Evaluator {
    func perform(_ command: KeychainCommand.Authentication) throws(KeychainError) -> KeychainReply {
        switch command {
        case .biometry: return .biometry(biometry)
        case .check(let policy, let context):
            if let obstacle = obstacle(to: policy, contexts.state(of: context)) { throw KeychainError(obstacle) }
        case .evaluate(let demand, let reason, let context):
            do throws(AuthenticationFailure) {
                try evaluate(demand, reason: reason, contexts.state(of: context))
            } catch {
                throw KeychainError(error)
            }
        case .status(let identifier): return .context(contexts.status(of: identifier))
        case .forgetPassword(let identifier): contexts.forgetPassword(of: identifier)
        case .invalidate(let identifier): contexts.invalidate(identifier)
        case .release(let identifier): contexts.release(identifier)
        }
        return .done
    }

    private func evaluate(
        _ demand: KeychainCommand.Authentication.Demand,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        switch demand {
        case .policy(let policy): try evaluate(policy, reason: reason, context)
        case .accessControl(let accessControl): try evaluate(accessControl, reason: reason, context)
        }
    }
}
