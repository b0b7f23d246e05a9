// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Checks a property list from outside before Foundation parses it.
///
/// Foundation has two parsers: `PropertyListSerialization` and `PropertyListDecoder`. Both take stack for each level of
/// nesting and follow every reference of a binary list, also in circles, and an integer in XML that is no UTF-8 ends
/// the process. The old text format, which they read as well, is refused: nobody writes it any more. So is a text with
/// more combining marks in a row than ``CombiningMarks/mostInARow``: already the keys of a dictionary are compared.
package enum PropertyListShape {
    /// How deep elements may be nested, the one around the list among them.
    ///
    /// Entitlements are four levels deep, trust settings eight.
    static let mostLevels = 32

    /// Whether bytes are a property list, in XML or binary, that can be parsed without harm; what it says is not looked
    /// at.
    package static func isHarmless(_ data: Data) -> Bool {
        let bytes = Array(data)
        return bytes.starts(with: BinaryPropertyListShape.signature)
            ? BinaryPropertyListShape.isHarmless(bytes) : XMLPropertyListShape.isHarmless(bytes)
    }

    /// The same for a list that has to be in XML.
    package static func isHarmlessXML(_ data: Data) -> Bool { XMLPropertyListShape.isHarmless(Array(data)) }
}
