// SPDX-License-Identifier: Apache-2.0

/// The names that connections own, and the connections that wait for them (D-Bus Specification, "RequestName").
package struct NameTable {
    /// A connection by its number.
    package typealias Connection = UInt64

    /// How a connection asks for a name.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// The bits of the specification.
        package let rawValue: UInt32

        /// A set of bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Another connection may replace it.
        package static let allowsReplacement = Flags(rawValue: 1)
        /// It replaces an owner that allows that.
        package static let replaces = Flags(rawValue: 2)
        /// It does not wait for the name.
        package static let doesNotWait = Flags(rawValue: 4)
    }

    /// The answer to a request, by its number in the specification.
    package enum Request: UInt32, Sendable, Hashable {
        case owner = 1
        case waiting, taken, alreadyOwner
    }

    /// The answer to a release, by its number in the specification.
    package enum Release: UInt32, Sendable, Hashable {
        case released = 1
        case noSuchName, notOwner
    }

    /// A name that has another owner, or none.
    package struct Change: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The former owner.
        package let old: Connection?
        /// The new one.
        package let new: Connection?
    }

    private struct Claim {
        let connection: Connection
        var flags: Flags
    }

    /// For each name its owner, and behind it those who wait.
    private var claims: [String: [Claim]] = [:]

    /// No names yet.
    package init() {}

    /// The names that are owned.
    package var names: [String] { claims.keys.sorted() }

    /// The owner of a name.
    package func owner(of name: String) -> Connection? { claims[name]?.first?.connection }

    /// The owner of a name, and those who wait for it, in their order.
    package func queue(for name: String) -> [Connection] { claims[name, default: []].map(\.connection) }

    /// How many names a connection owns or waits for.
    package func count(of connection: Connection) -> Int {
        claims.values.count { $0.contains { $0.connection == connection } }
    }

    /// Whether a connection owns a name or waits for it.
    package func has(_ connection: Connection, claimOf name: String) -> Bool {
        claims[name]?.contains { $0.connection == connection } ?? false
    }

    /// Asks for a name.
    package mutating func request(
        _ name: String,
        for connection: Connection,
        _ flags: Flags
    ) -> (result: Request, change: Change?) {
        let claim = Claim(connection: connection, flags: flags)
        var queue = claims[name, default: []]
        defer { claims[name] = queue.isEmpty ? nil : queue }
        guard let owner = queue.first else {
            queue = [claim]
            return (.owner, Change(name: name, old: nil, new: connection))
        }
        if owner.connection == connection {
            queue[0].flags = flags
            return (.alreadyOwner, nil)
        }
        let place = queue.firstIndex { $0.connection == connection }
        if flags.contains(.replaces), owner.flags.contains(.allowsReplacement) {
            if let place { queue.remove(at: place) }
            if owner.flags.contains(.doesNotWait) { queue.removeFirst() }
            queue.insert(claim, at: 0)
            return (.owner, Change(name: name, old: owner.connection, new: connection))
        }
        if flags.contains(.doesNotWait) {
            if let place { queue.remove(at: place) }
            return (.taken, nil)
        }
        if let place { queue[place].flags = flags } else { queue.append(claim) }
        return (.waiting, nil)
    }

    /// Gives up a name, or no longer waits for it.
    package mutating func release(
        _ name: String,
        by connection: Connection
    ) -> (result: Release, change: Change?) {
        guard var queue = claims[name] else { return (.noSuchName, nil) }
        guard let place = queue.firstIndex(where: { $0.connection == connection }) else { return (.notOwner, nil) }
        queue.remove(at: place)
        claims[name] = queue.isEmpty ? nil : queue
        guard place == 0 else { return (.released, nil) }
        return (.released, Change(name: name, old: connection, new: queue.first?.connection))
    }

    /// Gives up all names of a connection that has ended.
    package mutating func releaseAll(of connection: Connection) -> [Change] {
        names.compactMap { release($0, by: connection).change }
    }
}
