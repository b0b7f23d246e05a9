// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainPropertyLists

/// The partition list as programs see it in the description of its ``SecACL``: a property list in hexadecimal with the
/// array `Partitions`.
enum PartitionDescription {
    private static let key = "Partitions"

    /// The text of a list.
    static func text(_ partitions: [String]) -> String {
        let list = [key: partitions]
        // An array of strings has a property list.
        let bytes = (try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)) ?? Data()
        return bytes.hexadecimal
    }

    /// The members of a list as stored in an entry.
    ///
    /// - Throws: `errSecParam` for an invalid text, and for a member that is empty or has a comma or a space, which
    ///   separate members.
    static func members(_ text: String) throws(KeychainError) -> String {
        guard let bytes = [UInt8](hexadecimal: text).map({ Data($0) }), PropertyListShape.isHarmless(bytes) else {
            throw .noPartitionList
        }
        let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        guard let members = list?[key] as? [String],
            members.allSatisfy({ !$0.isEmpty && !$0.contains(",") && !$0.contains(" ") })
        else { throw .noPartitionList }
        return members.joined(separator: AccessEntry.partitionSeparator)
    }
}

extension KeychainError {
    fileprivate static let noPartitionList = KeychainError.parameter(
        "the description of a partition list is a property list in hexadecimal, with an array of texts"
    )
}
