// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages

/// The output of `cms -D` for a message.
extension OpenedMessage {
    /// The lines of `-h`, and the contents.
    func text(_ request: MessageRequest) -> ByteText {
        let header = request.headerLevel.map(header) ?? ""
        guard !request.suppressesContents, let contents else { return header }
        return header + ByteText(contents)
    }

    /// The nesting level, the kind and the signers of each part.
    private func header(_ level: Int) -> ByteText {
        var lines: [ByteText] = []
        if isEncrypted { lines.append("SMIME: \tlevel=\(level).\(lines.count); type=envelopedData; \n") }
        if let signedData { lines.append(header(signedData, "\(level).\(lines.count)")) }
        return lines.reduce("", +)
    }

    private func header(_ message: SignedData, _ level: String) -> ByteText {
        let start: ByteText = "SMIME: \tlevel=\(level); type=signedData; nsigners=\(message.signers.count); "
        let signers = message.signers.enumerated().map { index, signer in
            let certificate = certificates.certificate(of: signer)
            return "\n\t\tsigner\(index).id=\"\(certificate?.commonName ?? "")\"; " as ByteText
        }
        return signers.reduce(start, +) + "\n"
    }
}
