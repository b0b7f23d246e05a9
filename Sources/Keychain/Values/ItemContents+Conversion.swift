// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value on its way into an item, or out of one; what goes wrong is about this item.
struct Conversion {
    let operation: KeychainItemError.Operation
    let item: any KeychainItem

    func encode(_ value: some Encodable, _ encoder: JSONEncoder) throws(KeychainItemError) -> Data {
        do { return try encoder.encode(value) } catch {
            throw failure(
                .unencodableValue,
                "a value of the type \(type(of: value)) cannot be encoded\(Self.place(error))"
            )
        }
    }

    func data(_ contents: ItemContents) throws(KeychainItemError) -> Data {
        guard case .data(let data) = contents else {
            throw failure(.undecodableValue, "the item holds \(contents), and not data")
        }
        return data
    }

    func string(_ contents: ItemContents) throws(KeychainItemError) -> String {
        guard let text = String(data: try data(contents), encoding: .utf8) else {
            throw failure(.undecodableValue, "the stored value is not text in UTF-8")
        }
        return text
    }

    func value<Value: Decodable>(
        _ type: Value.Type,
        _ contents: ItemContents,
        _ decoder: JSONDecoder
    ) throws(KeychainItemError) -> Value {
        let data = try data(contents)
        do { return try decoder.decode(type, from: data) } catch {
            throw failure(.undecodableValue, "the stored value does not decode as \(type)\(Self.place(error))")
        }
    }

    func key<Key: StorableKey>(_ type: Key.Type, _ contents: ItemContents) throws(KeychainItemError) -> Key {
        let data = try data(contents)
        do { return try type.init(keychainRepresentation: data) } catch {
            throw failure(.undecodableValue, "the stored value is no key of the type \(type)")
        }
    }

    func failure(_ kind: KeychainItemError.Kind, _ reason: String) -> KeychainItemError {
        let row = StatusGuide.rows.first { $0.kind == kind }
        return KeychainItemError(
            status: row?.status ?? -1,
            operation: operation,
            item: item,
            kind: kind,
            reason: reason
        )
    }

    /// How deep in the value it went wrong, and at which places of lists.
    ///
    /// The error's own words may quote the value, and so may names on the way, which are the keys of a dictionary: they are left out.
    private static func place(_ error: any Error) -> String {
        let path: [any CodingKey]
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            path = context.codingPath
        case DecodingError.keyNotFound(let key, let context): path = context.codingPath + [key]
        case EncodingError.invalidValue(_, let context): path = context.codingPath
        default: return ""
        }
        guard !path.isEmpty else { return "" }
        // A dictionary by numbers has keys with an intValue, too, and they are contents; a list's are called by their index.
        let indices = path.compactMap { key in
            key.intValue.flatMap { key.stringValue == "Index \($0)" ? "index \($0)" : nil }
        }
        return ", at " + (["depth \(path.count)"] + indices).joined(separator: ", ")
    }
}
