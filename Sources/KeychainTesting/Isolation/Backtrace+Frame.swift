// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runtime

extension Backtrace {
    /// A backtrace of one frame, to be symbolicated; `nil` for a frame without an address.
    ///
    /// It is decoded from the Compact Backtrace Format, version 0 (docs/CompactBacktraceFormat.md of Swift), because
    /// `Backtrace` has no initializer that takes frames.
    init?(frame: Frame) {
        guard let (instruction, address) = frame.compact else { return nil }
        // Of version 0, with words of 64 bits; the address is absolute, and has eight bytes; the end.
        var bytes: [UInt8] = [0b0000_0010, instruction << 4 | 0b1111]
        withUnsafeBytes(of: address.bigEndian) { bytes += $0 }
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

extension Backtrace.Frame {
    /// An address within the call instruction; the return address may belong to another line; `nil` for a frame without
    /// an address.
    var addressOfCall: UInt64? {
        compact.map { instruction, address in instruction == Self.programCounter ? address : address &- 1 }
    }

    /// The instruction of the Compact Backtrace Format, and its address.
    fileprivate var compact: (instruction: UInt8, address: UInt64)? {
        switch self {
        case .programCounter(let address): UInt64(address).map { (Self.programCounter, $0) }
        case .returnAddress(let address): UInt64(address).map { (0b0010, $0) }
        case .asyncResumePoint(let address): UInt64(address).map { (0b0011, $0) }
        case .omittedFrames, .truncated: nil
        @unknown default: nil
        }
    }

    private static let programCounter: UInt8 = 0b0001
}
