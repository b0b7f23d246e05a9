// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys
import KeychainMessages
import Synchronization

/// A message of the Cryptographic Message Syntax (RFC 5652) that is written.
public final class CMSEncoder: Sendable {
    /// The settings, and the contents.
    struct State: Sendable {
        var signers: [SecIdentity] = []
        var recipients: [SecCertificate] = []
        var supportingCertificates: [SecCertificate] = []
        var isDetached = false
        /// The type of signed contents, as the content octets of its object identifier; `nil` for plain data.
        var contentType: [UInt8]?
        var attributes: CMSSignedAttributes = []
        var chainMode = CMSCertificateChainMode.chain
        var digest = DigestAlgorithm.sha256
        /// The contents; `nil` before a part of them came, after which nothing is set any more.
        fileprivate(set) var contents: [UInt8]?
        fileprivate var message: [UInt8]?
    }

    private let state = Mutex(State())

    init() {}

    /// The current state.
    var current: State { state.withLock { $0 } }

    /// Changes a setting.
    ///
    /// - Throws: `errSecParam` once there are contents.
    func set(_ body: (inout State) throws(KeychainError) -> Void) throws(KeychainError) {
        try state.withLock { (state) throws(KeychainError) in
            guard state.contents == nil, state.message == nil else { throw .parameter("there are contents already") }
            try body(&state)
        }
    }

    /// Adds a part of the contents.
    ///
    /// - Throws: `errSecParam` once the message has been created.
    func add(_ bytes: UnsafeRawBufferPointer) throws(KeychainError) {
        try state.withLock { (state) throws(KeychainError) in
            guard state.message == nil else { throw .parameter("the message is made already") }
            state.contents = state.contents ?? []
            state.contents? += bytes
        }
    }

    /// The message, created on first request.
    ///
    /// - Throws: `errSecParam` for an empty message, and for an encrypted message with detached contents;
    ///   `errSecCreateChainFailed`; the error of a key that cannot sign, or of a certificate that cannot be encrypted
    ///   for.
    func message() throws(KeychainError) -> [UInt8] {
        let state = current
        if let message = state.message { return message }
        let message = try state.encoded()
        self.state.withLock { $0.message = message }
        return message
    }
}

extension CMSEncoder.State {
    fileprivate func encoded() throws(KeychainError) -> [UInt8] {
        guard !signers.isEmpty || !recipients.isEmpty || !supportingCertificates.isEmpty else {
            throw .parameter("the message has neither signers nor recipients nor certificates")
        }
        let isSigned = !signers.isEmpty || !supportingCertificates.isEmpty
        guard !recipients.isEmpty else {
            let signed = try signed()
            return try Self.written { () throws(ContainerError) in try signed.message() }
        }
        guard !isDetached else { throw .parameter("the contents of an encrypted message are in it") }
        guard isSigned else {
            return try MessageEncryption.message(contents ?? [], contentType: ContentType.data, for: certificates)
        }
        let signed = try signed()
        let inner = try Self.written { () throws(ContainerError) in try signed.bareMessage() }
        return try MessageEncryption.message(inner, contentType: ContentType.signedData, for: certificates)
    }

    private var certificates: [Certificate] { recipients.map(\.certificate) }

    private func signed() throws(KeychainError) -> SignedDataWriter {
        // Without signers, certificates alone are a message without contents.
        let content = signers.isEmpty ? contents : contents ?? []
        let type = contentType ?? ContentType.data
        var message = SignedDataWriter(contentType: type, contents: isDetached ? nil : content)
        message.certificates = try messageCertificates().map(\.der)
        var wanted = MessageSigner.Attributes()
        wanted.hasCapabilities = attributes.contains(.attrSmimeCapabilities)
        wanted.hasEncryptionPreference = attributes.contains(.attrSmimeEncryptionKeyPrefs)
        wanted.hasMicrosoftEncryptionPreference = attributes.contains(.attrSmimeMSEncryptionKeyPrefs)
        if attributes.contains(.attrSigningTime) { wanted.signingTime = SecTrust.now }
        for identity in signers {
            guard case .private(let key) = identity.privateKey.half else {
                throw .parameter("an identity has no private key")
            }
            try MessageSigner(identity.certificate.certificate, key).sign(
                content ?? [],
                digest: digest,
                attributes: wanted,
                in: &message
            )
        }
        return message
    }

    /// The certificates of the message, each once: those of the signers, then those that were added.
    private func messageCertificates() throws(KeychainError) -> [Certificate] {
        var all: [Certificate] = []
        for identity in signers { all += try chain(identity.certificate.certificate) }
        var seen: Set<Certificate> = []
        return (all + supportingCertificates.map(\.certificate)).filter { seen.insert($0).inserted }
    }

    private func chain(_ certificate: Certificate) throws(KeychainError) -> [Certificate] {
        switch chainMode {
        case .none: return []
        case .signerOnly: return [certificate]
        case .chain: return [certificate] + known(certificate).dropFirst().filter { !$0.isSelfIssued }
        case .chainWithRoot: return known(certificate)
        case .chainWithRootOrFail:
            let chain = known(certificate)
            guard chain.last?.isSelfIssued ?? false else {
                throw KeychainError(.createChainFailed, "the chain of a signer does not reach a root")
            }
            return chain
        }
    }

    /// The chain as far as it is available: from the given certificates, those of the keychains, and the system's
    /// anchors.
    private func known(_ certificate: Certificate) -> [Certificate] {
        let given = supportingCertificates.map(\.certificate) + signers.map(\.certificate.certificate)
        let hasSigned = { (issuer: Certificate, certificate: Certificate) in certificate.isSigned(by: issuer) }
        var pool = given
        var chain = CertificatePool(pool).chain(from: certificate, hasSigned)
        while let last = chain.last, !last.isSelfIssued, chain.count < CertificatePool.longestChain {
            let found = MessageKeychain().issuers(of: last).map(\.certificate)
            pool += found.isEmpty ? Self.anchors(issuing: last) : found
            let longer = CertificatePool(pool).chain(from: certificate, hasSigned)
            guard longer.count > chain.count else { break }
            chain = longer
        }
        return chain
    }

    private static func anchors(issuing certificate: Certificate) -> [Certificate] {
        ((try? TrustCall.systemAnchors()) ?? []).map(\.certificate)
            .filter { $0.normalizedSubject == certificate.normalizedIssuer }
    }

    private static func written<Result>(_ body: () throws(ContainerError) -> Result) throws(KeychainError) -> Result {
        do throws(ContainerError) {
            return try body()
        } catch {
            throw KeychainError(writing: error)
        }
    }
}
