// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// What tells internet passwords of one server and account apart, besides access group and synchronization.
///
/// With those it is their primary key (Semantics, "Attributes of each class"). The raw values are the parameters of
/// references.
enum AddressPart: String, CaseIterable, Sendable {
    case scheme = "protocol"
    case port
    case path
    case domain
    case authentication

    private var attribute: AttributeName {
        switch self {
        case .scheme: "ptcl"
        case .port: "port"
        case .path: "path"
        case .domain: "sdmn"
        case .authentication: "atyp"
        }
    }

    /// The text of the part in references and JSON: empty if there is none, `nil` if it is not text.
    func text(of entry: CredentialStore.Entry) -> String? {
        if case .number(let number)? = entry.attributes[attribute.description] {
            return number.exactInteger.map { $0 == 0 ? "" : "\($0)" }
        }
        guard let text = entry.text(attribute) else { return nil }
        guard self == .scheme else { return normalized(text) }
        if let scheme = ServerAddress.scheme(ofCode: text) { return scheme }
        // A program may have stored a scheme in the place of its code, which is another value.
        return ServerAddress.code(ofScheme: text) == nil ? text : "'\(text)'"
    }

    /// A value as ``text(of:)`` has it: ports are numbers, and a protocol may be given by its code.
    func normalized(_ value: String) -> String {
        switch self {
        case .scheme: ServerAddress.scheme(ofCode: value) ?? value
        case .port: Int64(value).map { $0 == 0 ? "" : "\($0)" } ?? value
        case .path, .domain, .authentication: value
        }
    }

    /// The attribute of a new item.
    ///
    /// - Throws: ``Refusal`` for a protocol without a code, or what is no port.
    func attribute(_ value: String) throws(Refusal) -> (name: AttributeName, value: PropertyValue) {
        switch self {
        case .scheme:
            if let code = ServerAddress.code(ofScheme: value) { return (attribute, .string(code)) }
            guard value.utf8.count == 4 else {
                throw Refusal("'\(value.printable)' is no protocol that a new password can have", .usage)
            }
            return (attribute, .string(value))
        case .port:
            guard let port = ServerAddress.port(value) else {
                throw Refusal("'\(value.printable)' is no port", .usage)
            }
            return (attribute, .number(.integer(Int64(port))))
        case .path, .domain, .authentication: return (attribute, .string(value))
        }
    }
}
