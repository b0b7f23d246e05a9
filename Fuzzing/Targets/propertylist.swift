// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainPropertyLists

/// A property list from outside, in XML or binary: what passes the check is parsed by both parsers of Foundation.
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
        if (try? container.decode([String: Value].self)) != nil { return }
        if (try? container.decode(Bool.self)) != nil { return }
        if (try? container.decode(Int.self)) != nil { return }
        if (try? container.decode(Double.self)) != nil { return }
        if (try? container.decode(Date.self)) != nil { return }
        if (try? container.decode(Data.self)) != nil { return }
        _ = try container.decode(String.self)
    }
}
