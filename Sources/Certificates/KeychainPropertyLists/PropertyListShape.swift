// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Checks an untrusted property list before Foundation parses it.
///
/// Foundation has two parsers: `PropertyListSerialization` and `PropertyListDecoder`. Both use stack for each level of
/// nesting and follow every reference of a binary list, even in cycles; and an integer in XML that is not UTF-8 ends
/// the process. The old text format, which they also read, is refused, because it is no longer written. So is a text
/// with more consecutive combining marks than ``CombiningMarks/maximumConsecutive``, because the parsers already
/// compare the keys of dictionaries.
package enum PropertyListShape {
    /// The maximum nesting of elements, including the one around the list.
    ///
    /// Entitlements are four levels deep, trust settings eight.
    static let maximumLevels = 32

    /// Whether bytes are a property list, in XML or binary, that can be parsed safely; its values are not examined.
    package static func isHarmless(_ data: Data) -> Bool {
        let bytes = Array(data)
        return bytes.starts(with: BinaryPropertyListShape.signature)
            ? BinaryPropertyListShape.isHarmless(bytes) : XMLPropertyListShape.isHarmless(bytes)
    }

    /// The same for a list that must be XML.
    package static func isHarmlessXML(_ data: Data) -> Bool { XMLPropertyListShape.isHarmless(Array(data)) }
}
