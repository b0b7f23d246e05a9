// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The name under which Docker keeps a credential: the URL of a registry, or its host alone.
package struct DockerKey: Hashable, Sendable {
    /// The name as it was given.
    package let text: String

    /// What it names, its path without slashes at its ends; a name without a scheme is for HTTPS, as on macOS.
    package let address: ServerAddress

    /// The path as it was given, with the slash before it; `nil` if there is none.
    private let path: String?

    /// Reads a name.
    ///
    /// - Throws: ``HelperFailure`` for one that is empty, or is not the address of a registry.
    package init(_ text: String) throws(HelperFailure) {
        guard !text.isEmpty else { throw DockerHelper.noServer }
        let parts = ServerAddress.parts(ofURL: text)
        let written = parts ?? ServerAddress.parts(ofURL: "https://\(text)")
        guard let (scheme, authority, path) = written, scheme == "https" || scheme == "http",
            let (host, port) = ServerAddress.hostAndPort(authority), path?.isOneLine != false
        else { throw HelperFailure("the server URL is not the address of a registry") }
        self.text = text
        address = ServerAddress(scheme: scheme, host: host, port: port, path: Self.path(path))
        self.path = path.flatMap { $0.isEmpty ? nil : "/\($0)" }
    }

    /// A path without slashes at its ends; `nil` if nothing is left.
    private static func path(_ path: String?) -> String? {
        var path = path?[...] ?? ""
        while path.last == "/" { path.removeLast() }
        while path.first == "/" { path.removeFirst() }
        return path.isEmpty ? nil : String(path)
    }

    /// Whether an item is for this name.
    func isName(of entry: CredentialStore.Entry) -> Bool {
        address.isPlace(of: entry) && Self.path(entry.text("path")) == address.path
    }

    /// The attributes of a new item.
    var attributes: [AttributeName: PropertyValue] {
        var attributes = address.attributes
        attributes["path"] = path.map { .string($0) }
        attributes[Self.commentName] = .string(text)
        return attributes
    }

    /// The name of an item: as it was given, else a URL of its attributes.
    ///
    /// - Returns: `nil` for an item that is not of a registry.
    static func text(of entry: CredentialStore.Entry) -> String? {
        if let given = entry.text(commentName), !given.isEmpty, (try? DockerKey(given))?.isName(of: entry) == true {
            return given
        }
        guard let host = entry.text(.server), !host.isEmpty, let path = entry.text("path") else { return nil }
        let scheme = entry.text("ptcl") == "http" ? "http" : "https"
        let port = entry.number("port")
        let text =
            "\(scheme)://\(host)\(port == 0 ? "" : ":\(port)")\(path.isEmpty || path.hasPrefix("/") ? path : "/\(path)")"
        return (try? DockerKey(text)) == nil ? nil : text
    }

    /// The attribute that keeps the name as it was given (`kSecAttrComment`).
    private static let commentName: AttributeName = "icmt"
}
