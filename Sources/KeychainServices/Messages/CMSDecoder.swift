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
        fileprivate var judgements = Judgements()
    }

    /// How certificates of signers were judged by the policies that were given last.
    fileprivate struct Judgements: Sendable {
        var policies: [SecPolicy] = []
        var evaluations: [Certificate: SecTrust.Judgement] = [:]
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
        try chain(of: signature).first
    }

    /// The certificate of a signer, and the others of the message; empty where the first is not at hand.
    func chain(of signature: MessageSignature) throws(KeychainError) -> [SecCertificate] {
        let index = try opened().certificates.index(of: signature.signer)
        let state = current
        guard let index else {
            return state.keychain.certificate(signature.signer).map { [$0] + state.certificates } ?? []
        }
        var others = state.certificates
        return [others.remove(at: index)] + others
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
        let known = state.withLock { state in
            if !state.judgements.policies.elementsEqual(policies, by: ===) {
                state.judgements = Judgements(policies: policies)
            }
            return state.judgements.evaluations[certificate]
        }
        if let known { return trust.take(known) }
        _ = try trust.evaluation(in: .withoutKeychain)
        guard let made = trust.lastEvaluation else { return }
        state.withLock { state in
            guard state.judgements.policies.elementsEqual(policies, by: ===) else { return }
            state.judgements.evaluations[certificate] = made
        }
    }
}
