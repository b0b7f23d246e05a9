// SPDX-License-Identifier: Apache-2.0

/// How many iterations of key derivation one file may cost, with all that is in it, each for as many blocks as it
/// derives.
///
/// The numbers stand in the file, before anything in it is authenticated: without a limit a file of a few bytes keeps a
/// processor busy for hours. Two million iterations for one key are more than three times what NSS writes, and a
/// thousand times what OpenSSL does; all of a file together take two seconds at most.
package struct WorkBudget {
    /// What is left, in iterations of PBKDF2.
    package private(set) var left: Int

    /// The work that is allowed for a file, or another number of iterations.
    package init(left: Int = 12_000_000) { self.left = left }

    /// The most iterations of one derivation.
    static let mostIterations = 2_000_000

    /// How often a password is hashed for each of several derivations in a new file.
    ///
    /// As often as for one encrypted key, but no more than six million times in all, so that a file of many keys can be
    /// read; at least as often as OpenSSL does.
    package static func usualIterations(derivations: Int) -> Int {
        min(600_000, max(2048, 6_000_000 / max(derivations, 1)))
    }

    /// What an iteration costs.
    enum Cost: Int {
        /// One of PBKDF2, in which the library stays from the first to the last.
        case pbkdf2 = 1
        /// One of PKCS #12 (RFC 7292, appendix B), each of which is a hash of its own.
        case pkcs12 = 4
    }

    /// Takes iterations off.
    ///
    /// - Parameters:
    ///   - iterations: how often each block is hashed.
    ///   - cost: what one of them costs.
    ///   - byteCounts: how long each output is.
    ///   - blockByteCount: the length of the hash.
    /// - Throws: when there are none, or more than are left.
    mutating func spend(
        _ iterations: Int,
        at cost: Cost,
        over byteCounts: Int...,
        blockByteCount: Int
    ) throws(ContainerError) {
        guard iterations > 0 else { throw .malformed("a key is derived in no iteration") }
        let blocks = byteCounts.reduce(0) { $0 + ($1 + blockByteCount - 1) / blockByteCount }
        let (work, overflows) = iterations.multipliedReportingOverflow(by: blocks * cost.rawValue)
        guard !overflows, work <= left, left == .max || iterations <= Self.mostIterations else {
            throw .unsupported("the file asks for more work than is allowed")
        }
        left -= work
    }
}
