// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Replaces secrets in a stream of bytes.
struct SecretMask {
    /// The longest first: one may be a part of another.
    private let secrets: [[UInt8]]

    /// Which bytes a secret begins with.
    private let begins: [Bool]

    /// The bytes that may be the beginning of a secret.
    private var held: [UInt8] = []

    private static let mask = Array("********".utf8)

    init(_ secrets: [SecretBytes]) {
        let secrets = secrets.map(\.unprotectedCopy).filter { !$0.isEmpty }.sorted { $0.count > $1.count }
        var begins = [Bool](repeating: false, count: 1 << UInt8.bitWidth)
        for secret in secrets { begins[Int(secret[0])] = true }
        (self.secrets, self.begins) = (secrets, begins)
    }

    /// What can be shown after these bytes.
    mutating func next(_ bytes: some Collection<UInt8>) -> [UInt8] {
        held += bytes
        return take(isEnd: false)
    }

    /// What can be shown at the end.
    mutating func rest() -> [UInt8] { take(isEnd: true) }

    private mutating func take(isEnd: Bool) -> [UInt8] {
        var shown: [UInt8] = []
        var position = 0
        while position < held.count {
            let plain = held[position...].prefix { !begins[Int($0)] }
            shown += plain
            position += plain.count
            guard position < held.count else { break }
            let left = held[position...]
            // A secret, or a longer one, may follow.
            if !isEnd, secrets.contains(where: { $0.count > left.count && $0.starts(with: left) }) { break }
            if let secret = secrets.first(where: { left.starts(with: $0) }) {
                shown += Self.mask
                position += secret.count
            } else {
                shown.append(held[position])
                position += 1
            }
        }
        held.removeFirst(position)
        return shown
    }
}
