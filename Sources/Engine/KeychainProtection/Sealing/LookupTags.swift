// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Computes the tags by which items are found by their lookup attributes (Documentation/Format.md, "Lookup
/// attributes").
///
/// As search tags, but under a key of their own, so that no input of one is an input of the other.
package struct LookupTags {
    private let keyed: KeyedHash

    init(_ indexKey: LockedKey, of storeIdentifier: Bytes16) {
        keyed = KeyedHash(KeyDerivation.derive("lookup tags", from: indexKey, context: storeIdentifier.bytes))
    }

    private enum Kind: UInt8 {
        case pair = 0x50
        case whole = 0x57
    }

    /// The tag of a name with its value, of an item of a class.
    package func tag(_ pair: LookupAttributes.Pair, in itemClass: ItemClass) -> SearchTag {
        tag(.pair, in: itemClass) { input in input.append(pair) }
    }

    /// The tag of all lookup attributes of an item of a class.
    package func wholeTag(_ attributes: LookupAttributes, in itemClass: ItemClass) -> SearchTag {
        tag(.whole, in: itemClass) { input in
            input.append(littleEndian: UInt32(truncatingIfNeeded: attributes.count))
            for pair in attributes.pairs { input.append(pair) }
        }
    }

    private func tag(_ kind: Kind, in itemClass: ItemClass, _ append: (inout [UInt8]) -> Void) -> SearchTag {
        var input = [kind.rawValue]
        input.appendText(itemClass.rawValue)
        append(&input)
        var hash = keyed
        hash.update(input)
        guard let tag = hash.finalize().withUnsafeBytes({ SearchTag($0) }) else {
            preconditionFailure("HMAC-SHA-256 has 32 bytes")
        }
        return tag
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ pair: LookupAttributes.Pair) {
        appendText(pair.name)
        appendText(pair.value)
    }
}
