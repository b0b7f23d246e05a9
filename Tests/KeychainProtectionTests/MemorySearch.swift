// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Crypto
import KeychainCore

@testable import KeychainProtection

/// Looks for secrets in the memory of this process, without holding them: it knows them masked only.
struct MemorySearch {
    private static let mask: UInt8 = 0xA5
    private static let fragmentCount = 16

    private var masked: [UInt8] = []
    private var names: [String] = []

    /// How many fragments there are to look for.
    var count: Int { names.count }

    /// Adds a key: as it is, and padded for HMAC.
    mutating func add(_ name: String, _ key: SymmetricKey) {
        key.withUnsafeBytes { bytes in
            for (form, pad) in [("", 0), (" in the inner pad", 0x36), (" in the outer pad", 0x5C)] as [(String, UInt8)]
            {
                add(name + form, bytes, pad)
            }
        }
    }

    /// Adds a key that lies in locked memory.
    mutating func add(_ name: String, _ key: LockedKey) { key.withKey { add(name, $0) } }

    /// Adds a secret, whose last bytes are left out when they fill no fragment.
    mutating func add(_ name: String, _ secret: SecretBytes) {
        secret.withUnsafeBytes { add(name, $0, 0) }
    }

    private mutating func add(_ name: String, _ bytes: UnsafeRawBufferPointer, _ pad: UInt8) {
        for start in stride(from: 0, through: bytes.count - Self.fragmentCount, by: Self.fragmentCount) {
            // Byte by byte, so that no register holds more of it.
            for offset in 0..<Self.fragmentCount { masked.append(bytes[start + offset] ^ (Self.mask ^ pad)) }
            names.append("\(name)\(form(start))")
        }
    }

    private func form(_ start: Int) -> String { start == 0 ? "" : " from byte \(start)" }

    /// What is found, by name; `nil` when the memory cannot be read.
    func finds() -> [String]? {
        var finds = [storm_find](repeating: storm_find(), count: 64)
        let found = storm_find_masked(masked, names.count, Self.mask, &finds, finds.count)
        guard found != .max else { return nil }
        return finds.prefix(found).map { "\(names[$0.needle]) at 0x\(String($0.address, radix: 16))" }
    }
}
