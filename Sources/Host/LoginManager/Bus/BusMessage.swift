// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A message of the bus, read and written value by value (`sd_bus_message_read_basic(3)`).
///
/// A value that does not have the requested type is `nil`.
struct BusMessage: ~Copyable {
    let handle: OpaquePointer

    /// Takes over a reference to a message.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sd_bus_message_unref(handle) }

    var path: String { String(optionalCString: sd_bus_message_get_path(handle)) }

    var sender: String { String(optionalCString: sd_bus_message_get_sender(handle)) }

    /// The name of the signal, or of the called method, after that of its interface and a dot; empty for a reply.
    var name: String {
        let interface = String(optionalCString: sd_bus_message_get_interface(handle))
        let member = String(optionalCString: sd_bus_message_get_member(handle))
        return member.isEmpty ? "" : "\(interface).\(member)"
    }

    var isSignal: Bool { sd_bus_message_is_signal(handle, nil, nil) > 0 }

    func string() -> String? { text("s") }

    func objectPath() -> String? { text("o") }

    func bool() -> Bool? {
        // A boolean is read into an int.
        var value: Int32 = 0
        return sd_bus_message_read_basic(handle, Self.type("b"), &value) > 0 ? value != 0 : nil
    }

    func uint32() -> UInt32? {
        var value: UInt32 = 0
        return sd_bus_message_read_basic(handle, Self.type("u"), &value) > 0 ? value : nil
    }

    func uint64() -> UInt64? {
        var value: UInt64 = 0
        return sd_bus_message_read_basic(handle, Self.type("t"), &value) > 0 ? value : nil
    }

    /// A descriptor, which belongs to the message and is closed with it.
    func descriptor() -> Int32? {
        var value: Int32 = -1
        return sd_bus_message_read_basic(handle, Self.type("h"), &value) > 0 ? value : nil
    }

    /// Whether the next value is a container of this kind and these contents, which is entered then.
    func enter(_ kind: Character, _ contents: String) -> Bool {
        sd_bus_message_enter_container(handle, Self.type(kind), contents) > 0
    }

    func leave() { sd_bus_message_exit_container(handle) }

    /// Whether the next value, of this type, was passed over.
    func skip(_ type: String) -> Bool { sd_bus_message_skip(handle, type) > 0 }

    func append(_ text: String, as type: Character = "s") throws(BusError) {
        try BusError.check(text.withCString { sd_bus_message_append_basic(handle, Self.type(type), $0) })
    }

    func append(_ value: UInt32) throws(BusError) {
        let result = withUnsafePointer(to: value) { sd_bus_message_append_basic(handle, Self.type("u"), $0) }
        try BusError.check(result)
    }

    func append(_ value: UInt64) throws(BusError) {
        let result = withUnsafePointer(to: value) { sd_bus_message_append_basic(handle, Self.type("t"), $0) }
        try BusError.check(result)
    }

    func append(_ value: Bool) throws(BusError) {
        let number: Int32 = value ? 1 : 0
        let result = withUnsafePointer(to: number) { sd_bus_message_append_basic(handle, Self.type("b"), $0) }
        try BusError.check(result)
    }

    /// Appends a copy of a descriptor.
    func append(descriptor: Int32) throws(BusError) {
        let result = withUnsafePointer(to: descriptor) { sd_bus_message_append_basic(handle, Self.type("h"), $0) }
        try BusError.check(result)
    }

    /// Appends a container of this kind and these contents.
    func append(
        _ kind: Character,
        of contents: String,
        _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try BusError.check(sd_bus_message_open_container(handle, Self.type(kind), contents))
        try body()
        try BusError.check(sd_bus_message_close_container(handle))
    }

    private func text(_ type: Character) -> String? {
        var value: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(handle, Self.type(type), &value) > 0 else { return nil }
        return value.map { String(cString: $0) }
    }

    private static func type(_ character: Character) -> CChar { CChar(character.asciiValue ?? 0) }
}

extension String {
    fileprivate init(optionalCString: UnsafePointer<CChar>?) {
        self = optionalCString.map { String(cString: $0) } ?? ""
    }
}
