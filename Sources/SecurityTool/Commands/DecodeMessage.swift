// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCertificates
import KeychainContainers
import KeychainCore

/// `cms`: takes the contents out of a signed message.
///
/// - Important: Differs from macOS: no signature is verified, so that a message can be read without trusting its
///   signer, and without a keychain. Encoding is not implemented, nor is decrypting.
struct DecodeMessage: Command {
    let options: OptionSyntax = "CDESGH:N:PTc:h:i:k:no:r:u:"

    /// What each option that only one mode has belongs to.
    private static let modes: [Character: Character] = [
        "c": "D", "h": "D", "n": "D", "G": "S", "P": "S", "T": "S", "r": "E",
    ]

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var mode: Character?
        var request = Request()
        for option in invocation.arguments.options {
            if "CDES".contains(option.letter) {
                mode = option.letter
                continue
            }
            if let needed = Self.modes[option.letter], needed != mode {
                throw CommandFailure(
                    status: CommandFailure.usage.status,
                    "security: option -\(String(option.letter)) only supported with option -\(String(needed))"
                )
            }
            request.take(option)
        }
        try invocation.checkOptions(options)
        guard let mode else { throw CommandFailure.usage }
        guard mode == "D" else {
            throw CommandFailure("security: cms: -\(String(mode)) is not implemented; messages can be decoded only")
        }
        return try decode(request, session)
    }

    /// What was asked for.
    private struct Request {
        var input: Word?
        var output: Word?
        var contents: Word?
        var headerLevel: Int?
        var suppressesContents = false

        mutating func take(_ option: ParsedOptions.Option) {
            switch option.letter {
            case "i": input = option.value
            case "o": output = option.value
            case "c": contents = option.value
            case "h": headerLevel = Int(option.value.withCString { atoi($0) })
            case "n": suppressesContents = true
            // Which keys and certificates to use, and what for: nothing is verified here.
            default: break
            }
        }
    }

    private func decode(_ request: Request, _ session: Session) throws -> Int32 {
        let bytes = try request.input.map(read) ?? readInput(session)
        // Of a detached signature, what is signed; it need only be there.
        if let contents = request.contents { _ = try read(contents) }
        let message: SignedData
        do {
            message = try SignedData(bytes.unprotectedCopy)
        } catch {
            throw CommandFailure("security: problem decoding")
        }
        guard let path = request.output else {
            try write(message, request, to: session.output)
            return 0
        }
        let file = try OutputFile(path)
        try write(message, request, to: file.output)
        try file.close()
        return 0
    }

    private func read(_ path: Word) throws(CommandFailure) -> SecretBytes {
        do {
            return try InputFile.bytes(path)
        } catch {
            throw CommandFailure("security: unable to open \"\(path)\" for reading: \(error.text)")
        }
    }

    private func readInput(_ session: Session) throws(CommandFailure) -> SecretBytes {
        do {
            return try InputFile.bytes(session.input.descriptor)
        } catch {
            throw CommandFailure("security: unable to read standard input: \(error.text)")
        }
    }

    private func write(_ message: SignedData, _ request: Request, to output: Output) throws {
        if let level = request.headerLevel { try output.write(Self.header(message, level)) }
        if !request.suppressesContents, let contents = message.contents { try output.write(ByteText(contents)) }
    }

    /// The line of `-h`: how deep the message lies in others, which kind it is, and who has signed it.
    private static func header(_ message: SignedData, _ level: Int) -> ByteText {
        let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
        let start: ByteText = "SMIME: \tlevel=\(level).0; type=signedData; nsigners=\(message.signers.count); "
        let signers = message.signers.enumerated().map { index, signer in
            let certificate = certificates.first { signer.isMeant(by: $0) }
            return "\n\t\tsigner\(index).id=\"\(certificate?.commonName ?? "")\"; " as ByteText
        }
        return signers.reduce(start, +) + "\n"
    }
}

extension SignedData.Signer {
    /// Whether a certificate of the message is the signer's.
    fileprivate func isMeant(by certificate: Certificate) -> Bool {
        switch self {
        case .serialNumber(let number, _): certificate.serialNumber == number
        case .subjectKeyIdentifier(let identifier): certificate.subjectKeyIdentifier == identifier
        }
    }
}
