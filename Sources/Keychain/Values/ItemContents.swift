// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

// Keys and certificates of Apple's Security never change, and its headers do not say so to the compiler.

/// What an item holds.
public enum ItemContents: @unchecked Sendable {
    /// Bytes: the secret of a password.
    case data(Data)
    /// A key.
    case key(SecKey)
    /// A certificate.
    case certificate(SecCertificate)
}

extension ItemContents: CustomStringConvertible {
    /// Which kind of contents it is; never the contents.
    public var description: String {
        switch self {
        case .data: "data"
        case .key: "a key"
        case .certificate: "a certificate"
        }
    }
}

extension ItemContents: CustomReflectable {
    /// Nothing of the contents, in a dump either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}
