// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One field of a certificate: a label, and a value with its type.
package struct CertificateProperty: Sendable, Hashable {
    /// A human-readable name, or an object identifier in dotted decimal notation.
    package var label: String

    /// The value of the field.
    package var value: Value

    /// A value, by its type.
    package enum Value: Sendable, Hashable {
        /// A text.
        case string(String)
        /// Bytes.
        case data([UInt8])
        /// A number; a time is the seconds since 2001.
        case number(Double)
        /// A time.
        case date(Timestamp)
        /// An address.
        case address(String)
        /// Bytes of several values.
        case list([[UInt8]])
        /// Properties with their own labels.
        case section([CertificateProperty])
    }

    init(_ label: String, _ value: Value) {
        self.label = label
        self.value = value
    }

    init(_ label: String, _ text: String) { self.init(label, .string(text)) }

    init(_ label: String, _ isTrue: Bool) { self.init(label, isTrue ? "Yes" : "No") }
}
