// SPDX-License-Identifier: Apache-2.0

/// The conditions of a search of file-based keychains on items of a class: values of attributes, compared as a whole.
///
/// The item functions, `security` and the doctor all use this rule (Semantics, "File-based keychains here").
package struct FileItemConditions: Sendable, Hashable {
    /// The class.
    package let itemClass: ItemClass

    /// The values; `nil` stands for an empty one.
    package var values: [AttributeName: AttributeValue?]

    /// Conditions; without values, every item of the class meets them.
    package init(_ itemClass: ItemClass, _ values: [AttributeName: AttributeValue?] = [:]) {
        self.itemClass = itemClass
        self.values = values
    }

    /// Returns the form in which two values of an attribute are compared, if that is not the value itself.
    package typealias Normalization = (AttributeName, AttributeValue) -> AttributeValue

    /// Whether an item has each of the values.
    ///
    /// - Parameters:
    ///   - item: the item; one with damaged attributes has none.
    ///   - normalize: for names in certificates, which have more than one form.
    /// - Returns: Whether it has; never for an item of another class.
    package func areMet(by item: KeychainFileItem, normalize: Normalization = { $1 }) -> Bool {
        guard item.itemClass == itemClass, !item.isUnreadable else { return false }
        let schema = ItemSchema.of(itemClass)
        return values.allSatisfy { name, value in
            guard let column = schema[name] else { return true }
            let stored = item.attributes[name.description].flatMap { try? column.coerce($0) }
            return Self.isMet(value.map { normalize(name, $0) }, by: stored.map { normalize(name, $0) }, column)
        }
    }

    /// Whether a stored value equals the requested one: empty, 0 and absent are the same.
    package static func isMet(_ value: AttributeValue?, by stored: AttributeValue?, _ column: Column) -> Bool {
        guard let value, !value.isBlank else { return stored?.isBlank ?? true }
        return stored.map { column.isEqual($0, value) } ?? false
    }
}

extension [KeychainFileItem] {
    /// The items that meet conditions.
    package func matching(
        _ conditions: FileItemConditions,
        normalize: FileItemConditions.Normalization = { $1 }
    ) -> [KeychainFileItem] {
        filter { conditions.areMet(by: $0, normalize: normalize) }
    }

    /// Whether there are items of a class with damaged attributes, each of which may be the requested one.
    package func hasUnreadable(_ itemClass: ItemClass) -> Bool {
        contains { $0.itemClass == itemClass && $0.isUnreadable }
    }
}

extension AttributeValue {
    /// Whether it is what an absent attribute amounts to.
    fileprivate var isBlank: Bool {
        switch self {
        case .string(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        case .number(let number): number.exactInteger == 0
        case .date, .accessControl: false
        }
    }
}
