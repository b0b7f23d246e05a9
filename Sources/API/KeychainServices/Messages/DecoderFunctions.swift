// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore
import KeychainMessages

/// Creates a decoder for a message: signed (RFC 5652, section 5), encrypted for certificates (section 6), or encrypted
/// with a signed one in it.
///
/// - Parameter cmsDecoderOut: receives the object.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCreate(_ cmsDecoderOut: UnsafeMutablePointer<CMSDecoder?>) -> OSStatus {
    cmsDecoderOut.pointee = CMSDecoder()
    return errSecSuccess
}

/// Processes a part of the message, in DER or BER.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - msgBytes: the bytes after those of the previous call.
///   - msgBytesLen: their number.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` if the first byte is not that of a message; `errSecParam` for a
///   message that is already complete, and for a negative number.
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

/// Parses the complete message, and decrypts it.
///
/// An encrypted message needs an identity of the keychain that is one of its recipients.
///
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` for an invalid message, including one with trailing bytes;
///   `errSecUnimplemented` for an unimplemented kind of message or algorithm; `errSecItemNotFound` if no identity of
///   the keychain is a recipient; `errSecDecode` if decryption with its key fails; `errSecParam` if it was called
///   before.
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

/// Sets the contents of a detached signature, at any time before the status of a signer is requested.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderSetDetachedContent(_ cmsDecoder: CMSDecoder, _ detachedContent: CFData) -> OSStatus {
    let contents = Data(detachedContent as Data)
    return FunctionCall.status { () throws(KeychainError) in try cmsDecoder.change { $0.detached = contents } }
}

/// The detached contents.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - detachedContentOut: receives them; `nil` if there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCopyDetachedContent(
    _ cmsDecoder: CMSDecoder,
    _ detachedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    detachedContentOut.pointee = cmsDecoder.current.detached.map { NSData(data: $0) }
    return errSecSuccess
}

/// Sets the keychains to search for certificates of signers and identities of recipients; by default, those of the
/// search list.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - keychainOrArray: a `SecKeychain`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for a message that is complete.
@discardableResult
public func CMSDecoderSetSearchKeychain(_ cmsDecoder: CMSDecoder, _ keychainOrArray: CFTypeRef) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let keychains = try Members.required(keychainOrArray, as: SecKeychain.self, named: "a keychain")
        try cmsDecoder.change { (state) throws(KeychainError) in
            guard !state.isFinal else { throw .parameter("the message is complete") }
            state.keychain.searchList = keychains
        }
    }
}

/// Whether the message was encrypted.
///
/// - Returns: `errSecSuccess`; `errSecParam` for an incomplete message.
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
/// - Returns: `errSecSuccess`; `errSecParam` for an incomplete message.
@discardableResult
public func CMSDecoderCopyEncapsulatedContentType(
    _ cmsDecoder: CMSDecoder,
    _ eContentTypeOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        eContentTypeOut.pointee = try cmsDecoder.opened().signedData.map { NSData(data: Data($0.contentType)) }
    }
}

/// All certificates in the message.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - certsOut: receives an array of `SecCertificate`; `nil` for none.
/// - Returns: `errSecSuccess`; `errSecParam` for an incomplete message.
@discardableResult
public func CMSDecoderCopyAllCerts(_ cmsDecoder: CMSDecoder, _ certsOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let certificates = try cmsDecoder.opened().certificates.all.map { SecCertificate($0) }
        certsOut.pointee = certificates.isEmpty ? nil : NSArray(array: certificates)
    }
}

/// The contents of the message, decrypted; use ``CMSDecoderCopySignerStatus`` to check its signatures.
///
/// - Parameters:
///   - cmsDecoder: the object.
///   - contentOut: receives them; `nil` if they are outside of the message.
/// - Returns: `errSecSuccess`; `errSecParam` for an incomplete message.
@discardableResult
public func CMSDecoderCopyContent(_ cmsDecoder: CMSDecoder, _ contentOut: UnsafeMutablePointer<CFData?>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        contentOut.pointee = try cmsDecoder.opened().contents.map { NSData(data: Data($0)) }
    }
}
