// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Replaces secrets in a stream of bytes.
///
/// It looks at each byte once for each secret (Knuth, Morris and Pratt), whatever the stream repeats. Occurrences that
/// overlap are masked as one.
struct SecretMask {
    private var secrets: [MaskedSecret]

    /// Which bytes a secret begins with.
    private let begins: [Bool]

    /// The bytes that may belong to a secret, and the offset of the first in the stream.
    private var held: [UInt8] = []
    private var heldStart = 0

    /// The occurrences that are not shown yet, which do not overlap, in the order of the stream.
    private var found: [Range<Int>] = []

    /// The end of the last occurrence for which a mask was shown.
    private var maskedEnd = 0

    private static let mask = Array("********".utf8)

    init(_ secrets: [SecretBytes]) {
        let secrets = secrets.map(\.unprotectedCopy).filter { !$0.isEmpty }
        var begins = [Bool](repeating: false, count: 1 << UInt8.bitWidth)
        for secret in secrets { begins[Int(secret[0])] = true }
        (self.secrets, self.begins) = (secrets.map(MaskedSecret.init), begins)
    }

    /// What can be shown after these bytes.
    mutating func next(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        var bytes = bytes[...]
        while !bytes.isEmpty {
            if held.isEmpty {
                let plain = bytes.prefix { !begins[Int($0)] }
                shown += plain
                heldStart += plain.count
                bytes = bytes.dropFirst(plain.count)
            }
            guard let byte = bytes.popFirst() else { break }
            held.append(byte)
            let end = heldStart + held.count
            var longest = 0
            for index in secrets.indices {
                if secrets[index].advance(by: byte) { add(end - secrets[index].count..<end) }
                longest = max(longest, secrets[index].matched)
            }
            if held.count > 2 * longest + Self.enough || longest == 0 { release(upTo: end - longest, into: &shown) }
        }
        let longest = secrets.map(\.matched).max() ?? 0
        release(upTo: heldStart + held.count - longest, into: &shown)
        return shown
    }

    /// What can be shown at the end.
    mutating func rest() -> [UInt8] {
        var shown: [UInt8] = []
        release(upTo: heldStart + held.count, into: &shown)
        return shown
    }

    /// How many bytes are shown at a time, so that the others are seldom moved.
    private static let enough = 4_096

    /// Adds an occurrence, which ends where no other one does yet.
    private mutating func add(_ occurrence: Range<Int>) {
        var start = occurrence.lowerBound
        while let last = found.last, last.upperBound > start {
            start = min(start, last.lowerBound)
            found.removeLast()
        }
        found.append(start..<occurrence.upperBound)
    }

    /// Shows what is held before an offset at which no occurrence can begin earlier.
    private mutating func release(upTo limit: Int, into shown: inout [UInt8]) {
        var position = heldStart
        var used = 0
        for occurrence in found {
            guard occurrence.lowerBound < limit else { break }
            if position < occurrence.lowerBound {
                shown += held[position - heldStart..<occurrence.lowerBound - heldStart]
            }
            // One that goes on has its mask.
            if occurrence.lowerBound >= maskedEnd { shown += Self.mask }
            maskedEnd = occurrence.upperBound
            position = max(position, min(maskedEnd, limit))
            if occurrence.upperBound <= limit { used += 1 }
        }
        found.removeFirst(used)
        if position < limit {
            shown += held[position - heldStart..<limit - heldStart]
            position = limit
        }
        held.removeFirst(position - heldStart)
        heldStart = position
    }
}

/// A secret, and how much of it the end of a stream is.
private struct MaskedSecret {
    private let bytes: [UInt8]

    /// For each length of a beginning: the length of the longest other beginning that it ends with.
    private let borders: [Int]

    /// The length of the longest beginning of the secret, not all of it, that the stream ends with.
    private(set) var matched = 0

    var count: Int { bytes.count }

    init(_ bytes: [UInt8]) {
        var borders = [0, 0]
        var border = 0
        for byte in bytes.dropFirst() {
            while border > 0, bytes[border] != byte { border = borders[border] }
            if bytes[border] == byte { border += 1 }
            borders.append(border)
        }
        (self.bytes, self.borders) = (bytes, borders)
    }

    /// Goes on by a byte; whether an occurrence ends with it.
    mutating func advance(by byte: UInt8) -> Bool {
        while matched > 0, bytes[matched] != byte { matched = borders[matched] }
        if bytes[matched] == byte { matched += 1 }
        guard matched == bytes.count else { return false }
        matched = borders[matched]
        return true
    }
}
