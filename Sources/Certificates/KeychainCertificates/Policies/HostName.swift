// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The destination of a client's connection: an address, or a name as lower-case labels.
///
/// Names are compared in their ASCII form; they are not converted to it.
package enum HostName: Hashable {
    case address([UInt8])
    case name([[UInt8]])

    package init(_ text: String) {
        let bytes = text.utf8
        let isBracketed = bytes.count > 1 && bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        let bare = isBracketed ? String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) : text
        if let bytes = Self.address(bare, family: AF_INET, count: 4)
            ?? Self.address(bare, family: AF_INET6, count: 16)
        {
            self = .address(bytes)
        } else {
            self = .name(Self.labels(bare.utf8[...]))
        }
    }

    /// Whether a name in a certificate matches a host.
    ///
    /// A wildcard is the whole left-most label, matches one label, and is followed by at least two.
    static func matches(pattern: String, _ host: [[UInt8]]) -> Bool {
        let pattern = labels(pattern.utf8[...])
        guard pattern.count == host.count, !host.contains([]), !pattern.contains([]) else { return false }
        guard pattern[0] == [UInt8(ascii: "*")] else { return pattern == host }
        return pattern.count >= 3 && pattern.dropFirst() == host.dropFirst()
    }

    /// Whether a host is the domain of a name constraint or below it; every host is below an empty one (RFC 5280,
    /// section 4.2.1.10).
    static func isWithin(_ domain: String, _ host: [[UInt8]]) -> Bool {
        // A leading period occurs, although the standard does not permit it; it means the names below the domain.
        let isBelow = domain.utf8.first == UInt8(ascii: ".")
        let labels = labels(domain.utf8.dropFirst(isBelow ? 1 : 0))
        guard labels != [[]] else { return true }
        return host.suffix(labels.count) == labels[...] && host.count >= labels.count + (isBelow ? 1 : 0)
    }

    /// Whether a text can be the name of a host: labels of letters, digits, `-`, `_` and `*`, none empty, longer than
    /// 63 or with a `-` at an end; an address or a trailing dot is not permitted.
    static func isPossible(_ text: String) -> Bool {
        guard address(text, family: AF_INET, count: 4) == nil else { return false }
        let hyphen = UInt8(ascii: "-")
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen, UInt8(ascii: "_"), UInt8(ascii: "*"):
                        true
                    default: false
                    }
                }
        }
    }

    /// The labels of a name, without the empty one of the root; one empty label for an empty name.
    private static func labels(_ name: Substring.UTF8View) -> [[UInt8]] {
        let bytes = ASCII.lowercased(Substring(name.last == UInt8(ascii: ".") ? name.dropLast() : name))
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    }

    private static func address(_ text: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        // In C, a text ends at a zero.
        guard !text.utf8.contains(0), inet_pton(family, text, &bytes) == 1 else { return nil }
        return bytes
    }
}
