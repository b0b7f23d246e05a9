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

    /// Whether the port of an item is written as this one is.
    func hasSamePort(as entry: CredentialStore.Entry) -> Bool { entry.number("port") == Int64(port ?? 0) }
}
