// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainPropertyLists

/// A property list of others, in XML or binary: what is taken for harmless is parsed, by both parsers of Foundation.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Data(bytes: bytes, count: count)
    guard PropertyListShape.isHarmless(input) else { return 0 }
    _ = try? PropertyListDecoder().decode(Value.self, from: input)
    guard let list = try? PropertyListSerialization.propertyList(from: input, format: nil) else { return 0 }
    guard let written = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0) else {
        return 0
    }
    precondition(PropertyListShape.isHarmless(written), "what is written of a harmless list is harmless")
    return 0
}

/// Any value.
private struct Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode([Value].self)) != nil { return }
        if (try? container.decode([String: Value].self)) != nil { return }
        if (try? container.decode(Int.self)) != nil { return }
        if (try? container.decode(Date.self)) != nil { return }
        if (try? container.decode(Data.self)) != nil { return }
        _ = try container.decode(String.self)
    }
}
