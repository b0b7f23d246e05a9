// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire
import Synchronization

/// Notifications of changes, on a connection that a program uses for nothing else.
extension Connection {
    /// The connection as a subscriber.
    var subscriber: ChangeSubscriber { ChangeSubscriber(number: number, peer: peer, share: process.share) }

    /// Confirms the subscription to the program, and starts to notify it.
    ///
    /// - Returns: What to wait for; `nil` if the connection has ended.
    func beginObserving(_ frame: SecretBytes, tick: UInt64) -> SocketReadiness? {
        state.withLock { state in
            guard state.phase == .busy else { return nil }
            state.phase = .observing
            isSubscribed.store(true, ordering: .releasing)
            guard enqueue(frame, in: &state, at: tick), sendNotice(&state, tick) else { return nil }
            return Self.wanted(state)
        }
    }

    /// Notifies the program of changes, immediately or when it has read the previous output: pending notices are
    /// coalesced into one.
    ///
    /// - Returns: What to wait for; `nil` if the connection has ended.
    func notify(of notice: ChangeNotice, tick: UInt64) -> SocketReadiness? {
        state.withLock { state in
            guard state.phase == .busy || state.phase == .observing else { return nil }
            if state.notice == nil { state.notice = notice } else { state.notice?.merge(notice) }
            // Its socket is not watched before the subscription is confirmed.
            guard state.phase == .observing else { return [] }
            guard sendNotice(&state, tick) else { return nil }
            return state.pending.isEmpty ? [] : Self.wanted(state)
        }
    }

    /// What to wait for while the program is notified of changes; `nil` if it is not.
    var wantedWhileObserving: SocketReadiness? {
        // Most connections are not: another thread may be receiving their next command already.
        guard isSubscribed.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.phase == .observing ? Self.wanted($0) : nil }
    }

    /// The result of receiving on a subscription, where only the end is expected.
    func observed(_ state: inout State, _ received: Received) -> Arrival {
        switch message(&state, received) {
        case .wait where state.reader.isEmpty:
            state.clearReader()
            _ = count(&state)
            return .wait(Self.wanted(state))
        case .end(let error): return .end(error)
        case .wait, .command, .message: return .end(KeychainError(WireError.unknownCase))
        }
    }

    /// Sends the pending notice, if everything before it was sent.
    ///
    /// - Returns: Whether the connection remains open.
    func sendNotice(_ state: inout State, _ tick: UInt64) -> Bool {
        guard state.pending.isEmpty, let notice = state.notice else { return true }
        state.notice = nil
        state.lastNotice += 1
        guard let frame = try? WireMessage.changed(state.lastNotice, notice).encoded() else { return false }
        return enqueue(frame, in: &state, at: tick)
    }
}
