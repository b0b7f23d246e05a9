// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A reference to a part of a password, for files and environments: `keychain://SERVICE/ACCOUNT?FIELD`, a URI
/// (RFC 3986).
///
///     reference = "keychain://" service [ "/" account ] [ "?" parameter *( "&" parameter ) ]
///     parameter = field / "class=" ( "generic" / "internet" ) / "group=" group
///               / "synchronizable=" ( "yes" / "no" ) / part "=" text
///     part      = "protocol" / "port" / "path" / "domain" / "authentication"
///
/// Service, account, group and texts are percent-encoded: a slash within a service or account is `%2F`. The service is
/// the server of an internet password, and only those have parts. What is missing may be any; what is empty is that of
/// an item without it. One without a service has an account, or an empty one.
struct SecretReference: Hashable, Sendable {
    /// The items that it may mean.
    var choice: ItemChoice

    /// The part of the item.
    var field: ItemField

    /// What it begins with.
    static let prefix = "keychain://"

    /// A reference to a part of an item.
    init(_ choice: ItemChoice, _ field: ItemField = .password) { (self.choice, self.field) = (choice, field) }

    /// Whether a text begins as references do, be it a correct one or not.
    ///
    /// By bytes: with a combining mark behind it, a slash is a part of another character.
    static func isReference(_ text: some StringProtocol) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// Reads a reference.
    ///
    /// - Throws: ``Refusal`` with ``Refusal/Status/usage`` for any other text.
    init(_ text: String) throws(Refusal) {
        guard Self.isReference(text) else { throw Self.failure("begins with '\(Self.prefix)'") }
        let rest = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        let segments = rest[..<mark].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard segments.count <= 2 else { throw Self.failure("has a slash within a name as %2F") }
        let names = try segments.map(Self.decoded)
        guard let service = names.first, names.count > 1 || !service.isEmpty else {
            throw Self.failure("names a service")
        }
        choice = ItemChoice(service: service, account: names.count > 1 ? names[1] : nil)
        field = .password
        guard mark != rest.endIndex else { return }
        var given: Set<String> = []
        for parameter in rest[(mark + 1)...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let sign = parameter.firstIndex(of: UInt8(ascii: "="))
            let name = sign.map { String(decoding: parameter[..<$0], as: UTF8.self) } ?? "field"
            guard given.insert(name).inserted else { throw Self.failure("names a parameter once") }
            try set(name, try Self.decoded(sign.map { parameter[($0 + 1)...] } ?? parameter))
        }
        guard choice.address.isEmpty || choice.itemClass != .genericPassword else {
            throw Self.failure("has \(Self.parts) only with class=internet")
        }
    }

    private mutating func set(_ parameter: String, _ value: String) throws(Refusal) {
        if let part = AddressPart(rawValue: parameter) {
            choice.address[part] = part.normalized(value)
            return
        }
        switch parameter {
        case "field":
            guard let field = ItemField(rawValue: value) else {
                throw Self.failure("has one of the fields \(ItemField.names)")
            }
            self.field = field
        case "class":
            guard let passwordClass = PasswordClass(rawValue: value) else {
                throw Self.failure("has one of the classes generic and internet")
            }
            choice.itemClass = passwordClass.itemClass
        case "group": choice.group = value
        case "synchronizable":
            guard ["yes", "no"].contains(value) else { throw Self.failure("has synchronizable=yes or =no") }
            choice.isSynchronizable = value == "yes"
        default:
            throw Self.failure("has no other parameters than a field, class, group, synchronizable, \(Self.parts)")
        }
    }

    private static let parts = AddressPart.allCases.map(\.rawValue).joined(separator: ", ")

    private static func decoded(_ part: ArraySlice<UInt8>) throws(Refusal) -> String {
        guard let bytes = PercentEncoding.decoded(String(decoding: part, as: UTF8.self)),
            let text = String(validating: bytes.unprotectedCopy, as: UTF8.self)
        else { throw failure("is UTF-8, with two hexadecimal digits after each '%'") }
        return text
    }

    private static func failure(_ rule: String) -> Refusal {
        Refusal("a reference \(rule): \(prefix)SERVICE/ACCOUNT?FIELD", .usage)
    }

    /// The reference as it is read.
    var text: String {
        var text = Self.prefix + PercentEncoding.encoded(choice.service, keeping: "@:")
        if let account = choice.account { text += "/" + PercentEncoding.encoded(account, keeping: "@:") }
        var parameters: [String] = []
        if field != .password { parameters.append(field.rawValue) }
        if let passwordClass = choice.itemClass.flatMap(PasswordClass.init(_:)) {
            parameters.append("class=\(passwordClass.rawValue)")
        }
        if let group = choice.group { parameters.append("group=" + PercentEncoding.encoded(group)) }
        if let flag = choice.isSynchronizable { parameters.append("synchronizable=\(flag ? "yes" : "no")") }
        for part in AddressPart.allCases {
            guard let value = choice.address[part] else { continue }
            parameters.append("\(part.rawValue)=" + PercentEncoding.encoded(value, keeping: "@:/"))
        }
        return parameters.isEmpty ? text : "\(text)?\(parameters.joined(separator: "&"))"
    }
}
