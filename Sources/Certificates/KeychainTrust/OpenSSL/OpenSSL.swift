// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The system's libcrypto (OpenSSL 3), loaded when it is first needed: a program that evaluates no certificate loads no
/// library, nor does a service whose clients agree on no keys.
///
/// It is used with its own library context, so that neither the configuration of the system nor that of the program
/// affects what is accepted, and nothing here affects a libcrypto that the program itself uses.
package struct OpenSSL: @unchecked Sendable {
    /// The functions that are called, for those of CKeychainOpenSSL.
    ///
    /// The value is safe because it is immutable: addresses of functions, and a thread-safe context.
    package let functions: OpaquePointer

    /// The library, or the reason that there is none.
    private static let loaded = Result { () throws(KeychainError) in try OpenSSL(fileName) }

    /// The library.
    ///
    /// - Throws: `errSecNotAvailable` where it is not installed.
    package static var shared: OpenSSL {
        get throws(KeychainError) { try loaded.get() }
    }

    /// The name under which distributions install OpenSSL 3.
    static let fileName = "libcrypto.so.3"

    /// Loads the library with a file name.
    ///
    /// - Throws: `errSecNotAvailable`, which names the library or the function that is missing.
    init(_ fileName: String) throws(KeychainError) {
        var reason = ""
        let functions = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> OpaquePointer? in
            guard let text = buffer.baseAddress else { return nil }
            text.pointee = 0
            let functions = COpenSSL.load(fileName, text, buffer.count)
            reason = String(cString: text)
            return functions
        }
        guard let functions else {
            throw KeychainError(
                .notAvailable,
                "certificates are judged by OpenSSL 3 (\(fileName)), which cannot be used: \(reason)",
                kind: .request
            )
        }
        self.functions = functions
    }
}

extension Timestamp {
    /// Whole seconds, as time_t counts them, within the years that a certificate can name.
    var secondsSince1970: Int64 {
        let years = -62_167_219_200.0...253_402_300_799.0
        let seconds = secondsSinceReferenceDate + Timestamp.referenceDateSince1970
        // NaN is before all certificates.
        guard seconds >= years.lowerBound else { return Int64(years.lowerBound) }
        return Int64(min(seconds, years.upperBound).rounded(.down))
    }
}
