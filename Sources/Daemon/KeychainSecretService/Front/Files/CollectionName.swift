// SPDX-License-Identifier: Apache-2.0

/// A collection, by the last element of its path.
struct CollectionName: Sendable, Hashable {
    /// The element.
    let element: String

    /// The data protection keychain, as a program sees it.
    static let login = CollectionName("login")

    /// A keychain in memory, which ends with the service.
    static let session = CollectionName("session")

    /// The collections that are no keychain files: there always are these two.
    static let fixed = [login, session]

    /// A collection of an element, which is a keychain file if it is none of the fixed ones; `nil` for what is no
    /// element.
    init?(element: String) {
        guard PathElement.isValid(element) else { return nil }
        self.element = element
    }

    /// A collection of an element that was made by ``PathElement/of(_:)``.
    init(_ element: String) { self.element = element }

    /// The collection of a keychain file.
    init(of file: FileCollections.File) { element = file.element }

    /// The label of a collection that is no keychain file, as long as none is set.
    var label: String { self == .login ? "Login" : "Session" }

    /// Whether it is a keychain file, if there is one.
    var isFile: Bool { !Self.fixed.contains(self) }
}
