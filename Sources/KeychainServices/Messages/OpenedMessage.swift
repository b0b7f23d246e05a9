// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainImportExport
import KeychainKeys
import KeychainMessages

/// A message that was taken apart, and decrypted where it was encrypted.
struct OpenedMessage: Sendable {
    /// Whether it was encrypted.
    private(set) var isEncrypted = false

    /// The signed part; `nil` for a message that is not signed.
    let signedData: SignedData?

    /// The contents; `nil` where they are outside of the message.
    let contents: [UInt8]?

    /// The certificates of the message, those left out that are none.
    let certificates: [Certificate]

    /// Takes a message apart.
    ///
    /// - Parameters:
    ///   - bytes: the message in DER or BER.
    ///   - keychain: where the key of a recipient is.
    /// - Throws: `errSecUnknownFormat` for what is no message; `errSecUnimplemented` for a kind or an algorithm that is
    ///   not implemented; `errSecItemNotFound` without the key of a recipient; `errSecDecode` for what the key does not
    ///   decrypt.
    init(_ bytes: [UInt8], _ keychain: MessageKeychain) throws(KeychainError) {
        switch try Self.read({ () throws(ContainerError) in try CryptographicMessage(bytes) }) {
        case .signed(let signed): self.init(signed)
        case .enveloped(let enveloped):
            let contents = try Self.decrypted(enveloped, keychain)
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
        certificates = []
        self.contents = contents
    }

    private init(_ signed: SignedData) {
        signedData = signed
        contents = signed.contents
        certificates = signed.certificates.compactMap { try? Certificate(der: $0) }
    }

    private static func decrypted(
        _ message: EnvelopedData,
        _ keychain: MessageKeychain
    ) throws(KeychainError) -> [UInt8]? {
        for recipient in message.recipients {
            for identity in try keychain.identities(recipient.certificate) {
                guard case .private(let key) = identity.privateKey.half else { continue }
                return try MessageDecryption.contents(message, recipient, key)
            }
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
