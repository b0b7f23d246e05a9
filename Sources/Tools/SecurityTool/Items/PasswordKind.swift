// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A kind of password item: the options for its attributes, and its names on macOS.
struct PasswordKind: Sendable {
    let itemClass: ItemClass

    /// The options that set or match an attribute.
    let fields: [Field]

    /// The attributes that distinguish two items of a keychain, and the defaults of absent ones.
    ///
    /// With a filter that names all of them, all others are ignored; an empty value names nothing.
    let uniqueKey: [AttributeName: PropertyValue]

    /// Whether an empty value still names an attribute of the key.
    let isDecisiveWhenEmpty: Bool

    /// The attribute that serves as the label of an item without one.
    let subject: AttributeName

    /// The default attributes of an item.
    let defaults: [AttributeName: PropertyValue]

    /// The options whose value is a password.
    let passwordLetters: Set<Character>

    /// The macOS function that adds.
    let addFunction: String

    let addOptions: OptionSyntax
    let findOptions: OptionSyntax
    let deleteOptions: OptionSyntax

    /// An option that represents an attribute.
    struct Field: Sendable {
        let letter: Character
        let attribute: AttributeName
        let form: Form

        init(_ letter: Character, _ attribute: AttributeName, form: Form = .text) {
            self.letter = letter
            self.attribute = attribute
            self.form = form
        }
    }

    /// The conversion of an option's value.
    enum Form {
        case text
        /// Bytes as they are.
        case bytes
        /// Four characters, kept as a number.
        case code
        /// Four characters, stored as a string, like the constants of Apple's API.
        case codeText
        /// A 16-bit number.
        case port
    }

    /// The options that prompt for a password if they are the last word.
    static let promptLetters: Set<UInt8> = [UInt8(ascii: "w"), UInt8(ascii: "p")]

    /// The name of a keychain in messages about adding.
    func subjectOfMessage(_ operand: Word?) -> ByteText {
        switch itemClass {
        case .internetPassword: operand.map { "\($0)" } ?? "<NULL>"
        default: operand.map { "(\($0))" } ?? "(<default>)"
        }
    }

    private static func uniqueKey(of itemClass: ItemClass) -> [AttributeName: PropertyValue] {
        let columns = ItemSchema.of(itemClass).identifyingColumns
        return Dictionary(
            uniqueKeysWithValues: columns.compactMap { column in
                column.defaultValue.map { (column.name, $0.property) }
            }
        )
    }

    private static let common = [
        Field("a", .account), Field("c", "crtr", form: .code), Field("C", "type", form: .code), Field("D", "desc"),
        Field("j", "icmt"), Field("l", "labl"),
    ]

    static let generic = PasswordKind(
        itemClass: .genericPassword,
        fields: common + [Field("s", .service), Field("G", "gena", form: .bytes)],
        uniqueKey: uniqueKey(of: .genericPassword),
        isDecisiveWhenEmpty: true,
        subject: .service,
        defaults: [:],
        passwordLetters: ["w", "p"],
        addFunction: "SecKeychainItemCreateFromContent",
        addOptions: OptionSyntax(":a:s:w:p:X:c:C:D:G:j:l:UAT:h", secrets: "wpX"),
        findOptions: "ha:c:C:D:G:j:l:s:gw",
        deleteOptions: "ha:c:C:D:G:j:l:s:g"
    )

    static let internet = PasswordKind(
        itemClass: .internetPassword,
        fields: common + [
            Field("s", .server), Field("d", "sdmn"), Field("p", "path"), Field("P", "port", form: .port),
            Field("r", "ptcl", form: .codeText), Field("t", "atyp", form: .codeText),
        ],
        uniqueKey: uniqueKey(of: .internetPassword),
        isDecisiveWhenEmpty: false,
        subject: .server,
        defaults: ["atyp": .string("dflt")],
        passwordLetters: ["w"],
        addFunction: "SecKeychainAddInternetPassword",
        addOptions: OptionSyntax(":a:s:w:X:c:C:d:D:j:l:p:P:r:t:UAT:h", secrets: "wX"),
        findOptions: "ha:c:C:d:D:j:l:p:P:r:s:t:gw",
        deleteOptions: "ha:c:C:d:D:j:l:p:P:r:s:t:g"
    )
}
