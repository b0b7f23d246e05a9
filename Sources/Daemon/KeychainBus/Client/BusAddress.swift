// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An address of a bus on this computer (D-Bus Specification, "Server Addresses").
package struct BusAddress: Sendable, Hashable {
    /// The name of its socket as the kernel has it: a path with the NUL behind it, or a name that begins with NUL.
    let socketName: [UInt8]

    /// The longest name of a socket (unix(7)).
    private static let longestName = 108

    /// The first address of a list that is the socket of this computer; `nil` if there is none.
    package init?(_ text: String) {
        for address in text.split(separator: ";") {
            let parts = address.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "unix" else { continue }
            for pair in parts[1].split(separator: ",") {
                let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2, let value = Self.unescaped(halves[1]), !value.isEmpty else { continue }
                let name: [UInt8]
                switch halves[0] {
                case "path": name = value + [0]
                case "abstract": name = [0] + value
                default: continue
                }
                guard name.count <= Self.longestName, !value.contains(0) else { continue }
                socketName = name
                return
            }
        }
        return nil
    }

    private static func unescaped(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2,
                digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// Connects a socket; 0 or an error number.
    func connect(_ socket: Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketName) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + socketName.count)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, length) }
        }
        return result == 0 ? 0 : errno
    }
}
