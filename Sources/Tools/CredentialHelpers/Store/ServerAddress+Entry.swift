// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ServerAddress {
    /// Whether an item is for this scheme and port, whatever its path is.
    ///
    /// A credential is never given to another port of its host: the port that is written nowhere is the scheme's own.
    func isPlace(of entry: CredentialStore.Entry) -> Bool {
        guard entry.text("ptcl") == code ?? "" else { return false }
        let port = entry.number("port")
        return (port == 0 ? defaultPort : port) == (self.port.map(Int64.init) ?? defaultPort)
    }

    /// Whether an item is for this scheme, port and path: one without a path is for each.
    func isWithin(_ entry: CredentialStore.Entry) -> Bool {
        isPlace(of: entry) && (!Self.hasPath(entry) || hasSamePath(as: entry))
    }

    /// Whether an item is for one path of its host only.
    static func hasPath(_ entry: CredentialStore.Entry) -> Bool { entry.text("path").map(pathName) != "" }

    /// Whether the path of an item is this one; `security` is given paths with the slash before them, git without.
    func hasSamePath(as entry: CredentialStore.Entry) -> Bool {
        entry.text("path").map { Self.pathName($0).hasSameBytes(as: Self.pathName(path ?? "")) } ?? false
    }

    private static func pathName(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? String(decoding: path.utf8.dropFirst(), as: UTF8.self) : path
    }

    /// Whether the port of an item is written as this one is.
    func hasSamePort(as entry: CredentialStore.Entry) -> Bool { entry.number("port") == Int64(port ?? 0) }
}
