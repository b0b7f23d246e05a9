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
    /// Gives an error of a status code to a caller that asked for it, retained once.
    static func hand(_ status: OSStatus, to error: UnsafeMutablePointer<Unmanaged<CFError>?>?) {
        guard let error else { return }
        error.pointee = Unmanaged.passRetained(make(status))
    }

    /// An error of a status code.
    static func make(_ status: OSStatus) -> CFError {
        let text = Status(rawValue: status).message ?? "OSStatus \(status)"
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(status),
            userInfo: [NSLocalizedDescriptionKey: text, NSLocalizedFailureReasonErrorKey: text]
        )
    }
}
