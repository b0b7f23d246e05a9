// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire
import Testing

/// Messages in pieces, as a socket hands them over.
struct FrameReaderTests {
    @Test(
        "a message is complete with its last byte, in pieces of whatever size",
        arguments: [1, 3, 4, 5, 4096, 1 << 20]
    )
    func pieces(_ size: Int) throws {
        let secret = SecretBytes([UInt8](repeating: 7, count: 20_000))
        for message in [WireMessage.command(1, .device(.status)), .command(2, .device(.unlock(secret)))] {
            let frame = try message.encoded().unprotectedCopy
            var reader = FrameReader()
            for start in stride(from: 0, to: frame.count, by: size) {
                let piece = Array(frame[start..<min(start + size, frame.count)])
                let (taken, isComplete) = try piece.withUnsafeBytes { try reader.append($0, .message) }
                #expect(taken == piece.count)
                #expect(isComplete == (start + piece.count == frame.count))
            }
            #expect(try reader.withBytes { try WireMessage(frame: $0) } == message)
            reader.clear()
            let isEmpty = reader.isEmpty
            #expect(isEmpty && reader.capacity == 0)
        }
    }

    @Test("a length of which nothing follows is believed no further than bytes have arrived")
    func emptyPromise() throws {
        var reader = FrameReader()
        let header: [UInt8] = [0x04, 0, 0, 0]
        _ = try header.withUnsafeBytes { try reader.append($0, .message) }
        let first = reader.capacity
        #expect(first <= 4096)
        let some = [UInt8](repeating: 0, count: 10_000)
        _ = try some.withUnsafeBytes { try reader.append($0, .message) }
        let second = reader.capacity
        #expect(second <= 4 * (some.count + header.count))
    }

    @Test("a frame of four gigabytes is refused by its length")
    func tooLong() {
        var reader = FrameReader()
        let header: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0]
        let error = header.withUnsafeBytes { bytes -> WireError? in
            do throws(WireError) {
                _ = try reader.append(bytes, .message)
                return nil
            } catch {
                return error
            }
        }
        #expect(error == .tooLong)
    }

    @Test("bytes behind the end are an error")
    func trailing() throws {
        let frame = try WireMessage.endPrompt(1).encoded().unprotectedCopy + [0]
        var reader = FrameReader()
        let error = frame.withUnsafeBytes { bytes -> WireError? in
            do throws(WireError) {
                _ = try reader.append(bytes, .message)
                return nil
            } catch {
                return error
            }
        }
        #expect(error == .trailingBytes)
    }

    @Test("of a daemon several messages may arrive at once, and part of another")
    func several() throws {
        let messages: [WireMessage] = [.working(1), .reply(1, .done), .goodbye(1)]
        let bytes = try messages.flatMap { try $0.encoded().unprotectedCopy }
        var reader = FrameReader(keepsMore: true)
        let isComplete = try bytes.dropLast().withUnsafeBytes { try reader.append($0, .message).isComplete }
        #expect(isComplete)
        for message in messages.dropLast() {
            #expect(try reader.withBytes { try WireMessage(frame: $0) } == message)
            reader.clear()
            _ = try [UInt8]().withUnsafeBytes { try reader.append($0, .message) }
        }
        let last = try bytes.suffix(1).withUnsafeBytes { try reader.append($0, .message).isComplete }
        #expect(last)
        #expect(try reader.withBytes { try WireMessage(frame: $0) } == messages.last)
    }
}
