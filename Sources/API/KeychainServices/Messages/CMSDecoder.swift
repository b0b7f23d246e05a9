// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainMessages
import Synchronization

/// A message of the Cryptographic Message Syntax (RFC 5652) that is read.
public final class CMSDecoder: Sendable {
    /// The input so far, and its parsed form.
    struct State: Sendable {
        /// The message as far as it has been received.
        var bytes: [UInt8] = []
        /// Whether nothing more comes.
        var isFinal = false
        /// The parsed message; `nil` before it is complete, and if it is invalid.
        var opened: OpenedMessage?
        /// The certificates of the message.
        var certificates: [SecCertificate] = []
        /// The contents that are not in the message.
        var detached: Data? { didSet { checker = nil } }
        var keychain = MessageKeychain()
        /// Checks the signatures; `nil` before the first is checked.
        fileprivate var checker: SignatureChecker?
        /// The evaluations of the signers' certificates.
        fileprivate var judgements: [Question: SecTrust.Judgement] = [:]
    }

    /// A certificate, and the policies for its evaluation.
    fileprivate struct Question: Hashable, Sendable {
        let certificate: Certificate
        let policies: [CertificatePolicy]
    }

    private let state = Mutex(State())

    init() {}

    /// The current state.
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
    /// - Throws: `errSecParam` for an incomplete message, and if there is no signature with this index.
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

    /// The certificate of a signer, and the others of the message; empty if the first is unavailable.
    func chain(of signature: MessageSignature) throws(KeychainError) -> [SecCertificate] {
        guard let certificate = try certificate(of: signature) else { return [] }
        return [certificate] + current.certificates.filter { $0 !== certificate }
    }

    /// The checker for the message's signatures, against the current contents.
    func checker(_ message: SignedData) -> SignatureChecker {
        state.withLock { state in
            if let checker = state.checker { return checker }
            let checker = SignatureChecker(message, detached: state.detached.map { Array($0) })
            state.checker = checker
            return checker
        }
    }

    /// Evaluates the certificate of a signer, once for the same policies regardless of the number of its signatures.
    func judge(_ trust: SecTrust, of certificate: Certificate, by policies: [SecPolicy]) throws(KeychainError) {
        let question = Question(certificate: certificate, policies: policies.map(\.value))
        if let known = state.withLock({ $0.judgements[question] }) { return trust.adopt(known) }
        _ = try trust.evaluation(in: .withoutKeychain)
        guard let made = trust.lastEvaluation else { return }
        state.withLock { $0.judgements[question] = made }
    }
}
