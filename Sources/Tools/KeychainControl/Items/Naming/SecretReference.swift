// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A reference to a part of a password, for files and environments: `keychain://SERVICE/ACCOUNT?FIELD`, a URI
/// (RFC 3986).
///
///     reference = "keychain://" service [ "/" account ] [ "?" parameter *( "&" parameter ) ]
///     parameter = field / "class=" ( "generic" / "internet" ) / "group=" group
///
/// Service, account and group are percent-encoded: a slash within one of them is `%2F`. The service is the server of an
/// internet password. An account that is missing may be any; one that is empty is that of an item without an account.
struct SecretReference: Hashable, Sendable {
    /// The items that it may mean.
    var choice: ItemChoice

    /// The part of the item.
    var field: ItemField

    /// What it begins with.
    static let prefix = "keychain://"

    /// A reference to a part of an item.
    init(_ choice: ItemChoice, _ field: ItemField = .password) { (self.choice, self.field) = (choice, field) }

    /// Reads a reference.
    ///
    /// - Throws: ``Refusal`` with ``Refusal/Status/usage`` for any other text.
    init(_ text: String) throws(Refusal) {
        guard text.hasPrefix(Self.prefix) else { throw Self.failure("begins with '\(Self.prefix)'") }
        let rest = text.dropFirst(Self.prefix.count)
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let segments = rest[..<mark].split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count <= 2 else { throw Self.failure("has a slash within a name as %2F") }
        let names = try segments.map(Self.decoded)
        guard let service = names.first, !service.isEmpty else { throw Self.failure("names a service") }
        choice = ItemChoice(service: service, account: names.count > 1 ? names[1] : nil)
        field = .password
        guard mark != rest.endIndex else { return }
        var given: Set<Substring> = []
        for parameter in rest[rest.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false) {
            let sign = parameter.firstIndex(of: "=")
            let name = sign.map { parameter[..<$0] } ?? "field"
            guard given.insert(name).inserted else { throw Self.failure("names a parameter once") }
            let value = try Self.decoded(sign.map { parameter[parameter.index(after: $0)...] } ?? parameter)
            switch name {
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
            default: throw Self.failure("has no other parameters than a field, class and group")
            }
        }
    }

    private static func decoded(_ part: Substring) throws(Refusal) -> String {
        guard let bytes = PercentEncoding.decoded(part),
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
        return parameters.isEmpty ? text : "\(text)?\(parameters.joined(separator: "&"))"
    }
}
