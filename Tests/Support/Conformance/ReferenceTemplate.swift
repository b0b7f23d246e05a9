// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// A certificate, key or identity that a case embeds, made with the public functions.
indirect enum ReferenceTemplate {
    /// `{"certificate": "base64 DER"}`.
    case certificate(Data)
    /// `{"key": {"data": "base64", "type": NAME, "class": NAME}}`.
    case key(Data, type: String, keyClass: String)
    /// `{"identity": {"certificate": "base64 DER", "key": {...}}}`.
    case identity(certificate: ReferenceTemplate, key: ReferenceTemplate)
}

// MARK: - From JSON

extension ReferenceTemplate {
    /// Reads the content of a value of one of the three kinds.
    init(_ kind: String, _ content: JSONValue) throws(CaseDefect) {
        switch kind {
        case "certificate": self = .certificate(try ValueTemplate.data(content))
        case "key":
            let members = try content.object("a key")
            try members.allow(only: ["data", "type", "class"], in: "a key")
            self = .key(
                try ValueTemplate.data(members.required("data", of: "a key")),
                type: try SymbolName.constant(members.required("type", of: "a key").string("\"type\"")),
                keyClass: try SymbolName.constant(members.required("class", of: "a key").string("\"class\""))
            )
        default:
            let members = try content.object("an identity")
            try members.allow(only: ["certificate", "key"], in: "an identity")
            self = .identity(
                certificate: try Self("certificate", members.required("certificate", of: "an identity")),
                key: try Self("key", members.required("key", of: "an identity"))
            )
        }
    }
}

// MARK: - To what a caller would pass

extension ReferenceTemplate {
    /// The object.
    func object() throws(CaseDefect) -> AnyObject {
        switch self {
        case .certificate(let data): return try Self.certificate(data)
        case .key(let data, let type, let keyClass): return try Self.key(from: data, type: type, keyClass: keyClass)
        case .identity(let certificate, let key):
            guard let certificate = try certificate.object() as? SecCertificate, let key = try key.object() as? SecKey,
                let identity = SecIdentityCreate(nil, certificate, key)
            else { throw CaseDefect("no identity can be made of the certificate and the key") }
            return identity
        }
    }

    private static func certificate(_ data: Data) throws(CaseDefect) -> SecCertificate {
        guard let certificate = SecCertificateCreateWithData(nil, data as NSData) else {
            throw CaseDefect("no certificate can be made of the data")
        }
        return certificate
    }

    private static func key(from data: Data, type: String, keyClass: String) throws(CaseDefect) -> SecKey {
        let attributes: NSDictionary = [kSecAttrKeyType as String: type, kSecAttrKeyClass as String: keyClass]
        guard let key = SecKeyCreateWithData(data as NSData, attributes, nil) else {
            throw CaseDefect("no key can be made of the data")
        }
        return key
    }
}
