// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runtime

extension Backtrace {
    /// A backtrace of one address, to be symbolicated.
    ///
    /// It is decoded from the Compact Backtrace Format, version 0 (docs/CompactBacktraceFormat.md of Swift), because
    /// `Backtrace` has no initializer that takes addresses.
    init?(programCounter: UInt64) {
        // Of version 0, with words of 64 bits; a program counter, which is absolute and has eight bytes; the end.
        var bytes: [UInt8] = [0b0000_0010, 0b0001_1111]
        withUnsafeBytes(of: programCounter.bigEndian) { bytes += $0 }
        bytes.append(0)
        // As `Backtrace` encodes itself: base 64 without padding.
        let text = Data(bytes).base64EncodedString().prefix { $0 != "=" }
        let json = #"{"architecture":"\#(Self.architecture)","backtrace":"\#(text)"}"#
        guard let decoded = try? JSONDecoder().decode(Backtrace.self, from: Data(json.utf8)) else { return nil }
        self = decoded
    }

    #if arch(arm64)
    private static let architecture = "arm64"
    #else
    private static let architecture = "x86_64"
    #endif
}
