// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// Why an operation on a device failed.
public struct VirtualDeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `OSStatus` of the refusal.
    public let status: Int32

    /// One sentence.
    public let reason: String

    /// The reason, with the status.
    public var description: String { "\(reason) (\(status))" }

    package init(_ error: KeychainError) {
        status = error.status.rawValue
        reason = error.reason
    }
}
