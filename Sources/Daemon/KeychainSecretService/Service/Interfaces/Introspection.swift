// SPDX-License-Identifier: Apache-2.0

/// What objects tell of themselves (D-Bus Specification, "Introspection Data Format"): their interfaces, and the nodes
/// below them that everybody may know of; no item, session or prompt.
enum Introspection {
    /// The description of what is at a path; `nil` if there is nothing.
    static func text(of path: String) -> String? {
        if let object = ObjectPath(path) {
            let below = object == .service ? ["aliases", "collection", "prompt", "session"] : []
            return document(Interface(of: object), below: below)
        }
        return nodes[path].map { document(nil, below: $0) }
    }

    /// The nodes on the way to objects.
    private static let nodes: [String: [String]] = [
        "/": ["org"],
        "/org": ["freedesktop"],
        "/org/freedesktop": ["secrets"],
        "\(ObjectPath.root)/aliases": ["default"] + CollectionName.fixed.map(\.element),
        "\(ObjectPath.root)/collection": CollectionName.fixed.map(\.element),
        "\(ObjectPath.root)/prompt": [],
        "\(ObjectPath.root)/session": [],
    ]

    private static func document(_ own: Interface?, below: [String]) -> String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
        ]
        for interface in Interface.allCases where interface == own || interface.isCommon {
            lines += description(of: interface)
        }
        lines += below.map { #" <node name="\#($0)"/>"# }
        return (lines + ["</node>", ""]).joined(separator: "\n")
    }

    private static func description(of interface: Interface) -> [String] {
        var lines = [#" <interface name="\#(interface.rawValue)">"#]
        for row in Method.allCases.map(\.row) where row.interface == interface {
            lines.append(#"  <method name="\#(row.name)">"#)
            lines += row.inputs.map { #"   <arg type="\#($0.value)" name="\#($0.key)" direction="in"/>"# }
            lines += row.outputs.map { #"   <arg type="\#($0.value)" name="\#($0.key)" direction="out"/>"# }
            lines.append("  </method>")
        }
        if interface == .peer { lines += [#"  <method name="Ping"/>"#] }
        for row in Signal.allCases.map(\.row) where row.interface == interface {
            lines.append(#"  <signal name="\#(row.name)">"#)
            lines += row.contents.map { #"   <arg type="\#($0.value)" name="\#($0.key)"/>"# }
            lines.append("  </signal>")
        }
        for row in Property.allCases.map(\.row) where row.interface == interface {
            let access = row.isWritable ? "readwrite" : "read"
            lines.append(#"  <property name="\#(row.name)" type="\#(row.type)" access="\#(access)"/>"#)
        }
        return lines + [" </interface>"]
    }
}
