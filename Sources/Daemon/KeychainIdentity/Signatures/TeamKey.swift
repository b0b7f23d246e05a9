// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Crypto
import KeychainCore

/// A public key of a team: Ed25519 (RFC 8032).
package struct TeamPublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of RFC 8032, section 5.1.5.
    let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The key by its text, base 64 for URLs without padding; `nil` for anything else.
    package init?(_ text: String) {
        guard let bytes = Encodings.bytes(base64URL: text.utf8) else { return nil }
        self.init(bytes)
    }

    /// The key in base 64 for URLs without padding, as a JSON Web Key has it (RFC 8037, section 2).
    package var description: String { Encodings.base64URL(bytes) }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// A private key of a team: Ed25519 (RFC 8032).
package struct TeamKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a new key.
    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Its public half.
    package var publicKey: TeamPublicKey {
        guard let key = TeamPublicKey(Array(key.publicKey.rawRepresentation)) else {
            preconditionFailure("a public key of Ed25519 has 32 bytes")
        }
        return key
    }

    func signature(of message: [UInt8]) throws(IdentityError) -> [UInt8] {
        do { return Array(try key.signature(for: message)) } catch {
            throw IdentityError("the signature could not be made")
        }
    }
}

// MARK: - File

extension TeamKey {
    /// The contents of a private key file: PKCS #8 (RFC 5958) of an Ed25519 key (RFC 8410, section 7) as PEM (RFC
    /// 7468).
    ///
    /// Other programs for such files, including OpenSSL, can read it.
    package var pem: SecretBytes {
        var der = Self.prefix + Array(key.rawRepresentation)
        var digits = Array(Self.base64(der))
        defer {
            der.withUnsafeMutableBytes { keychain_wipe($0.baseAddress, $0.count) }
            digits.withUnsafeMutableBytes { keychain_wipe($0.baseAddress, $0.count) }
        }
        return SecretBytes(Self.beginning + digits + Self.end)
    }

    /// Reads a file of a private key.
    ///
    /// - Throws: ``IdentityError`` for anything but an unencrypted PKCS #8 of an Ed25519 key in PEM.
    package init(pem: SecretBytes) throws(IdentityError) {
        let key = pem.withUnsafeBytes { bytes -> Curve25519.Signing.PrivateKey? in
            var digits = bytes.filter { ![0x0A, 0x0D, 0x20].contains($0) }
            defer { digits.withUnsafeMutableBytes { keychain_wipe($0.baseAddress, $0.count) } }
            let beginning = Self.beginning.filter { ![0x0A, 0x20].contains($0) }
            let end = Self.end.filter { ![0x0A, 0x20].contains($0) }
            guard digits.count > beginning.count + end.count, digits.starts(with: beginning),
                digits.suffix(end.count).elementsEqual(end)
            else { return nil }
            // 48 bytes are 64 digits without padding, in which the two alphabets differ by two characters.
            var text = digits[beginning.count..<digits.count - end.count].map { digit in
                digit == UInt8(ascii: "+") ? UInt8(ascii: "-") : digit == UInt8(ascii: "/") ? UInt8(ascii: "_") : digit
            }
            var der = Encodings.bytes(base64URL: text) ?? []
            defer {
                text.withUnsafeMutableBytes { keychain_wipe($0.baseAddress, $0.count) }
                der.withUnsafeMutableBytes { keychain_wipe($0.baseAddress, $0.count) }
            }
            guard der.count == Self.prefix.count + 32, der.starts(with: Self.prefix) else { return nil }
            return try? Curve25519.Signing.PrivateKey(rawRepresentation: der[Self.prefix.count...])
        }
        guard let key else {
            throw IdentityError("it is not a team's private key: an unencrypted PKCS #8 Ed25519 key in PEM")
        }
        self.key = key
    }

    /// The DER of everything before the 32 bytes of the key: version 0, id-Ed25519, and two octet strings.
    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    private static let beginning = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
    private static let end = Array("\n-----END PRIVATE KEY-----\n".utf8)

    private static func base64(_ bytes: [UInt8]) -> some Sequence<UInt8> {
        Encodings.base64URL(bytes).utf8.map { digit in
            digit == UInt8(ascii: "-") ? UInt8(ascii: "+") : digit == UInt8(ascii: "_") ? UInt8(ascii: "/") : digit
        }
    }
}
