// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages

/// A message, taken apart and decrypted.
struct DecodedMessage {
    private var isEncrypted = false
    private let signed: SignedData?
    private let contents: [UInt8]?

    /// Takes a message apart.
    ///
    /// - Parameters:
    ///   - bytes: the message in DER or BER.
    ///   - keys: where the key of a recipient is.
    /// - Throws: ``KeychainError`` for what is no message, and for what no key decrypts.
    init(_ bytes: [UInt8], _ keys: MessageKeys) throws(KeychainError) {
        switch try Self.read({ () throws(ContainerError) in try CryptographicMessage(bytes) }) {
        case .signed(let signed): self.init(signed: signed, contents: signed.contents)
        case .enveloped(let enveloped):
            let contents = try keys.decrypt(enveloped)
            if enveloped.contentType == ContentType.signedData, let contents {
                let signed = try Self.read { () throws(ContainerError) in try SignedData(bare: contents) }
                self.init(signed: signed, contents: signed.contents)
            } else {
                self.init(signed: nil, contents: contents)
            }
            isEncrypted = true
        }
    }

    private init(signed: SignedData?, contents: [UInt8]?) {
        self.signed = signed
        self.contents = contents
    }

    private static func read<Result>(_ body: () throws(ContainerError) -> Result) throws(KeychainError) -> Result {
        do throws(ContainerError) {
            return try body()
        } catch {
            throw KeychainError(.decode, error.reason)
        }
    }

    /// The lines of `-h`, and the contents.
    func text(_ request: MessageRequest) -> ByteText {
        let header = request.headerLevel.map(header) ?? ""
        guard !request.suppressesContents, let contents else { return header }
        return header + ByteText(contents)
    }

    /// How deep each part lies in others, which kind it is, and who has signed it.
    private func header(_ level: Int) -> ByteText {
        var lines: [ByteText] = []
        if isEncrypted { lines.append("SMIME: \tlevel=\(level).\(lines.count); type=envelopedData; \n") }
        if let signed { lines.append(Self.header(signed, "\(level).\(lines.count)")) }
        return lines.reduce("", +)
    }

    private static func header(_ message: SignedData, _ level: String) -> ByteText {
        let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
        let start: ByteText = "SMIME: \tlevel=\(level); type=signedData; nsigners=\(message.signers.count); "
        let signers = message.signers.enumerated().map { index, signer in
            let certificate = certificates.first { $0.isMeant(by: signer) }
            return "\n\t\tsigner\(index).id=\"\(certificate?.commonName ?? "")\"; " as ByteText
        }
        return signers.reduce(start, +) + "\n"
    }
}
