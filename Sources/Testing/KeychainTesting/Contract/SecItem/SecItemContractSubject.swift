// SPDX-License-Identifier: Apache-2.0

public import PortableSecurity

/// Four functions with the signatures of `SecItem…`, as injected into the code under test.
///
/// Adapt yours in a few lines:
///
/// ```swift
/// struct Subject: SecItemContractSubject {
///     let mock = OurMock()
///     func add(_ attributes: [String: Any]) -> SecItemAnswer {
///         SecItemAnswer { mock.add(attributes as CFDictionary, $0) }
///     }
///     …
/// }
/// ```
public protocol SecItemContractSubject {
    /// Behaves like `SecItemAdd`.
    func add(_ attributes: [String: Any]) -> SecItemAnswer

    /// Behaves like `SecItemCopyMatching`.
    func copyMatching(_ query: [String: Any]) -> SecItemAnswer

    /// Behaves like `SecItemUpdate`.
    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus

    /// Behaves like `SecItemDelete`.
    func delete(_ query: [String: Any]) -> OSStatus
}

/// A status and a result.
public struct SecItemAnswer {
    /// The status.
    public var status: OSStatus

    /// The result; `nil` for none.
    public var result: Any?

    /// An answer.
    public init(_ status: OSStatus, _ result: Any? = nil) {
        self.status = status
        self.result = result
    }

    /// The answer of a function that returns its result through a pointer.
    public init(_ call: (UnsafeMutablePointer<CFTypeRef?>) -> OSStatus) {
        var result: CFTypeRef?
        status = call(&result)
        self.result = result
    }
}
