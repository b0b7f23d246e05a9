// SPDX-License-Identifier: Apache-2.0

/// A method of the bus itself: the table of all of them.
struct DriverMethod {
    let interface: String
    let name: String
    let input: String
    let output: String
    let perform: (BusLoop, DriverCall) throws(DriverError) -> DriverReply?

    init(
        _ name: String,
        in interface: String = BusNames.driver,
        input: String = "",
        output: String = "",
        perform: @escaping (BusLoop, DriverCall) throws(DriverError) -> DriverReply?
    ) {
        (self.interface, self.name, self.input, self.output) = (interface, name, input, output)
        self.perform = perform
    }

    static let propertiesInterface = "org.freedesktop.DBus.Properties"
    static let introspectableInterface = "org.freedesktop.DBus.Introspectable"
    static let peerInterface = "org.freedesktop.DBus.Peer"
    static let statisticsInterface = "org.freedesktop.DBus.Debug.Stats"

    /// All of them, in the order of the interfaces in which a call without one is looked up.
    static func all() -> [DriverMethod] {
        names + connections + rules + others + standard + statistics
    }

    private static var names: [DriverMethod] {
        [
            DriverMethod("Hello", output: "s") { (bus, call) throws(DriverError) in try bus.hello(call) },
            DriverMethod("RequestName", input: "su", output: "u") { (bus, call) throws(DriverError) in
                try bus.requestName(call)
            },
            DriverMethod("ReleaseName", input: "s", output: "u") { (bus, call) throws(DriverError) in
                try bus.releaseName(call)
            },
            DriverMethod("StartServiceByName", input: "su", output: "u") { (bus, call) throws(DriverError) in
                try bus.startService(call)
            },
            DriverMethod("NameHasOwner", input: "s", output: "b") { (bus, call) throws(DriverError) in
                DriverReply(bus.uniqueName(of: try call.busName()) != nil)
            },
            DriverMethod("GetNameOwner", input: "s", output: "s") { (bus, call) throws(DriverError) in
                DriverReply(try bus.owner(of: try call.busName()))
            },
            DriverMethod("ListNames", output: "as") { (bus, _) throws(DriverError) in
                DriverReply([BusNames.driver] + bus.uniqueNames + bus.names.names)
            },
            DriverMethod("ListActivatableNames", output: "as") { (bus, _) throws(DriverError) in
                DriverReply([BusNames.driver] + bus.reservedNames.sorted())
            },
            DriverMethod("ListQueuedOwners", input: "s", output: "as") { (bus, call) throws(DriverError) in
                try bus.queuedOwners(call)
            },
        ]
    }

    private static var connections: [DriverMethod] {
        [
            DriverMethod("GetConnectionUnixUser", input: "s", output: "u") { (bus, call) throws(DriverError) in
                DriverReply(try bus.credentials(of: try call.busName()).user)
            },
            DriverMethod("GetConnectionUnixProcessID", input: "s", output: "u") { (bus, call) throws(DriverError) in
                DriverReply(try bus.credentials(of: try call.busName()).process)
            },
            DriverMethod("GetConnectionCredentials", input: "s", output: "a{sv}") { (bus, call) throws(DriverError) in
                try bus.credentials(call)
            },
        ]
    }

    private static var rules: [DriverMethod] {
        [
            DriverMethod("AddMatch", input: "s") { (bus, call) throws(DriverError) in try bus.addRule(call) },
            DriverMethod("RemoveMatch", input: "s") { (bus, call) throws(DriverError) in try bus.removeRule(call) },
        ]
    }

    private static var others: [DriverMethod] {
        [
            DriverMethod("GetId", output: "s") { (bus, _) throws(DriverError) in DriverReply(bus.identifier) },
            DriverMethod("ReloadConfig") { (_, _) throws(DriverError) in .nothing },
            DriverMethod("UpdateActivationEnvironment", input: "a{ss}") { (_, _) throws(DriverError) in
                throw DriverError(.notSupported, "this bus starts no programs")
            },
        ]
    }

    private static var statistics: [DriverMethod] {
        [
            DriverMethod("GetConnectionStats", in: statisticsInterface, input: "s", output: "a{sv}") {
                (bus, call) throws(DriverError) in
                try bus.statistics(call)
            }
        ]
    }

    private static var standard: [DriverMethod] {
        [
            DriverMethod("Get", in: propertiesInterface, input: "ss", output: "v") { (_, call) throws(DriverError) in
                try DriverProperties.get(call)
            },
            DriverMethod("GetAll", in: propertiesInterface, input: "s", output: "a{sv}") {
                (_, call) throws(DriverError) in
                try DriverProperties.all(call)
            },
            DriverMethod("Set", in: propertiesInterface, input: "ssv") { (_, _) throws(DriverError) in
                throw DriverError(.propertyReadOnly, "the properties of the bus cannot be changed")
            },
            DriverMethod("Introspect", in: introspectableInterface, output: "s") { (_, _) throws(DriverError) in
                DriverReply(DriverIntrospection.text)
            },
            DriverMethod("Ping", in: peerInterface) { (_, _) throws(DriverError) in .nothing },
            DriverMethod("GetMachineId", in: peerInterface, output: "s") { (_, _) throws(DriverError) in
                guard let identifier = MachineIdentifier.text else {
                    throw DriverError(.failed, "the machine has no identifier")
                }
                return DriverReply(identifier)
            },
        ]
    }
}
