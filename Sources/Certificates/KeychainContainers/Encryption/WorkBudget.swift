// SPDX-License-Identifier: Apache-2.0

/// The limit on key derivation for one file with all its contents, in iterations times derived blocks.
///
/// The file specifies the numbers, and nothing in it is authenticated yet: without a limit, a file of a few bytes could
/// keep a processor busy for hours. Two million iterations for one key are more than three times the number of NSS, and
/// a thousand times that of OpenSSL; all derivations of a file together take at most two seconds.
package struct WorkBudget {
    /// The remaining work, in iterations of PBKDF2.
    package private(set) var left: Int

    /// The work that is permitted for a file, or another number of iterations.
    package init(left: Int = 12_000_000) { self.left = left }

    /// The maximum number of iterations of one derivation.
    static let maximumIterations = 2_000_000

    /// The number of iterations for each of several derivations in a new file.
    ///
    /// The number for one encrypted key, but at most six million in total, so that a file of many keys can be read; at
    /// least the number of OpenSSL.
    package static func usualIterations(derivations: Int) -> Int {
        min(600_000, max(2048, 6_000_000 / max(derivations, 1)))
    }

    /// The cost of an iteration.
    enum Cost: Int {
        /// An iteration of PBKDF2, all of which are one library call.
        case pbkdf2 = 1
        /// An iteration of PKCS #12 (RFC 7292, appendix B), each of which is a separate hash.
        case pkcs12 = 4
    }

    /// Subtracts iterations.
    ///
    /// - Parameters:
    ///   - iterations: the number of iterations for each block.
    ///   - cost: the cost of an iteration.
    ///   - byteCounts: the length of each output.
    ///   - blockByteCount: the length of the hash.
    /// - Throws: if the number is zero, or exceeds the remaining work.
    mutating func spend(
        _ iterations: Int,
        at cost: Cost,
        over byteCounts: Int...,
        blockByteCount: Int
    ) throws(ContainerError) {
        guard iterations > 0 else { throw .malformed("a key is derived in no iteration") }
        let blocks = byteCounts.reduce(0) { $0 + ($1 + blockByteCount - 1) / blockByteCount }
        let (work, overflows) = iterations.multipliedReportingOverflow(by: blocks * cost.rawValue)
        guard !overflows, work <= left, left == .max || iterations <= Self.maximumIterations else {
            throw .unsupported("the file asks for more work than is allowed")
        }
        left -= work
    }
}
