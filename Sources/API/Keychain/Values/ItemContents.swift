// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

// Keys and certificates of Apple's Security never change, and its headers do not say so to the compiler.

/// The contents of an item.
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

/// The details of an item besides its key: none of them is part of the key, and none of them is secret.
public struct ItemDetails: Sendable, Hashable {
    /// The name that people see.
    public var label: String?

    /// A description of the kind of item; for passwords.
    public var kind: String?

    /// A comment; of passwords.
    public var comment: String?

    /// Data for the app's own use; for generic passwords.
    public var generic: Data?

    /// Details; what is `nil` is left out of an add, and stays as it is in a set or an update.
    public init(label: String? = nil, kind: String? = nil, comment: String? = nil, generic: Data? = nil) {
        self.label = label
        self.kind = kind
        self.comment = comment
        self.generic = generic
    }

    /// None.
    public static let none = ItemDetails()
}
