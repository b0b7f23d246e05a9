// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore
import KeychainMessages

/// Makes an object that reads a message: signed (RFC 5652, section 5) or encrypted for certificates (section 6), or
/// encrypted with a signed one in it.
///
/// - Parameter cmsDecoderOut: where the object goes.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCreate(_ cmsDecoderOut: UnsafeMutablePointer<CMSDecoder?>) -> OSStatus {
    cmsDecoderOut.pointee = CMSDecoder()
    return errSecSuccess
}

/// Takes a part of the message, in DER or BER.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - msgBytes: the bytes behind those of the last call.
///   - msgBytesLen: how many they are.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` where the first byte is not that of a message; `errSecParam` for a
///   message that is complete, and for a negative number.
@discardableResult
public func CMSDecoderUpdateMessage(
    _ cmsDecoder: CMSDecoder,
    _ msgBytes: UnsafeRawPointer,
    _ msgBytesLen: Int
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        try cmsDecoder.change { (state) throws(KeychainError) in
            guard !state.isFinal, msgBytesLen >= 0 else { throw .parameter("the message is complete") }
            state.bytes += UnsafeRawBufferPointer(start: msgBytes, count: msgBytesLen)
            // That of a SEQUENCE.
            guard state.bytes.first ?? 0x30 == 0x30 else {
                throw KeychainError(.unknownFormat, "the bytes are no message")
            }
        }
    }
}

/// Takes the message apart once it is complete, and decrypts it.
///
/// An encrypted message needs an identity of the keychain that is one of its recipients.
///
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` for what is no message, with bytes behind one among it;
///   `errSecUnimplemented` for a kind of message or an algorithm that is not implemented; `errSecItemNotFound` where no
///   identity of the keychain is a recipient; `errSecDecode` for what its key does not decrypt; `errSecParam` when it
///   was called before.
@discardableResult
public func CMSDecoderFinalizeMessage(_ cmsDecoder: CMSDecoder) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let state = cmsDecoder.current
        try cmsDecoder.change { (state) throws(KeychainError) in
            guard !state.isFinal else { throw .parameter("the message is complete") }
            state.isFinal = true
            state.bytes = []
        }
        let opened = try OpenedMessage(state.bytes) { (name) throws(KeychainError) in
            try state.keychain.privateKey(of: name)
        }
        let certificates = opened.certificates.all.map { SecCertificate($0) }
        try cmsDecoder.change { (state) in
            state.opened = opened
            state.certificates = certificates
        }
    }
}

/// Gives the contents that a detached signature is one of, at any time before the status of the signer is asked for.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderSetDetachedContent(_ cmsDecoder: CMSDecoder, _ detachedContent: CFData) -> OSStatus {
    let contents = Data(detachedContent as Data)
    return FunctionCall.status { () throws(KeychainError) in try cmsDecoder.change { $0.detached = contents } }
}

/// The contents that were given.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - detachedContentOut: where they go; `nil` where none were.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCopyDetachedContent(
    _ cmsDecoder: CMSDecoder,
    _ detachedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    detachedContentOut.pointee = cmsDecoder.current.detached.map { NSData(data: $0) }
    return errSecSuccess
}

/// Sets the keychains in which certificates of signers and identities of recipients are looked for; the usual ones
/// without it.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - keychainOrArray: a `SecKeychain`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for a message that is complete.
@discardableResult
public func CMSDecoderSetSearchKeychain(_ cmsDecoder: CMSDecoder, _ keychainOrArray: CFTypeRef) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let keychains = try Members.required(keychainOrArray, SecKeychain.self, "a keychain")
        try cmsDecoder.change { (state) throws(KeychainError) in
            guard !state.isFinal else { throw .parameter("the message is complete") }
            state.keychain.searchList = keychains
        }
    }
}

/// Whether the message was encrypted.
///
/// - Returns: `errSecSuccess`; `errSecParam` for a message that is not complete.
@discardableResult
public func CMSDecoderIsContentEncrypted(
    _ cmsDecoder: CMSDecoder,
    _ isEncryptedOut: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        isEncryptedOut.pointee = DarwinBoolean(try cmsDecoder.opened().isEncrypted)
    }
}

/// The type of the contents of a signed message.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - eContentTypeOut: where the content octets of its object identifier go, without tag and length; `nil` for a
///     message that is not signed.
/// - Returns: `errSecSuccess`; `errSecParam` for a message that is not complete.
@discardableResult
public func CMSDecoderCopyEncapsulatedContentType(
    _ cmsDecoder: CMSDecoder,
    _ eContentTypeOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        eContentTypeOut.pointee = try cmsDecoder.opened().signedData.map { NSData(data: Data($0.contentType)) }
    }
}

/// The certificates of the message, whoever they are of.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - certsOut: where an array of `SecCertificate` goes; `nil` for none.
/// - Returns: `errSecSuccess`; `errSecParam` for a message that is not complete.
@discardableResult
public func CMSDecoderCopyAllCerts(_ cmsDecoder: CMSDecoder, _ certsOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let certificates = try cmsDecoder.opened().certificates.all.map { SecCertificate($0) }
        certsOut.pointee = certificates.isEmpty ? nil : NSArray(array: certificates)
    }
}

/// The contents of the message, decrypted; whether its signatures are good is for ``CMSDecoderCopySignerStatus`` to
/// say.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - contentOut: where they go; `nil` where they are outside of the message.
/// - Returns: `errSecSuccess`; `errSecParam` for a message that is not complete.
@discardableResult
public func CMSDecoderCopyContent(_ cmsDecoder: CMSDecoder, _ contentOut: UnsafeMutablePointer<CFData?>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        contentOut.pointee = try cmsDecoder.opened().contents.map { NSData(data: Data($0)) }
    }
}
