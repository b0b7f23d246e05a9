// SPDX-License-Identifier: Apache-2.0

/// A number of things, in words.
enum Count {
    static func text(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}

/// Seconds, in words, rounded up: nobody comes back too soon.
enum Duration {
    static func text(_ seconds: Double) -> String { Count.text(Int(seconds.rounded(.up)), "second") }
}
