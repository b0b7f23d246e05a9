// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

/// An `EnvelopedData` (RFC 5652, section 6): contents encrypted with a key that is encrypted for each recipient.
package struct EnvelopedData: Sendable, Hashable {
    /// The type of the contents, as the content octets of its object identifier.
    package let contentType: [UInt8]

    /// The recipients identified by a certificate; others, such as those with a password, are left out.
    package let recipients: [MessageRecipient]

    /// The cipher, in dotted decimal notation.
    private let cipher: ASN1ObjectIdentifier

    /// The initialization vector of the cipher; `nil` for other parameters.
    private let start: [UInt8]?

    /// The encrypted contents; `nil` if they are detached.
    private let encrypted: [UInt8]?

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "the encrypted data")
        _ = try fields.integer("version")
        _ = fields.nextIfPresent(.context(0))
        recipients = try Self.recipients(fields.next("recipients"))
        var content = try ContainerFieldReader(fields.next("contents"), "the contents")
        _ = fields.nextIfPresent(.context(1))
        try fields.end()
        contentType = try content.next("type of the contents").objectIdentifierOctets("type of the contents")
        var algorithm = try ContainerFieldReader(content.next("cipher"), "a cipher")
        cipher = try algorithm.objectIdentifier("cipher")
        if algorithm.upcomingIdentifier == .octetString {
            start = Array(try algorithm.octets("start of a cipher"))
        } else {
            start = nil
        }
        encrypted = try content.nextIfPresent(.context(0)).map { (node) throws(ContainerError) in
            Array(try node.octets(.context(0), "contents"))
        }
        try content.end()
    }

    private static func recipients(_ node: ASN1Node) throws(ContainerError) -> [MessageRecipient] {
        var fields = try ContainerFieldReader(node, as: .set, named: "the recipients")
        var recipients: [MessageRecipient] = []
        while !fields.isAtEnd {
            let recipient = try fields.next("recipient")
            switch recipient.identifier {
            case .sequence: recipients.append(try MessageRecipient(transport: recipient))
            case .context(1): recipients += try MessageRecipient.all(agreement: recipient)
            default: break
            }
        }
        return recipients
    }

    /// The number of bytes of the key.
    ///
    /// - Throws: ``ContainerError``: `.unsupported` for a cipher that is not implemented.
    package func contentKeyByteCount() throws(ContainerError) -> Int { try knownCipher().keyByteCount }

    /// Decrypts the contents.
    ///
    /// - Parameter key: of the cipher's length.
    /// - Returns: The contents; `nil` if they are detached.
    /// - Throws: ``ContainerError``, the same for a wrong key as for altered contents.
    package func contents(_ key: SecretBytes) throws(ContainerError) -> [UInt8]? {
        let cipher = try knownCipher()
        guard let encrypted else { return nil }
        guard let start, start.count == cipher.blockByteCount else {
            throw .malformed("the start of a cipher has a wrong length")
        }
        return try StackMemory.wiped { () throws(ContainerError) in
            var key = key.unprotectedCopy
            defer { key.wipe() }
            guard key.count == cipher.keyByteCount,
                let plain = try? cipher.decrypt(encrypted[...], key: key, initializationVector: start)
            else { throw .malformed("the contents cannot be decrypted") }
            return plain
        }
    }

    private func knownCipher() throws(ContainerError) -> Cipher {
        guard let known = EncryptionScheme.ciphers[cipher] else {
            throw .unsupported("the cipher \(cipher) is not implemented")
        }
        return known
    }
}
