// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// The keys of a circle in an engine (Documentation/SyncFormat.md, "In the engine").
package struct CirclePaths: Sendable {
    /// The zone.
    package let place: SyncPlace

    /// The keys of a zone, and of its circle.
    package init(_ place: SyncPlace) { self.place = place }

    private var root: String { "swift-keychain/0/\(place.circle.digits)" }
    private var zone: String { "\(root)/z/\(place.zone.digits)" }

    /// A membership entry.
    package func entry(_ sequence: UInt64) -> EngineKey { EngineKey("\(root)/m/\(sequence.digits)") }

    /// The membership entries from one on.
    package func entries(from sequence: UInt64) -> EngineRange {
        EngineRange(folder: "\(root)/m", from: entry(sequence))
    }

    /// A commit.
    package func commit(_ number: UInt64) -> EngineKey { EngineKey("\(zone)/c/\(number.digits)") }

    /// The commits from one on.
    package func commits(from number: UInt64) -> EngineRange {
        EngineRange(folder: "\(zone)/c", from: commit(number))
    }

    /// A record.
    package func record(_ slot: Bytes16) -> EngineKey { EngineKey("\(zone)/r/\(slot.digits)") }

    /// All records.
    package var records: EngineRange { EngineRange(folder: "\(zone)/r") }

    /// The box of a member or a recipient.
    package func box(_ epoch: UInt32, for identifier: Bytes16) -> EngineKey {
        EngineKey("\(zone)/k/\(UInt64(epoch).digits)/\(identifier.digits)")
    }

    /// The beacon of a member.
    package func beacon(_ identifier: Bytes16) -> EngineKey { EngineKey("\(zone)/d/\(identifier.digits)") }

    /// All beacons.
    package var beacons: EngineRange { EngineRange(folder: "\(zone)/d") }

    /// The slot of a record's key; `nil` for another key.
    func slot(_ key: EngineKey) -> Bytes16? {
        guard let name = key.text.split(separator: "/").last else { return nil }
        let digits = Array(name.utf8)
        guard digits.count == 2 * Bytes16.count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        guard let slot = Bytes16(bytes), record(slot) == key else { return nil }
        return slot
    }
}

extension Bytes16 {
    /// Lower-case hexadecimal digits.
    var digits: String { bytes.map { UInt64($0).digits(2) }.joined() }
}

extension UInt64 {
    /// Sixteen hexadecimal digits, whose order is that of the numbers.
    fileprivate var digits: String { digits(16) }

    fileprivate func digits(_ count: Int) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: count - text.count) + text
    }
}
