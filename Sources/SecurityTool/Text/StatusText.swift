// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

extension Status {
    /// The sentence for the status, as every message of the command has it.
    var text: String {
        if let message { return message }
        if Self.systemErrors.contains(rawValue) {
            return Self.text(ofSystemError: rawValue - Self.systemErrors.lowerBound)
        }
        let digits = String(UInt64(bitPattern: Int64(rawValue)), radix: 16)
        return "unknown error \(rawValue)=\(digits)"
    }

    /// The sentence for an `errno`, in the form that statuses made from one have.
    static func text(ofSystemError code: Int32) -> String { "UNIX[\(String(cString: strerror(code)))]" }

    /// A keychain does not exist: `errSecNoSuchKeychain`.
    static let noSuchKeychain = Status(rawValue: -25294)

    /// The statuses that stand for an `errno`: 100000 and the code.
    private static let systemErrors: ClosedRange<Int32> = 100_000...100_255
}
