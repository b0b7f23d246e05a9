// SPDX-License-Identifier: Apache-2.0

/// A key of an engine; ASCII in the format of synchronization.
package struct EngineKey: Sendable, Hashable, Comparable {
    /// The text.
    package let text: String

    /// A key.
    package init(_ text: String) { self.text = text }

    /// The order of ASCII, which is that of the bytes.
    package static func < (left: EngineKey, right: EngineKey) -> Bool { left.text < right.text }

    /// The first key behind this one.
    package var successor: EngineKey { EngineKey(text + "\0") }
}

/// A point in the history of an engine: each transaction has a greater one.
package struct EnginePosition: Sendable, Hashable, Comparable {
    /// The number.
    package let number: UInt64

    /// A position.
    package init(_ number: UInt64) { self.number = number }

    /// The earlier one is less.
    package static func < (left: EnginePosition, right: EnginePosition) -> Bool { left.number < right.number }
}

/// What a key has.
package struct EngineValue: Sendable, Hashable {
    /// The bytes.
    package let bytes: [UInt8]
    /// The position of the transaction that put it: another value has another one.
    package let version: EnginePosition

    /// A value.
    package init(_ bytes: [UInt8], version: EnginePosition) {
        self.bytes = bytes
        self.version = version
    }
}

/// Keys from one on, below another.
package struct EngineRange: Sendable, Hashable {
    /// The first key that is in it.
    package let start: EngineKey
    /// The first key behind it.
    package let end: EngineKey

    /// A range.
    package init(from start: EngineKey, below end: EngineKey) {
        self.start = start
        self.end = end
    }

    /// All keys below a folder, or those from one of them on.
    package init(folder: String, from start: EngineKey? = nil) {
        // The character behind the slash.
        self.init(from: start ?? EngineKey(folder + "/"), below: EngineKey(folder + "0"))
    }

    /// Whether a key is in it.
    package func contains(_ key: EngineKey) -> Bool { start <= key && key < end }

    /// What is left behind a key.
    package func after(_ key: EngineKey) -> EngineRange { EngineRange(from: key.successor, below: end) }
}

/// Values of keys at one position.
package struct EngineSnapshot: Sendable, Hashable {
    /// The position.
    package let position: EnginePosition
    /// The values of the keys that have one.
    package let values: [EngineKey: EngineValue]

    /// A snapshot.
    package init(position: EnginePosition, values: [EngineKey: EngineValue]) {
        self.position = position
        self.values = values
    }
}

/// A key with its value.
package struct EngineEntry: Sendable, Hashable {
    /// The key.
    package let key: EngineKey
    /// The value.
    package let value: EngineValue

    /// An entry.
    package init(key: EngineKey, value: EngineValue) {
        self.key = key
        self.value = value
    }
}

/// A part of a range.
package struct EnginePage: Sendable, Hashable {
    /// The position.
    package let position: EnginePosition
    /// The first entries of the range, in order.
    package let entries: [EngineEntry]
    /// Whether there are more behind them.
    package let hasMore: Bool

    /// A page.
    package init(position: EnginePosition, entries: [EngineEntry], hasMore: Bool) {
        self.position = position
        self.entries = entries
        self.hasMore = hasMore
    }
}

/// Changes of several keys that happen together or not at all.
package struct EngineTransaction: Sendable, Hashable {
    /// What must hold.
    package enum Condition: Sendable, Hashable {
        /// The key has no value.
        case absent(EngineKey)
        /// The key has the value of this version.
        case unchanged(EngineKey, EnginePosition)

        var key: EngineKey {
            switch self {
            case .absent(let key), .unchanged(let key, _): key
            }
        }
    }

    /// A value that is put.
    package struct Put: Sendable, Hashable {
        /// The key.
        package let key: EngineKey
        /// The bytes.
        package let bytes: [UInt8]
        /// How long it stays; `nil` for ever.
        package let lifetime: Duration?

        /// A value that is put.
        package init(_ key: EngineKey, _ bytes: [UInt8], lifetime: Duration? = nil) {
            self.key = key
            self.bytes = bytes
            self.lifetime = lifetime
        }
    }

    /// What must hold, all of it.
    package var conditions: [Condition]
    /// What is put.
    package var puts: [Put]
    /// What is deleted.
    package var deletes: [EngineKey]

    /// A transaction.
    package init(conditions: [Condition] = [], puts: [Put] = [], deletes: [EngineKey] = []) {
        self.conditions = conditions
        self.puts = puts
        self.deletes = deletes
    }

    /// Whether it fits.
    package func fits(_ limits: EngineLimits) -> Bool {
        conditions.count + puts.count + deletes.count <= limits.operationCount
            && puts.allSatisfy { $0.bytes.count <= limits.valueByteCount }
            && puts.reduce(0) { $0 + $1.bytes.count } <= limits.transactionByteCount
    }

    /// Whether no key is changed twice.
    package var isConsistent: Bool {
        let changed = puts.map(\.key) + deletes
        return Set(changed).count == changed.count
    }
}

/// What became of a transaction.
package enum EngineOutcome: Sendable, Hashable {
    /// It happened, at this position.
    case committed(EnginePosition)
    /// A condition did not hold; nothing was changed.
    case conflict
}

/// A transaction that happened, as far as it concerns a range.
package struct EngineBatch: Sendable, Hashable {
    /// Its position.
    package let position: EnginePosition
    /// The keys of the range that it changed, with their bytes; `nil` for a deleted or expired one.
    package let changes: [EngineKey: [UInt8]?]

    /// A transaction.
    package init(position: EnginePosition, changes: [EngineKey: [UInt8]?]) {
        self.position = position
        self.changes = changes
    }
}
