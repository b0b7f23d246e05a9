// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

/// A parsed message, decrypted if it was encrypted.
package struct OpenedMessage: Sendable {
    /// Whether it was encrypted.
    package private(set) var isEncrypted = false

    /// The signed part; `nil` for a message that is not signed.
    package let signedData: SignedData?

    /// The contents; `nil` if they are detached.
    package let contents: [UInt8]?

    /// The certificates of the message, without invalid ones.
    package let certificates: NamedCertificates

    /// Parses a message.
    ///
    /// - Parameters:
    ///   - bytes: the message in DER or BER.
    ///   - key: returns the private key of a certificate by its name; `nil` if it is not available. Called only for an
    ///     encrypted message, for each recipient in order.
    /// - Throws: `errSecUnknownFormat` if it is not a message; `errSecUnimplemented` for a kind or an algorithm that is
    ///   not implemented; `errSecItemNotFound` without the key of a recipient; `errSecDecode` if the key does not
    ///   decrypt the message; the errors of `key`.
    package init(
        _ bytes: [UInt8],
        key: (_ name: SignedData.Signer) throws(KeychainError) -> PrivateKey?
    ) throws(KeychainError) {
        switch try Self.read({ () throws(ContainerError) in try CryptographicMessage(bytes) }) {
        case .signed(let signed): self.init(signed)
        case .enveloped(let enveloped):
            let contents = try Self.decrypted(enveloped, key)
            if enveloped.contentType == ContentType.signedData, let contents {
                self.init(try Self.read { () throws(ContainerError) in try SignedData(bare: contents) })
            } else {
                self.init(contents: contents)
            }
            isEncrypted = true
        }
    }

    private init(contents: [UInt8]?) {
        signedData = nil
        certificates = NamedCertificates([])
        self.contents = contents
    }

    private init(_ signed: SignedData) {
        signedData = signed
        contents = signed.contents
        certificates = NamedCertificates(signed.certificates.compactMap { try? Certificate(der: $0) })
    }

    private static func decrypted(
        _ message: EnvelopedData,
        _ key: (_ name: SignedData.Signer) throws(KeychainError) -> PrivateKey?
    ) throws(KeychainError) -> [UInt8]? {
        for recipient in message.recipients {
            guard let key = try key(recipient.certificate) else { continue }
            return try MessageDecryption.contents(of: message, for: recipient, with: key)
        }
        throw KeychainError(.itemNotFound, "the keychains have no key of a recipient")
    }

    private static func read<Result>(_ body: () throws(ContainerError) -> Result) throws(KeychainError) -> Result {
        do throws(ContainerError) {
            return try body()
        } catch {
            throw KeychainError(error.kind == .unsupported ? .unimplemented : .unknownFormat, error.reason)
        }
    }
}
