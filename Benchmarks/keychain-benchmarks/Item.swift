// SPDX-License-Identifier: Apache-2.0

/// The attributes of the generic password number `number`: what an ordinary program keeps, a token per account.
struct Item {
    let number: Int

    /// One of a hundred services.
    var service: String { "com.example.service-\(number % 100)" }
    /// Unique.
    var account: String { "user-\(number)@example.com" }
    /// Unique.
    var label: String { "Example service \(number % 100) (user-\(number))" }
    /// 32 bytes.
    var secret: [UInt8] {
        (0..<4).flatMap { part in
            withUnsafeBytes(of: UInt64(truncatingIfNeeded: number &* 4 &+ part) &* 0x9E37_79B9_7F4A_7C15) { Array($0) }
        }
    }
    /// What an update puts in its place.
    var newSecret: [UInt8] { secret.reversed() }
}
