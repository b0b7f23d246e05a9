// SPDX-License-Identifier: Apache-2.0

import KeychainSupport

/// The stack of the calling thread, which contains working copies of keys and secrets during a call.
package enum StackMemory {
    /// How much of the stack a call uses at most.
    package enum Depth: Int, Sendable {
        /// A call of the engine, or the derivation of a key from a passcode.
        case call = 65_536
        /// The use of an asymmetric private key: arithmetic on keys of ML-KEM and ML-DSA takes many kilobytes.
        case privateKey = 131_072
    }

    /// Calls `body`, and then overwrites the part of the stack that it used with zeros.
    ///
    /// The result of `body` stays, as does what it left in freed heap memory.
    package static func wiped<Result, Failure: Error>(
        _ depth: Depth = .call,
        after body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { CSupport.wipeStack(depth.rawValue) }
        return try run(body)
    }

    // Inlined into the caller, its frame would be above what is wiped.
    @inline(never)
    private static func run<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }
}
