// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// The text of a status code, as Apple words it.
///
/// - Parameters:
///   - status: any code.
///   - reserved: pass `nil`.
/// - Returns: The text; `OSStatus -1234` for a code without one (Semantics, "Error mapping").
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: Status(rawValue: status).message ?? "OSStatus \(status)")
}

enum SecurityError {
    /// Passes an error for a status code to a caller that requested it, retained once.
    ///
    /// - Parameters:
    ///   - status: the code.
    ///   - reason: the problem, if more is known than the text of the code.
    ///   - error: receives the error.
    static func hand(
        _ status: OSStatus,
        _ reason: String? = nil,
        to error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) {
        guard let error else { return }
        error.pointee = Unmanaged.passRetained(make(status, reason))
    }

    /// The error of an operation that an access control does not permit, like that of LocalAuthentication (Semantics,
    /// "Access control").
    static func operationNotAllowed(_ reason: String) -> NSError {
        NSError(
            domain: "com.apple.LocalAuthentication",
            code: -1009,
            userInfo: [NSLocalizedDescriptionKey: reason]
        )
    }

    /// Creates an error for a status code, with Apple's text for it, and the reason if known.
    static func make(_ status: OSStatus, _ reason: String? = nil) -> CFError {
        let text = Status(rawValue: status).message ?? "OSStatus \(status)"
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(status),
            userInfo: [NSLocalizedDescriptionKey: text, NSLocalizedFailureReasonErrorKey: reason ?? text]
        )
    }
}
