// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts values to the contents of an item and back; its errors name the item.
struct Conversion {
    let operation: KeychainItemError.Operation
    let item: any KeychainItem

    func encode(_ value: some KeychainStorable) throws(KeychainItemError) -> Data {
        do { return try value.keychainRepresentation } catch {
            throw failure(
                .unencodableValue,
                "a value of the type \(type(of: value)) cannot be encoded\(Self.place(error))"
            )
        }
    }

    func value<Value: KeychainStorable>(
        _ type: Value.Type,
        _ contents: ItemContents
    ) throws(KeychainItemError) -> Value {
        guard case .data(let data) = contents else {
            throw failure(.undecodableValue, "the item holds \(contents), not data")
        }
        do { return try type.init(keychainRepresentation: data) } catch {
            throw failure(.undecodableValue, "the stored bytes are no value of the type \(type)\(Self.place(error))")
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

    /// The depth of the failure in the value, and the array indices on the path.
    ///
    /// The text of the error may quote the value, and so may names on the path, which may be keys of a dictionary: they
    /// are omitted.
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
        // A dictionary with number keys also has keys with an intValue, and they are contents; a list's elements are
        // named by their index.
        let indices = path.compactMap { key in
            key.intValue.flatMap { key.stringValue == "Index \($0)" ? "index \($0)" : nil }
        }
        return ", at " + (["depth \(path.count)"] + indices).joined(separator: ", ")
    }
}
