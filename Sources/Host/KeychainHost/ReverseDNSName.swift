// SPDX-License-Identifier: Apache-2.0

/// Names in reverse DNS notation: of programs, and of their bundles.
package enum ReverseDNSName {
    /// The number of labels of a name; `nil` unless each consists of ASCII letters, digits and hyphens, and begins with
    /// no hyphen.
    package static func labelCount(_ name: some Sequence<UInt8>) -> Int? {
        let labels = Array(name).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isValid = labels.allSatisfy { label in
            label.first.map { $0 != UInt8(ascii: "-") } ?? false && label.allSatisfy(isAllowed)
        }
        return isValid ? labels.count : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
