// SPDX-License-Identifier: Apache-2.0

/// The properties of the bus itself (D-Bus Specification, "Message Bus Properties").
enum DriverProperties {
    /// Fields of headers that the specification does not know are not passed on.
    static let values: KeyValuePairs<String, [String]> = ["Features": ["HeaderFiltering"], "Interfaces": []]

    static func get(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let texts = try call.texts(2)
        let (interface, name) = (texts[0], texts[1])
        guard interface == BusNames.driver || interface.isEmpty, let value = values.first(where: { $0.key == name })
        else { throw DriverError(.unknownProperty, "the bus has no such property") }
        return DriverReply("v") { append(value.value, to: &$0) }
    }

    static func all(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let interface = try call.text()
        guard interface == BusNames.driver || interface.isEmpty else {
            throw DriverError(.unknownInterface, "the bus has no such interface with properties")
        }
        return DriverReply("a{sv}") { writer in
            writer.append(arrayAlignedTo: 8) { writer in
                for (name, value) in values {
                    writer.align(to: 8)
                    writer.append(name)
                    append(value, to: &writer)
                }
            }
        }
    }

    private static func append(_ value: [String], to writer: inout BusValueWriter) {
        writer.append(signature: "as")
        writer.append(value)
    }
}
