// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

/// The body of a message, which may have a secret in it: its memory is wiped.
///
/// The memory at most doubles with the bytes that have arrived. All who are sent the message share it.
package final class BusBody {
    // Small messages pass when others have reached the limit; the number of connections limits these bytes.
    static let uncounted = 64 << 10
    private static let firstCapacity = 1_024

    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private let memory: BusMemory?
    private var counted = 0

    /// How many bytes there are.
    package private(set) var count = 0

    /// No bytes yet.
    package init(countedBy memory: BusMemory? = nil) { self.memory = memory }

    /// The body of a message of the bus's own.
    package convenience init(_ bytes: [UInt8]) {
        self.init()
        _ = bytes.withUnsafeBytes { append($0, whole: bytes.count) }
    }

    deinit {
        release()
        memory?.subtract(counted)
    }

    /// The size of the buffer.
    package var capacity: Int { buffer.count }

    /// Adds bytes of a body that will have `whole` bytes; `false` if a limit does not allow that.
    func append(_ bytes: UnsafeRawBufferPointer, whole: Int) -> Bool {
        guard !bytes.isEmpty else { return true }
        if count + bytes.count > buffer.count {
            let wanted = max(Self.firstCapacity, 2 * buffer.count, count + bytes.count)
            guard grow(to: min(wanted, max(whole, count + bytes.count))) else { return false }
        }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }

    /// Lends the bytes.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    private func grow(to capacity: Int) -> Bool {
        let more = max(0, capacity - Self.uncounted) - counted
        if more > 0, let memory {
            guard memory.add(more) else { return false }
            counted += more
        }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
        if count > 0 { larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        release()
        buffer = larger
        return true
    }

    private func release() {
        guard let base = buffer.baseAddress else { return }
        keychain_wipe(base, count)
        buffer.deallocate()
    }
}
