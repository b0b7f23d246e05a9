// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// Who makes room when programs hold too much.
extension BusLoop {
    /// Who holds something, so that it can make room.
    private enum Holder {
        case connection(BusConnection)
        /// What a connection that has ended has left for others.
        case left(SentMessages)

        var process: Int32 {
            switch self {
            case .connection(let connection): connection.peer.process
            case .left(let sent): sent.process
            }
        }

        /// Of several that hold the same, the one that connected first makes room.
        var number: UInt64 {
            if case .connection(let connection) = self { connection.number } else { 0 }
        }
    }

    /// Who holds most of something of the process that holds the most of it; `nil` if nobody holds more than `least`.
    private func most(
        besides spared: BusConnection?,
        holding least: Int,
        of connectionCount: (BusConnection) -> Int,
        _ leftCount: (SentMessages) -> Int
    ) -> Holder? {
        var held: [(holder: Holder, count: Int)] = []
        for connection in connections.values where connection !== spared && !connection.isService {
            held.append((.connection(connection), connection.isEnding ? 0 : connectionCount(connection)))
        }
        for (sent, _) in left { held.append((.left(sent), leftCount(sent))) }
        held.removeAll { $0.count <= least }
        var ofProcess: [Int32: Int] = [:]
        for (holder, count) in held { ofProcess[holder.process, default: 0] += count }
        return held.max { left, right in
            (ofProcess[left.holder.process, default: 0], left.count, right.holder.number)
                < (ofProcess[right.holder.process, default: 0], right.count, left.holder.number)
        }?.holder
    }

    private func makeRoom(_ holder: Holder) {
        switch holder {
        case .connection(let connection):
            connection.abandon()
            endLater(connection)
            takeBack(connection.sent)
        case .left(let sent):
            left.removeAll { $0.sent === sent }
            takeBack(sent)
        }
    }

    /// Ends connections that hold many bytes, one of the process that holds the most first.
    ///
    /// - Returns: Whether there is room then, or a message of the service is read, which has to go on: it sends what
    ///   programs have asked for.
    func makeRoom(for bytes: Int) -> Bool {
        while !memory.hasRoom(for: bytes) {
            let most = most(besides: served, holding: BusBody.uncounted, of: { $0.heldBytes }, { $0.byteCount })
            guard let most else { return served?.isService ?? false }
            makeRoom(most)
        }
        return true
    }

    /// Ends a connection that has sent many descriptors, if there are too many.
    ///
    /// - Returns: Whether the connection that sends now is none of those.
    func makeDescriptorRoom(for connection: BusConnection) -> Bool {
        let counts = closer.counts
        // Their closes may take long, and others' are behind them.
        guard counts.closing <= 3 * options.maximumHeldDescriptors else { return false }
        guard counts.held > options.maximumHeldDescriptors else { return true }
        let most = most(besides: nil, holding: 0, of: { $0.heldDescriptorCount }, { $0.descriptorCount })
        guard let most else { return true }
        if case .connection(let other) = most, other === connection { return false }
        makeRoom(most)
        return true
    }

    // MARK: - Answers that nobody reads

    /// Ends connections that have read little of the service's answers for a while, while all programs together have
    /// left too many unread: other programs get none then.
    func endNeglectful() {
        while hasMuchUnread {
            let most = most(besides: nil, holding: BusBody.uncounted, of: { $0.neglectedByteCount }, { _ in 0 })
            guard let most else { return }
            makeRoom(most)
        }
    }

    /// When the next one has had the time to read; `nil` while there is room.
    var nextNeglect: Deadline? {
        guard hasMuchUnread else { return nil }
        return connections.values.filter { !$0.isService && $0.unreadByteCount > BusBody.uncounted }
            .compactMap(\.readDeadline).min { $0.waitMilliseconds < $1.waitMilliseconds }
    }

    private var hasMuchUnread: Bool {
        // It counts what programs have sent, too; the rest is looked at then only.
        guard memory.count > options.maximumUnreadBytes else { return false }
        let unread = connections.values.reduce(0) { $0 + ($1.isService || $1.isEnding ? 0 : $1.unreadByteCount) }
        return unread > options.maximumUnreadBytes
    }
}
