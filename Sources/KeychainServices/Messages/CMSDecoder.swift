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
        /// The contents that are not in the message.
        var detached: Data?
        var keychain = MessageKeychain()
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
        let inMessage = try opened().certificates.first { $0.isMeant(by: signature.signer) }
        return inMessage.map { SecCertificate($0) } ?? current.keychain.certificate(signature.signer)
    }
}
