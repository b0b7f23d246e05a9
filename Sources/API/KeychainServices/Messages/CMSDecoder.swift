// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages
import Synchronization

/// A message of the Cryptographic Message Syntax (RFC 5652) that is read.
public final class CMSDecoder: Sendable {
    /// What has come in, and what was made of it.
    struct State: Sendable {
        /// The message as far as it is there.
        var bytes: [UInt8] = []
        /// Whether nothing more comes.
        var isFinal = false
        /// The message, taken apart; `nil` before it is complete, and where it is none.
        var opened: OpenedMessage?
        /// The certificates of the message.
        var certificates: [SecCertificate] = []
        /// The contents that are not in the message.
        var detached: Data? { didSet { checker = nil } }
        var keychain = MessageKeychain()
        /// Checks the signatures; `nil` before the first is checked.
        fileprivate var checker: SignatureChecker?
        /// How the certificates of signers were judged.
        fileprivate var judgements: [Question: SecTrust.Judgement] = [:]
    }

    /// A certificate, and the policies by which it is judged.
    fileprivate struct Question: Hashable, Sendable {
        let certificate: Certificate
        let policies: [CertificatePolicy]
    }

    private let state = Mutex(State())

    init() {}

    /// What has come in so far.
    var current: State { state.withLock { $0 } }

    /// Changes the state.
    func change(_ body: (inout State) throws(KeychainError) -> Void) throws(KeychainError) {
        try state.withLock { (state) throws(KeychainError) in try body(&state) }
    }

    /// The message.
    ///
    /// - Throws: `errSecParam` for one that is not complete.
    func opened() throws(KeychainError) -> OpenedMessage {
        guard let opened = current.opened else { throw .parameter("the message is not complete") }
        return opened
    }

    /// A signature of the message.
    ///
    /// - Throws: `errSecParam` for a message that is not complete, and where there is no signature of this number.
    func signature(_ index: Int) throws(KeychainError) -> MessageSignature {
        let signatures = try opened().signedData?.signatures ?? []
        guard signatures.indices.contains(index) else { throw .parameter("there is no signer \(index)") }
        return signatures[index]
    }

    /// The certificate of a signer: in the message, or else in the keychains.
    func certificate(of signature: MessageSignature) throws(KeychainError) -> SecCertificate? {
        let index = try opened().certificates.index(of: signature.signer)
        let state = current
        return index.map { state.certificates[$0] } ?? state.keychain.certificate(signature.signer)
    }

    /// The certificate of a signer, and the others of the message; empty where the first is not at hand.
    func chain(of signature: MessageSignature) throws(KeychainError) -> [SecCertificate] {
        guard let certificate = try certificate(of: signature) else { return [] }
        return [certificate] + current.certificates.filter { $0 !== certificate }
    }

    /// What checks the signatures of the message, against the contents that are there now.
    func checker(_ message: SignedData) -> SignatureChecker {
        state.withLock { state in
            if let checker = state.checker { return checker }
            let checker = SignatureChecker(message, detached: state.detached.map { Array($0) })
            state.checker = checker
            return checker
        }
    }

    /// Judges the certificate of a signer, once for the same policies however often it has signed.
    func judge(_ trust: SecTrust, _ certificate: Certificate, _ policies: [SecPolicy]) throws(KeychainError) {
        let question = Question(certificate: certificate, policies: policies.map(\.value))
        if let known = state.withLock({ $0.judgements[question] }) { return trust.adopt(known) }
        _ = try trust.evaluation(in: .withoutKeychain)
        guard let made = trust.lastEvaluation else { return }
        state.withLock { $0.judgements[question] = made }
    }
}
