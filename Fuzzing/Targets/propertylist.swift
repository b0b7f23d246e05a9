// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

@testable import KeychainPropertyLists

/// A property list from outside, in XML or binary: what passes the check is parsed by both parsers of Foundation, and
/// no text in it has too many combining marks in a row.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Data(bytes: bytes, count: count)
    guard PropertyListShape.isHarmless(input) else { return 0 }
    _ = try? PropertyListDecoder().decode(Value.self, from: input)
    _ = try? PropertyListSerialization.propertyList(from: input, format: nil)
    return 0
}

/// Any value.
private struct Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode([Value].self)) != nil { return }
        if let members = try? container.decode([String: Value].self) {
            precondition(!members.keys.contains(where: \.hasTooManyMarks), "a key of too many marks")
            return
        }
        if (try? container.decode(Bool.self)) != nil { return }
        if (try? container.decode(Int.self)) != nil { return }
        if (try? container.decode(Double.self)) != nil { return }
        if (try? container.decode(Date.self)) != nil { return }
        if (try? container.decode(Data.self)) != nil { return }
        let text = try container.decode(String.self)
        precondition(!text.hasTooManyMarks, "a text of too many marks")
    }
}
