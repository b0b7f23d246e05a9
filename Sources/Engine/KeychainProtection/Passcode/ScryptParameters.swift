// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// How much work one derivation of a key from a passcode or password is: the parameters of scrypt (RFC 7914).
package struct ScryptParameters: Sendable, Hashable {
    /// The binary logarithm of the cost N.
    package let log2Cost: UInt8
    /// The block size r.
    package let blockSize: UInt32
    /// The parallelization p.
    package let parallelization: UInt32

    /// N = 2^17, r = 8, p = 1: 128 MiB, and a good part of a second.
    package static let standard = ScryptParameters(log2Cost: 17, blockSize: 8, parallelization: 1)

    /// N = 2^14, r = 8, p = 1: the minimum that a file may specify, for tests whose files other processes open.
    package static let minimumInFiles = ScryptParameters(log2Cost: 14, blockSize: 8, parallelization: 1)

    /// N = 2, r = 1, p = 1: the absolute minimum, for test devices whose passcodes need no protection.
    package static let minimum = ScryptParameters(log2Cost: 1, blockSize: 1, parallelization: 1)

    /// N = 2^4, r = 8, p = 1: no protection, for tests that try many passcodes.
    package static let testing = ScryptParameters(log2Cost: 4, blockSize: 8, parallelization: 1)
}

extension ScryptParameters {
    /// The size of the parameters in a file, in bytes.
    static let byteCount = 9

    /// Whether the parameters are within the limit.
    ///
    /// The product 128 * N * r * p, which bounds memory and time alike, must be at most 256 MiB, twice the standard:
    /// messages of programs cause the system service to derive keys, too.
    ///
    /// The limits of RFC 7914, section 2, are wider than these; the block size is limited by what swift-crypto
    /// supports.
    var areAcceptable: Bool {
        guard (1...23).contains(log2Cost), (1...16).contains(blockSize), (1...(1 << 23)).contains(parallelization),
            UInt64(log2Cost) < 16 * UInt64(blockSize)
        else { return false }
        return (UInt64(blockSize) * UInt64(parallelization)) << UInt64(log2Cost) <= 1 << 21
    }

    /// The bytes in a file: binary logarithm of N, r, p.
    var encoded: [UInt8] {
        var bytes = [log2Cost]
        bytes.append(littleEndian: blockSize)
        bytes.append(littleEndian: parallelization)
        return bytes
    }

    /// Whether they are within all bounds: not too much work, and not too little.
    func isAcceptable(_ floor: ScryptFloor) -> Bool {
        areAcceptable && log2Cost >= floor.log2Cost && blockSize >= floor.blockSize
    }

    /// Parses parameters, valid or not.
    init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        log2Cost = try reader.integer(UInt8.self)
        blockSize = try reader.integer(UInt32.self)
        parallelization = try reader.integer(UInt32.self)
    }
}

/// The minimum work that a file may specify.
///
/// A lower one could be exploited by an attacker who can write to the file, or who creates a backup for others to
/// restore.
package struct ScryptFloor: Sendable, Hashable {
    let log2Cost: UInt8
    let blockSize: UInt32

    /// N = 2^14, r = 8: the parameters proposed for logins with scrypt in 2009, and the minimum that is accepted in a
    /// file.
    package static let standard = ScryptFloor(log2Cost: 14, blockSize: 8)

    private init(log2Cost: UInt8, blockSize: UInt32) {
        self.log2Cost = log2Cost
        self.blockSize = blockSize
    }

    /// The minimum for a device with the given work: the standard, and lower for test devices with less work.
    package init(of work: ScryptParameters) {
        log2Cost = min(Self.standard.log2Cost, work.log2Cost)
        blockSize = min(Self.standard.blockSize, work.blockSize)
    }
}
