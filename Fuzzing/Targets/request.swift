// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// Dictionaries of the four item functions, made from the input, on a keychain with a witness.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(UnsafeBufferPointer(start: bytes, count: count))
    let client = Client(accessGroups: ["a", "b"], profile: input.byte() % 2 == 0 ? .iOS : .macOS)
    while !input.isEmpty {
        _ = try? witnessed.keychain.perform(KeychainRequest(input.operation(), client: client))
    }
    witnessed.check()
    return 0
}

private let witnessed = WitnessedKeychain()

private struct Input {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func operation() -> KeychainRequest.Operation {
        switch byte() % 4 {
        case 0: .add(dictionary())
        case 1: .copyMatching(dictionary())
        case 2: .update(dictionary(), attributes: dictionary())
        default: .delete(dictionary())
        }
    }

    private mutating func dictionary() -> PropertyDictionary {
        var dictionary = PropertyDictionary([:] as [String: PropertyValue])
        for _ in 0..<(byte() % 8) { dictionary[key()] = value() }
        return dictionary
    }

    private mutating func key() -> String {
        let choice = Int(byte())
        return choice < Self.keys.count ? Self.keys[choice] : text()
    }

    private mutating func value() -> PropertyValue {
        switch byte() % 10 {
        case 0: .null
        case 1: .boolean(byte() % 2 == 0)
        case 2: .number(.integer(Int64(Int8(bitPattern: byte()))))
        case 3: .number(.real(Double(byte()) / 3))
        case 4, 5: .string(Self.values[Int(byte()) % Self.values.count])
        case 6: .string(text())
        case 7: .data(SecretBytes(Array(text().utf8)))
        case 8: .date(Timestamp(secondsSinceReferenceDate: Double(byte())))
        default: .object("object")
        }
    }

    private mutating func text() -> String {
        let count = Int(byte() % 24)
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    private static let keys =
        ConstantTable.rows.map(\.value).filter { $0.count < 12 }
        + ItemClass.stored.flatMap { ItemSchema.of($0).columns.map(\.name.description) }
    private static let values = ConstantTable.rows.map(\.value)
}
