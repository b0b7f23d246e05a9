// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which credential a service manager asks for, and for which unit.
///
/// It is in the address that it connects from (systemd.exec(5), `LoadCredential=`): a NUL, letters and digits at
/// random, `/unit/`, the unit, a slash, the credential. Anybody may connect from such an address.
struct CredentialRequest: Hashable, Sendable {
    /// The unit, such as `app.service`.
    let unit: String

    /// The name of the credential.
    let name: String

    /// Reads an address, without its family; `nil` for any other.
    init?(address: [UInt8]) {
        guard address.first == 0 else { return nil }
        let parts = address.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 4, Self.isRandom(parts[0]), parts[1].elementsEqual("unit".utf8),
            let unit = CredentialTable.unit(parts[2]), let name = CredentialTable.name(parts[3])
        else { return nil }
        (self.unit, self.name) = (unit, name)
    }

    private static func isRandom(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                ("a"..."z").contains(Unicode.Scalar($0)) || ("A"..."Z").contains(Unicode.Scalar($0))
                    || ("0"..."9").contains(Unicode.Scalar($0))
            }
    }

    /// The request of who has connected a socket; `nil` for an address of another kind.
    init?(of socket: Int32) {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
        }
        let count = Int(size) - MemoryLayout<sa_family_t>.size
        guard isKnown, count > 0, count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        self.init(address: withUnsafeBytes(of: &address.sun_path) { Array($0.prefix(count)) })
    }
}
