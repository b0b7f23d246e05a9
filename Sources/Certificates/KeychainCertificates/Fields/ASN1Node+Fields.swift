// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

typealias CertificateFieldReader = ASN1FieldReader<CertificateError>

extension CertificateError: EncodingFailure {
    package static func malformed(_ reason: String) -> CertificateError { CertificateError(reason) }
}

extension CertificateFieldReader {
    /// The fields of a DER-encoded SEQUENCE.
    init(parsing bytes: ArraySlice<UInt8>, _ name: String) throws(CertificateError) {
        try self.init(parsing: bytes, .distinguished, within: .certificate, name)
    }

    /// Parses exactly one value in DER.
    static func parse(_ bytes: ArraySlice<UInt8>, _ name: String) throws(CertificateError) -> ASN1Node {
        try parse(bytes, by: .distinguished, within: .certificate, named: name)
    }

    /// The content octets of the next field, which must be primitive and of this type.
    mutating func bytes(_ identifier: ASN1Identifier, _ field: String) throws(CertificateError) -> ArraySlice<UInt8> {
        try next(field).bytes(identifier, field)
    }
}

extension ASN1Node {
    /// The content octets of a primitive value of this type.
    func bytes(_ identifier: ASN1Identifier, _ name: String) throws(CertificateError) -> ArraySlice<UInt8> {
        guard self.identifier == identifier, case .primitive(let bytes) = content else {
            throw CertificateError("\(name) has another type")
        }
        return bytes
    }

    /// The bytes of a BIT STRING whose length is a multiple of eight bits.
    func wholeBits(_ name: String) throws(CertificateError) -> ArraySlice<UInt8> {
        let bytes = try bytes(.bitString, name)
        guard bytes.first == 0 else { throw CertificateError("\(name) is not a whole number of octets") }
        return bytes.dropFirst()
    }

    /// Checks that it is a BIT STRING, of any number of bits.
    func checkBits(_ name: String) throws(CertificateError) {
        do {
            _ = try ASN1BitString(derEncoded: self)
        } catch {
            throw CertificateError("\(name) is not a string of bits")
        }
    }

    /// An OBJECT IDENTIFIER.
    func objectIdentifier(_ name: String) throws(CertificateError) -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: self, withIdentifier: .objectIdentifier)
        } catch {
            throw CertificateError("\(name) is not an object identifier")
        }
    }
}
