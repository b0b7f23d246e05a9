// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A message of the bus, read and written value by value (`sd_bus_message_read_basic(3)`).
///
/// A value that does not have the requested type is `nil`.
package struct BusMessage: ~Copyable {
    let handle: OpaquePointer
    private let written = WrittenBytes()

    /// The most bytes that are appended to a message.
    ///
    /// With its header, it is no larger than dbus-daemon takes where its configuration says nothing (32 MiB), and no
    /// array is longer than D-Bus allows (64 MiB). A bus ends a connection that sends more.
    package static let mostBytes = (32 << 20) - (64 << 10)

    /// How many bytes were appended to it, at most.
    package var writtenByteCount: Int { written.count }

    /// Takes over a reference to a message.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sd_bus_message_unref(handle) }

    /// The object that is called, or that a signal is of; empty for a reply.
    package var path: String { String(optionalCString: sd_bus_message_get_path(handle)) }

    /// The unique name of the connection that sent it.
    package var sender: String { String(optionalCString: sd_bus_message_get_sender(handle)) }

    /// The name of the signal, or of the called method, after that of its interface and a dot; empty for a reply.
    package var name: String {
        let interface = String(optionalCString: sd_bus_message_get_interface(handle))
        let member = String(optionalCString: sd_bus_message_get_member(handle))
        return member.isEmpty ? "" : "\(interface).\(member)"
    }

    /// The name of the method, without that of its interface, which a call need not have.
    package var member: String { String(optionalCString: sd_bus_message_get_member(handle)) }

    /// The name of the interface; empty for a call without one.
    package var interface: String { String(optionalCString: sd_bus_message_get_interface(handle)) }

    /// Whether it calls a method.
    package var isCall: Bool { sd_bus_message_is_method_call(handle, nil, nil) > 0 }

    /// Whether its sender waits for a reply.
    package var expectsReply: Bool { sd_bus_message_get_expect_reply(handle) > 0 }

    /// The number of the call that it is a reply to, also one that failed; `nil` for no reply.
    package var replyNumber: UInt64? {
        var number: UInt64 = 0
        return sd_bus_message_get_reply_cookie(handle, &number) >= 0 ? number : nil
    }

    /// Whether it is the refusal of a call.
    package var isError: Bool { sd_bus_message_is_method_error(handle, nil) > 0 }

    /// Whether its contents are of these types and no others, whatever was read of them already.
    package func has(signature: String) -> Bool { sd_bus_message_has_signature(handle, signature) > 0 }

    /// Ends the writing of a message, which is then read from its beginning as if it had come: for tests.
    package func seal() throws(BusError) { try BusError.check(sd_bus_message_seal(handle, 1, 0)) }

    /// Has its memory overwritten when it is released.
    package func markSensitive() { sd_bus_message_sensitive(handle) }

    /// Whether it is a signal.
    package var isSignal: Bool { sd_bus_message_is_signal(handle, nil, nil) > 0 }

    /// The next value, a text.
    package func string() -> String? { text("s") }

    /// The next value, the path of an object.
    package func objectPath() -> String? { text("o") }

    /// The next value, a boolean.
    package func bool() -> Bool? {
        // A boolean is read into an int.
        var value: Int32 = 0
        return sd_bus_message_read_basic(handle, Self.type("b"), &value) > 0 ? value != 0 : nil
    }

    /// The next value, a 32-bit number without sign.
    package func uint32() -> UInt32? {
        var value: UInt32 = 0
        return sd_bus_message_read_basic(handle, Self.type("u"), &value) > 0 ? value : nil
    }

    /// The next value, a 64-bit number without sign.
    package func uint64() -> UInt64? {
        var value: UInt64 = 0
        return sd_bus_message_read_basic(handle, Self.type("t"), &value) > 0 ? value : nil
    }

    /// A descriptor, which belongs to the message and is closed with it.
    package func descriptor() -> Int32? {
        var value: Int32 = -1
        return sd_bus_message_read_basic(handle, Self.type("h"), &value) > 0 ? value : nil
    }

    /// Lends the next value, an array of bytes; `nil` if it is none.
    ///
    /// The bytes are those of the message, and good only during the call.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        var start: UnsafeRawPointer?
        var count = 0
        guard sd_bus_message_read_array(handle, Self.type("y"), &start, &count) > 0 else { return nil }
        return body(UnsafeRawBufferPointer(start: count > 0 ? start : nil, count: count))
    }

    /// The types of what the next value, a variant, contains; `nil` if it is none.
    package func typesOfVariant() -> String? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(handle, &kind, &contents) > 0, kind == Self.type("v") else { return nil }
        return contents.map { String(cString: $0) }
    }

    /// Whether the next value is a container of this kind and these contents, which is entered then.
    package func enter(_ kind: Character, _ contents: String) -> Bool {
        sd_bus_message_enter_container(handle, Self.type(kind), contents) > 0
    }

    /// Leaves the container that was entered.
    package func leave() { sd_bus_message_exit_container(handle) }

    /// Whether the next value, of this type, was passed over.
    package func skip(_ type: String) -> Bool { sd_bus_message_skip(handle, type) > 0 }

    /// Appends a text, or what is written as one, such as the path of an object.
    ///
    /// - Throws: ``BusError`` with `EMSGSIZE`, as all of these functions, if the message would be too large.
    package func append(_ text: String, as type: Character = "s") throws(BusError) {
        try count(text.utf8.count)
        try BusError.check(text.withCString { sd_bus_message_append_basic(handle, Self.type(type), $0) })
    }

    /// Appends a 32-bit number without sign.
    package func append(_ value: UInt32) throws(BusError) {
        try count(4)
        let result = withUnsafePointer(to: value) { sd_bus_message_append_basic(handle, Self.type("u"), $0) }
        try BusError.check(result)
    }

    /// Appends a 64-bit number without sign.
    package func append(_ value: UInt64) throws(BusError) {
        try count(8)
        let result = withUnsafePointer(to: value) { sd_bus_message_append_basic(handle, Self.type("t"), $0) }
        try BusError.check(result)
    }

    /// Appends a boolean.
    package func append(_ value: Bool) throws(BusError) {
        try count(4)
        let number: Int32 = value ? 1 : 0
        let result = withUnsafePointer(to: number) { sd_bus_message_append_basic(handle, Self.type("b"), $0) }
        try BusError.check(result)
    }

    /// Appends an array of bytes.
    package func append(bytes: UnsafeRawBufferPointer) throws(BusError) {
        try count(bytes.count)
        try BusError.check(sd_bus_message_append_array(handle, Self.type("y"), bytes.baseAddress, bytes.count))
    }

    /// Appends an array of bytes.
    package func append(bytes: [UInt8]) throws(BusError) {
        try count(bytes.count)
        let result = bytes.withUnsafeBytes {
            sd_bus_message_append_array(handle, Self.type("y"), $0.baseAddress, $0.count)
        }
        try BusError.check(result)
    }

    /// Appends an array of texts, or of the paths of objects.
    package func append(array: [String], of type: Character) throws(BusError) {
        try append("a", of: "\(type)") { () throws(BusError) in
            for text in array { try append(text, as: type) }
        }
    }

    /// Appends a copy of a descriptor.
    package func append(descriptor: Int32) throws(BusError) {
        try count(4)
        let result = withUnsafePointer(to: descriptor) { sd_bus_message_append_basic(handle, Self.type("h"), $0) }
        try BusError.check(result)
    }

    /// Appends a container of this kind and these contents.
    package func append(
        _ kind: Character,
        of contents: String,
        _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try count(contents.utf8.count)
        try BusError.check(sd_bus_message_open_container(handle, Self.type(kind), contents))
        try body()
        try BusError.check(sd_bus_message_close_container(handle))
    }

    private func count(_ bytes: Int) throws(BusError) {
        // With its length, its end, and what aligns it.
        written.count += bytes + 16
        guard written.count <= Self.mostBytes else { throw BusError(-EMSGSIZE) }
    }

    private func text(_ type: Character) -> String? {
        var value: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(handle, Self.type(type), &value) > 0 else { return nil }
        return value.map { String(cString: $0) }
    }

    private static func type(_ character: Character) -> CChar { CChar(character.asciiValue ?? 0) }
}

/// How much was appended to a message, for the thread of its connection.
private final class WrittenBytes {
    var count = 0
}

extension String {
    fileprivate init(optionalCString: UnsafePointer<CChar>?) {
        self = optionalCString.map { String(cString: $0) } ?? ""
    }
}
