// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys

extension SecKey {
    func signature(of data: NSData, _ algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
        guard case .private(let key) = half else { throw .unsupportedAlgorithm }
        return try data.withBytes { (data) throws(KeyError) in try key.signature(data, algorithm) }
    }

    func verify(_ signature: NSData, of data: NSData, _ algorithm: KeyAlgorithm) throws(KeyError) {
        guard case .public(let key) = half else { throw .unsupportedAlgorithm }
        try signature.withBytes { (signature) throws(KeyError) in
            try data.withBytes { (data) throws(KeyError) in try key.verify(signature, of: data, algorithm) }
        }
    }

    func encrypt(_ plaintext: NSData, _ algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
        guard case .public(let key) = half else { throw .unsupportedAlgorithm }
        return try plaintext.withBytes { (plaintext) throws(KeyError) in try key.encrypt(plaintext, algorithm) }
    }

    func decrypt(_ ciphertext: NSData, _ algorithm: KeyAlgorithm) throws(KeyError) -> SecretBytes {
        try ciphertext.withBytes { (ciphertext) throws(KeyError) in
            switch half {
            case .private(let key): try key.decrypt(ciphertext, algorithm)
            case .public(let key): try key.decrypt(ciphertext, algorithm)
            }
        }
    }
}

extension NSData {
    convenience init(_ bytes: [UInt8]) { self.init(bytes: bytes, length: bytes.count) }

    convenience init(_ bytes: SecretBytes) { self.init(bytes.withUnsafeBytes { Data($0) }) }

    private convenience init(_ data: Data) { self.init(data: data) }

    /// Lends the bytes to `body`; the pointer is good only during the call.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: length == 0 ? nil : bytes, count: length))
    }
}

/// An error with the status that a function of Apple's API returns, and the reason.
protocol StatusError: Error {
    var status: Status { get }
    var reason: String { get }
    /// Whether an access control does not permit the operation, for which Apple's API has no status.
    var isOperationNotAllowed: Bool { get }
}

extension KeychainError: StatusError {
    var isOperationNotAllowed: Bool { kind == .keys(.operationNotAllowed) }
}

extension KeyError: StatusError {
    var isOperationNotAllowed: Bool {
        if case .operationNotAllowed = self { true } else { false }
    }
}

extension SecurityError {
    /// The result of `body`; if it fails `nil`, and the error is passed to a caller that requested it.
    static func passingError<Result, Failure: StatusError>(
        to error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
        _ body: () throws(Failure) -> Result
    ) -> Result? {
        do throws(Failure) {
            return try body()
        } catch let failure {
            if failure.isOperationNotAllowed {
                error?.pointee = Unmanaged.passRetained(operationNotAllowed(failure.reason))
            } else {
                hand(failure.status.rawValue, failure.reason, to: error)
            }
            return nil
        }
    }
}
