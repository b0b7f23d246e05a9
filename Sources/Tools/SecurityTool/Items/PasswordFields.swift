// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The attributes given by options.
struct PasswordFields {
    let kind: PasswordKind

    /// The macOS function that would reject an invalid value.
    let function: String

    private(set) var values: [AttributeName: PropertyValue] = [:]

    init(_ kind: PasswordKind, function: String) {
        self.kind = kind
        self.function = function
    }

    subscript(name: AttributeName) -> PropertyValue? { values[name] }

    /// Processes an option; a later one with the same letter wins.
    ///
    /// - Returns: Whether it represents an attribute.
    /// - Throws: ``CommandFailure`` for a value that cannot be stored.
    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) -> Bool {
        guard let field = kind.fields.first(where: { $0.letter == option.letter }) else { return false }
        switch field.form {
        case .text: values[field.attribute] = .string(try text(option.value))
        case .bytes: values[field.attribute] = .data(option.value.bytes)
        case .code: values[field.attribute] = .number(.integer(try code(option.value)))
        case .codeText:
            _ = try code(option.value)
            values[field.attribute] = .string(try text(option.value))
        case .port: values[field.attribute] = .number(.integer(try port(option.value)))
        }
        return true
    }

    /// The conditions of a search by these attributes.
    ///
    /// With a complete key, the other attributes are ignored.
    var filter: Conditions {
        let isDecided = kind.uniqueKey.keys.allSatisfy { name in
            values[name].map { kind.isDecisiveWhenEmpty || !$0.isBlank } ?? false
        }
        return conditions(isDecided ? values.filter { kind.uniqueKey.keys.contains($0.key) } : values)
    }

    /// The items that an add would duplicate, by any of these conditions.
    ///
    /// A program rarely passes an option that has a default; an item that lacks it counts as the same.
    var duplicates: [Conditions] {
        let key = kind.uniqueKey.merging(newValues.filter { kind.uniqueKey.keys.contains($0.key) }) { $1 }
        let isAssumed = { (name: AttributeName) in kind.defaults.keys.contains(name) && values[name] == nil }
        let plain = key.merging(kind.uniqueKey.filter { isAssumed($0.key) }) { $1 }
        return (plain == key ? [key] : [key, plain]).map(conditions)
    }

    /// The items that `-U` may update: by the given parts of the key.
    var itemsToUpdate: Conditions { conditions(values.filter { kind.uniqueKey.keys.contains($0.key) }) }

    /// The attributes of a new item.
    var newValues: [AttributeName: PropertyValue] { labelled.merging(kind.defaults) { given, _ in given } }

    /// The attributes that an update changes: all except those by which the item was found.
    var changedValues: [AttributeName: PropertyValue] {
        labelled.filter { !kind.uniqueKey.keys.contains($0.key) }
    }

    /// The given attributes, and the label that an item always gets.
    private var labelled: [AttributeName: PropertyValue] {
        var labelled = values
        if labelled["labl"] == nil { labelled["labl"] = values[kind.subject] }
        return labelled
    }

    private func conditions(_ values: [AttributeName: PropertyValue]) -> Conditions {
        let schema = ItemSchema.of(kind.itemClass)
        var conditions = Conditions()
        for (name, value) in values { conditions.set(name, to: value, by: schema) }
        return conditions
    }

    /// - Throws: `errSecParam` for text that is not UTF-8: the keychain stores strings, and would have to change it.
    private func text(_ word: Word) throws(CommandFailure) -> String {
        guard let text = word.text else { throw CommandFailure(.parameter, in: function) }
        return text
    }

    private func code(_ word: Word) throws(CommandFailure) -> Int64 {
        try FourCharacterCode.bytes(word).reduce(0) { $0 << 8 | Int64($1) }
    }

    private func port(_ word: Word) throws(CommandFailure) -> Int64 {
        guard let port = word.text.flatMap({ UInt16($0) }) else { throw CommandFailure.usage }
        return Int64(port)
    }
}

extension PropertyValue {
    /// Whether this is equivalent to an absent attribute.
    fileprivate var isBlank: Bool { self == .string("") || self == .number(.integer(0)) }
}
