// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import MessageBus
import Testing

@testable import KeychainSecretService

/// Arguments of other types than the table says, for every method and property that it has.
@Suite(.timeLimit(.minutes(5)))
struct InvalidArgumentTests {
    private let front: TestFront<LookupKeychain>
    private let client: TestClient
    private let session: String
    private let item: String

    private static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
    private static let number = "0123456789abcdef0123456789abcdef"

    init() throws {
        front = try TestFront()
        client = try front.client()
        session = try client.openSession()
        item = try client.store(["a": "b"], "secret", session: session)
    }

    /// An object with an interface; every one for an interface that all have.
    private func paths(of interface: Interface) -> [String] {
        let paths: [(Interface, String)] = [
            (.service, TestClient.root), (.collection, TestClient.login), (.collection, TestClient.byDefault),
            (.item, item), (.session, session), (.prompt, "\(TestClient.root)/prompt/\(Self.number)"),
        ]
        return paths.filter { $0.0 == interface || interface.isCommon }.map(\.1)
    }

    private static func otherTypes(than types: String) -> [String] {
        let several = ["", "s", "u", "b", "o", "v", "ao", "as", "ay", "a{ss}", "a{sv}", "(oayays)", "so", "sv", "aos"]
        return (several + [types + "s", "s" + types, types + types]).filter { $0 != types }
    }

    @Test(
        "every method refuses arguments of other types, fewer and more, and nothing is changed",
        arguments: Method.allCases
    )
    func types(_ method: Method) throws {
        let row = method.row
        for path in paths(of: row.interface) {
            for types in Self.otherTypes(than: row.signature) {
                let error = try refusal {
                    try client.send(path, of: row.interface, calling: row.name) { call throws(BusError) in
                        try call.append(emptyValuesOf: types)
                    }
                }
                #expect(error == Self.invalid, "\(types) at \(path)")
            }
        }
        try expectNothingChanged()
    }

    @Test(
        "every property refuses a value of another type, and one that cannot be changed every value",
        arguments: Property.allCases
    )
    func values(_ property: Property) throws {
        let row = property.row
        let values: [PropertyContent] = [
            .text("x"), .boolean(true), .seconds(1), .paths([]), .attributes(LookupAttributes()),
        ]
        for path in paths(of: row.interface) {
            for value in values where value.type != row.type || !row.isWritable {
                let error = try refusal { try client.set(row.name, of: path, row.interface, to: value) }
                #expect(error == (row.isWritable ? Self.invalid : "org.freedesktop.DBus.Error.PropertyReadOnly"))
            }
        }
        try expectNothingChanged()
    }

    @Test("a property of a new item has its type", arguments: ["Label", "Attributes"])
    func properties(_ name: String) throws {
        let right = name == "Label" ? "s" : "a{ss}"
        for types in ["s", "u", "b", "o", "v", "ao", "as", "ay", "a{ss}", "a{sv}", "(oayays)"] where types != right {
            let error = try refusal {
                try client.send(TestClient.byDefault, of: .collection, calling: "CreateItem") { call throws(BusError) in
                    try call.append("a", of: "{sv}") { () throws(BusError) in
                        try call.append("e", of: "sv") { () throws(BusError) in
                            try call.append("org.freedesktop.Secret.Item.\(name)")
                            try call.append("v", of: types) { () throws(BusError) in
                                try call.append(emptyValuesOf: types)
                            }
                        }
                    }
                    try call.append(SentSecret(plain: "x", session: session))
                    try call.append(false)
                }
            }
            #expect(error == Self.invalid, "\(types)")
        }
        try expectNothingChanged()
    }

    @Test("a name that is given twice, and more than an item may have, is refused in a search and for a new item")
    func attributes() throws {
        let long = String(repeating: "x", count: 1 + LookupAttributes.maximumTextByteCount)
        let many = (0...LookupAttributes.maximumCount).map { ("\($0)", "") }
        let large = (10...26).map { ("\($0)", String(long.dropFirst())) }
        for pairs in [[("a", "1"), ("a", "1")], [(long, "")], [("", long)], many, large] {
            let search = try refusal {
                try client.send(TestClient.root, of: .service, calling: "SearchItems") { call throws(BusError) in
                    try Self.append(pairs, to: call)
                }
            }
            #expect(search == Self.invalid)
            let set = try refusal {
                try client.send(item, of: .properties, calling: "Set") { call throws(BusError) in
                    try call.append(Interface.item.rawValue)
                    try call.append("Attributes")
                    try call.append("v", of: "a{ss}") { () throws(BusError) in try Self.append(pairs, to: call) }
                }
            }
            #expect(set == Self.invalid)
        }
        try expectNothingChanged()
    }

    private static func append(_ pairs: [(String, String)], to call: borrowing BusMessage) throws(BusError) {
        try call.append("a", of: "{ss}") { () throws(BusError) in
            for (name, value) in pairs {
                try call.append("e", of: "ss") { () throws(BusError) in
                    try call.append(name)
                    try call.append(value)
                }
            }
        }
    }

    private func expectNothingChanged() throws {
        #expect(front.keychain.count == 1)
        #expect(try client.attributes(of: item) == ["a=b"])
        #expect(try client.text("Label", of: item, .item) == "a label")
        #expect(try client.secrets([item], session: session) == [item: Array("secret".utf8)])
    }
}

extension BusMessage {
    /// Appends a value of each type, an empty one where there is one.
    fileprivate func append(emptyValuesOf types: String) throws(BusError) {
        var rest = types[...]
        while let type = rest.popFirst() {
            switch type {
            case "s": try append("")
            case "o": try append("/", as: "o")
            case "b": try append(false)
            case "u": try append(UInt32(0))
            case "v": try append("v", of: "s") { () throws(BusError) in try append("") }
            case "a":
                let contents = rest.first == "{" ? String(rest.prefix(4)) : String(rest.prefix(1))
                rest = rest.dropFirst(contents.count)
                try append("a", of: contents) { () throws(BusError) in }
            case "(":
                let contents = String(rest.prefix { $0 != ")" })
                rest = rest.dropFirst(contents.count + 1)
                try append("r", of: contents) { () throws(BusError) in try append(emptyValuesOf: contents) }
            default: throw BusError(-EINVAL)
            }
        }
    }
}
