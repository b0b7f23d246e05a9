// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The arguments or the environment of a program, in the form that the functions for starting one require.
package enum CStringVector {
    /// Calls `body` with copies of some strings, and a null pointer after the last; they are freed when it returns.
    ///
    /// - Parameters:
    ///   - strings: the strings; each ends at its first zero byte.
    ///   - body: uses the vector, which it must not keep.
    /// - Returns: What `body` returns.
    package static func with<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies = strings.map { strdup($0) }
        copies.append(nil)
        defer { for copy in copies { free(copy) } }
        return body(&copies)
    }
}
