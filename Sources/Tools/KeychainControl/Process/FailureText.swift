// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The reason of a failure, in words.
enum FailureText {
    /// The text of the system's error behind an error of Foundation; otherwise the error as it describes itself.
    static func of(_ error: any Error) -> String {
        guard let underlying = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
        return String(cString: strerror(underlying.code.rawValue))
    }
}
