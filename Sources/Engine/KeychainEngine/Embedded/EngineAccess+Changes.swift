// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
import KeychainStore

/// Group commit: changes of items that several threads make at the same time share one sync of the log (Architecture,
/// "Choices").
extension EngineAccess {
    /// Whether changes are committed in groups.
    var makesChangesTogether: Bool {
        if case .folder(_, let options) = source { options.makesChangesTogether } else { false }
    }

    /// The number of changes that wait for a group commit, for tests.
    var waitingChangeCount: Int { (try? Turns.none.withTurn { changes.count }) ?? 0 }

    /// Makes a change of items in one transaction with those of other waiting threads.
    ///
    /// It never throws an error that another change of the same group may have caused.
    ///
    /// - Returns: The result, once the change is durable; `nil` if nothing was done, and the change needs a transaction
    ///   of its own.
    /// - Throws: Why the change failed.
    func changeTogether(
        _ request: KeychainRequest,
        _ authorization: Authorization,
        until deadline: Deadline
    ) throws(KeychainError) -> KeychainAnswer? {
        let change = QueuedChange(request, authorization)
        if try !Turns.none.withTurn(until: deadline, { changes.add(change) }) {
            switch try outcome(of: change, until: deadline) {
            case .leads: break
            case .apart: return nil
            case .ended(let result): return try result.get()
            }
        }
        var group = ChangeGroup(leader: change)
        do throws(KeychainError) {
            try lanes.withConnections(.changing, for: device.share(), until: deadline) { (lane) throws(KeychainError) in
                StackMemory.wiped { make(&group, in: lane) }
                changes.electNextLeader(after: group.count)
            }
        } catch {
            // This thread's timeout has passed; those of the other threads may be longer.
            try Turns.none.withTurn { changes.electNextLeader(after: nil) }
            throw error
        }
        return switch group.notifyOthers() {
        case .ended(let result): try result.get()
        case .apart, .leads: nil
        }
    }

    private func outcome(
        of change: QueuedChange,
        until deadline: Deadline
    ) throws(KeychainError) -> QueuedChange.Outcome {
        if let outcome = change.wait(milliseconds: deadline.millisecondsLeft) { return outcome }
        guard try !Turns.none.withTurn({ changes.withdraw(change) }) else { throw KeychainError(StoreError.occupied) }
        // A leader is making it, or its thread was made the leader.
        guard let outcome = change.wait(milliseconds: nil) else {
            preconditionFailure("a change that was ended has an outcome")
        }
        return outcome
    }

    /// Makes the leader's change and those that wait.
    private func make(_ group: inout ChangeGroup, in lane: Lane) {
        defer { watchIdleness() }
        session.lockIfIdle()
        let engine: Engine
        do throws(KeychainError) {
            let opened = try currentEngine(lane.opened, makingStore: group.leader.request.use.makesStore)
            guard let opened else { return group.leaveLeader() }
            engine = opened
        } catch {
            return group.fail(error)
        }
        // Other hosts wait for it.
        defer { if engine.store.isUnderHostLock { lane.opened.finish() } }
        engine.store.beginGroup()
        var end: DispatchTime?
        if group.makeLast(on: engine) { session.noteUse() }
        while !engine.store.isGroupLost,
            let next = changes.next(for: group.leader, after: group.count, waitingUntil: &end)
        {
            group.add(next)
            session.lockIfIdle()
            if group.makeLast(on: engine) { session.noteUse() }
        }
        let isLost = engine.store.isGroupLost
        let start = DispatchTime.now()
        do throws(KeychainError) {
            if try engine.store.endGroup() {
                changes.recordCommit(nanoseconds: DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
            }
            group.end(isLost ? .lost : .stored)
        } catch {
            group.end(.failed(error))
        }
    }
}

/// The changes of one group commit.
private struct ChangeGroup {
    /// The change of the leader, whose thread makes all changes of the group.
    let leader: QueuedChange
    private var changes: [(change: QueuedChange, state: State)]

    /// The state of a change.
    private enum State {
        case waiting
        case made(KeychainAnswer)
        case ended(QueuedChange.Outcome)
    }

    /// How the transaction ended.
    enum End {
        case stored
        /// SQLite rolled it back.
        case lost
        case failed(KeychainError)
    }

    init(leader: QueuedChange) {
        self.leader = leader
        changes = [(leader, .waiting)]
    }

    var count: Int { changes.count }

    mutating func add(_ change: QueuedChange) { changes.append((change, .waiting)) }

    /// Ends the leader's change with an error before any change was attempted.
    mutating func fail(_ error: KeychainError) { changes[0].state = .ended(Self.outcome(error)) }

    /// Has the leader's change made separately if there is nothing that it could change.
    mutating func leaveLeader() { changes[0].state = .ended(.apart) }

    /// Makes the change that was added last.
    ///
    /// - Returns: Whether it was made.
    mutating func makeLast(on engine: Engine) -> Bool {
        let change = changes[count - 1].change
        let isFirst = !changes.contains { if case .made = $0.state { true } else { false } }
        let authorization = change.authorization
        engine.resetChanges()
        authorization.isElsewhere = true
        defer {
            authorization.isElsewhere = false
            engine.forgetDevice()
        }
        do throws(KeychainError) {
            let answer = try engine.store.inGroup { () throws(KeychainError) in
                let answer = try engine.perform(change.request, authorization)
                if authorization.needsOwnThread { throw .needsOwnThread }
                return answer
            }
            changes[count - 1].state = .made(answer)
            return true
        } catch {
            // The error may result from an earlier change of the group, which is not stored yet and may never be; and
            // what a failed call stores, such as the mark of a damaged row, was rolled back with it.
            let isAnswer = isFirst && !authorization.needsOwnThread && !engine.hasChanged
            changes[count - 1].state = .ended(isAnswer ? Self.outcome(error) : .apart)
            authorization.needsOwnThread = false
        }
        if case .ended(.apart) = changes[count - 1].state { _ = authorization.takeDemand() }
        return false
    }

    /// Sets the outcome of every change that was made.
    mutating func end(_ end: End) {
        let made = changes.indices.filter { if case .made = changes[$0].state { true } else { false } }
        for index in made {
            guard case .made(let answer) = changes[index].state else { continue }
            let outcome: QueuedChange.Outcome =
                switch end {
                case .stored: .ended(.success(answer))
                case .lost: .apart
                case .failed(let error) where error.kind == .storage(.doubtfulCommit): .ended(.failure(error))
                case .failed(let error): made.count == 1 ? Self.outcome(error) : .apart
                }
            changes[index].state = .ended(outcome)
        }
    }

    /// Wakes the threads of the other changes.
    ///
    /// - Returns: The outcome of the leader's own change.
    func notifyOthers() -> QueuedChange.Outcome {
        for (change, state) in changes.dropFirst() { change.end(outcome(state)) }
        return outcome(changes[0].state)
    }

    private func outcome(_ state: State) -> QueuedChange.Outcome {
        guard case .ended(let outcome) = state else { preconditionFailure("a change was left without an end") }
        return outcome
    }

    /// The outcome of a change that failed for a reason of its own; it is retried alone when that may help.
    private static func outcome(_ error: KeychainError) -> QueuedChange.Outcome {
        let isRetried =
            error.isBusy || error.mayBeOfReplacedRootKey || [.diskFull, .readOnly].contains(error.status)
        return isRetried ? .apart : .ended(.failure(error))
    }
}

extension KeychainError {
    /// The call needs something that is only done on the caller's thread, such as a prompt.
    fileprivate static let needsOwnThread = KeychainError(
        .internalComponent,
        "the change is made on the thread of its caller"
    )
}
