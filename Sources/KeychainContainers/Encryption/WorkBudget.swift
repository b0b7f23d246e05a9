// SPDX-License-Identifier: Apache-2.0

/// How many iterations of key derivation one file may cost, each for as many blocks as it derives.
///
/// The number stands in the file, before anything in it is authenticated: without a limit a file of a few bytes keeps a
/// processor busy for hours. Ten million blocks are many times what NSS writes, thousands of times what OpenSSL does,
/// and take a few seconds.
struct WorkBudget {
    var left = 10_000_000

    /// Takes iterations off.
    ///
    /// - Parameters:
    ///   - iterations: how often each block is hashed.
    ///   - byteCounts: how long each output is.
    ///   - blockByteCount: the length of the hash.
    /// - Throws: when there are none, or more than are left.
    mutating func spend(_ iterations: Int, _ byteCounts: Int..., blockByteCount: Int) throws(ContainerError) {
        guard iterations > 0 else { throw .malformed("a key is derived in no iteration") }
        let blocks = byteCounts.reduce(0) { $0 + ($1 + blockByteCount - 1) / blockByteCount }
        let (work, overflows) = iterations.multipliedReportingOverflow(by: blocks)
        guard !overflows, work <= left else { throw .unsupported("the file asks for more work than is allowed") }
        left -= work
    }
}
