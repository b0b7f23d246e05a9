// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CKeychainSupport

/// What cryptography leaves behind in memory, and how it is wiped.
///
/// swift-crypto wipes its keys, but not what it computes from them on the way: padded keys and states of HMAC, expanded
/// keys of AES, arrays that an unwrapped key passed through. They stay in freed blocks of the heap, on the stack and in
/// vector registers. So every call of it is made inside ``contain(_:)``.
///
/// Out of reach are copies that the kernel keeps of registers, blocks that another allocator than the system's puts
/// elsewhere, and what a program around us does with the bytes that it gave or got.
public enum Residue {
    /// Wipes the stack below the caller, and the vector registers.
    ///
    /// For callers that moved secrets themselves: copying goes through vector registers. Inside ``contain(_:)`` this is left
    /// to its end.
    public static func wipe() { keychain_wipe_residue() }

    /// Calls `body`, and wipes what it leaves behind.
    ///
    /// Wiping costs more than much of what it is for. So calls may be nested, and then the outermost wipes for all: what
    /// belongs together is contained together.
    static func contain<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        run {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { preconditionFailure("a body is called once") }
        return try result.get()
    }

    /// Calls `body`, which works with an asymmetric private key, and wipes what it leaves behind.
    ///
    /// Keys of ML-KEM and ML-DSA are expanded to many kilobytes, on the stack and in blocks that are larger than those of
    /// anything else.
    static func containPrivateKey<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { keychain_wipe_private_key_residue() }
        return try contain(body)
    }

    private static func run(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            withUnsafePointer(to: body) { body in
                keychain_contain(
                    { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() },
                    UnsafeMutableRawPointer(mutating: body)
                )
            }
        }
    }
}
