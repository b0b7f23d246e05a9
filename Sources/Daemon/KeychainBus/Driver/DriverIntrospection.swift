// SPDX-License-Identifier: Apache-2.0

/// What the bus itself can do, as programs look it up (D-Bus Specification, "Introspection Data Format").
enum DriverIntrospection {
    /// The text.
    static let text: String = {
        var text = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        let methods = DriverMethod.all()
        var interfaces: [String] = []
        for method in methods where !interfaces.contains(method.interface) { interfaces.append(method.interface) }
        for interface in interfaces {
            text += " <interface name=\"\(interface)\">\n"
            for method in methods where method.interface == interface { text += describe(method) }
            if interface == BusNames.driver { text += signals + properties }
            text += " </interface>\n"
        }
        return text + "</node>\n"
    }()

    private static func describe(_ method: DriverMethod) -> String {
        let arguments = [("in", types(method.input)), ("out", types(method.output))].flatMap { direction, types in
            types.map { "   <arg direction=\"\(direction)\" type=\"\($0)\"/>\n" }
        }
        return "  <method name=\"\(method.name)\">\n\(arguments.joined())  </method>\n"
    }

    /// The complete types of a signature of the table: an array is its only one.
    private static func types(_ signature: String) -> [String] {
        signature.contains("a") ? [signature] : signature.map { String($0) }
    }

    private static let signals = [("NameOwnerChanged", 3), ("NameLost", 1), ("NameAcquired", 1)].map { name, count in
        "  <signal name=\"\(name)\">\n\(String(repeating: "   <arg type=\"s\"/>\n", count: count))  </signal>\n"
    }.joined()

    private static let properties = DriverProperties.values.map { name, _ in
        "  <property name=\"\(name)\" type=\"as\" access=\"read\"/>\n"
    }.joined()
}
