// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainEngine
import KeychainKeys
import KeychainMessages

/// `cms`: extracts the contents of a message, or creates a signed or encrypted one.
///
/// - Important: Differs from macOS: no signature is verified, so a message can be read without trusting its signer, and
///   without a keychain. Signatures use SHA-256 by default.
struct MessageCommand: Command {
    let options: OptionSyntax = "CDESGH:N:PTc:h:i:k:no:r:u:"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = MessageRequest()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        let text: ByteText
        switch request.mode {
        case "D": text = try decoded(request, session)
        case "S": text = try signed(request, session)
        case "E": text = try encrypted(request, session)
        case let mode?: throw CommandFailure("security: cms: -\(String(mode)) is not implemented")
        case nil: throw CommandFailure.usage
        }
        guard let path = request.output else {
            try session.output.write(text)
            return 0
        }
        let file = try OutputFile(path)
        try file.output.write(text)
        try file.close()
        return 0
    }

    private func decoded(_ request: MessageRequest, _ session: Session) throws -> ByteText {
        let bytes = try request.bytes(session)
        // The signed contents of a detached signature; they only have to exist.
        if let contents = request.contents { _ = try MessageRequest.read(contents) }
        let keys = MessageKeys(request.keychain, session)
        var lacksKey = false
        do throws(KeychainError) {
            // Read once for all recipients, and not at all for a message that is only signed.
            var identities: [(certificate: Certificate, key: PrivateKey)]?
            return try OpenedMessage(bytes) { (name) throws(KeychainError) in
                let known = if let identities { identities } else { try keys.identities() }
                identities = known
                if let found = known.first(where: { $0.certificate.isMeant(by: name) }) { return found.key }
                lacksKey = true
                return nil
            }.text(request)
        } catch {
            var reason: ByteText = ""
            if lacksKey {
                // The key may exist, but be locked or damaged.
                do throws(KeychainError) { try keys.checkWithholdsNothing() } catch {
                    reason = ": \(error.status.text)"
                }
            }
            throw CommandFailure("security: problem decoding" + reason)
        }
    }

    /// A signed message, with the certificates of the signer's chain from the keychains, except the root.
    private func signed(_ request: MessageRequest, _ session: Session) throws -> ByteText {
        guard let name = request.signer else {
            throw CommandFailure("security: cms: -S needs the name of a certificate to sign with (-N)")
        }
        let digest = try request.digest.map { (name) throws(CommandFailure) in try MessageKeys.digest(name) } ?? .sha256
        let keys = MessageKeys(request.keychain, session)
        let (certificate, key) = try keys.signer(name)
        let contents = try request.bytes(session)
        var message = SignedDataWriter(contentType: ContentType.data, contents: request.isDetached ? nil : contents)
        var wanted = MessageSigner.Attributes()
        if request.hasTime { wanted.signingTime = SystemClock().now }
        wanted.hasCapabilities = request.hasCapabilities
        return try CommandFailure.naming("signing") { () throws(KeychainError) in
            message.certificates = try keys.chain(certificate).map(\.der)
            try MessageSigner(certificate, key).sign(contents, digest: digest, attributes: wanted, in: &message)
            do throws(ContainerError) { return ByteText(try message.message()) } catch {
                throw KeychainError(writing: error)
            }
        }
    }

    /// A message that is encrypted for all named recipients.
    private func encrypted(_ request: MessageRequest, _ session: Session) throws -> ByteText {
        guard let names = request.recipients else {
            throw CommandFailure("security: cms: -E needs the recipients of the message (-r)")
        }
        let recipients = try MessageKeys(request.keychain, session).recipients(names)
        let contents = try request.bytes(session)
        return try CommandFailure.naming("enveloping") { () throws(KeychainError) in
            ByteText(try MessageEncryption.message(contents, contentType: ContentType.data, for: recipients))
        }
    }
}
