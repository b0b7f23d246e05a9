// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The bus itself as a program on it (D-Bus Specification, "Message Bus Messages").
extension BusLoop {
    /// Performs a call of a method of the bus itself, and replies.
    func callDriver(_ frame: BusFrame, from connection: BusConnection) {
        let header = frame.header
        do throws(DriverError) {
            let method = try method(of: header)
            guard method.input == header.signature else {
                throw DriverError(.invalidArguments, "\(method.name) has arguments of the types \"\(method.input)\"")
            }
            let call = DriverCall(connection: connection, frame: frame)
            if let reply = try method.perform(self, call) { self.reply(reply, to: call) }
        } catch {
            refuse(header, of: connection, error)
        }
    }

    private func method(of header: BusHeader) throws(DriverError) -> DriverMethod {
        let named = methods[header.member ?? "", default: []]
        if let method = named.first(where: { header.interface ?? $0.interface == $0.interface }) { return method }
        let isKnown = methods.values.joined().contains { $0.interface == header.interface }
        guard header.interface != nil, !isKnown else {
            throw DriverError(.unknownMethod, "the bus has no such method")
        }
        throw DriverError(.unknownInterface, "the bus has no such interface")
    }

    /// Sends the reply to a call.
    func reply(_ reply: DriverReply, to call: DriverCall) {
        guard call.frame.header.expectsReply else { return }
        var header = BusHeader(.methodReturn, serial: nextSerial())
        header.replySerial = call.frame.header.serial
        header.signature = reply.signature
        header.descriptorCount = reply.process == nil ? 0 : 1
        send(header, reply.body, to: call.connection, passing: reply.process.map { .process($0) } ?? .nothing)
    }

    /// Reports the failure of a call, unless its sender does not want to know.
    func refuse(_ header: BusHeader, of connection: BusConnection, _ error: DriverError) {
        guard header.expectsReply else { return }
        refuse(header.serial, of: connection, error)
    }

    /// Reports the failure of a call.
    func refuse(_ serial: UInt32, of connection: BusConnection, _ error: DriverError) {
        var header = BusHeader(.error, serial: nextSerial())
        header.errorName = error.name.whole
        header.replySerial = serial
        header.signature = "s"
        send(header, DriverReply(error.message).body, to: connection)
    }

    private func send(
        _ header: BusHeader,
        _ body: [UInt8],
        to connection: BusConnection,
        passing passed: OutgoingFrame.Passed = .nothing
    ) {
        var header = header
        header.flags = 1
        header.sender = BusNames.driver
        header.destination = connection.name
        let bytes = header.encoded(bodyByteCount: body.count) + body
        let message = WaitingMessage(header, bytes: (bytes.count, 0), of: .bus, countedBy: memory)
        send(OutgoingFrame(bytes, of: message, passing: passed), to: connection)
    }
}

// MARK: - Names

extension BusLoop {
    func hello(_ call: DriverCall) throws(DriverError) -> DriverReply? {
        let connection = call.connection
        guard connection.name == nil else { throw DriverError(.failed, "Hello was said already") }
        let name = greet(connection)
        // Before it is told of its name.
        reply(DriverReply(name), to: call)
        announce(name, from: "", to: name)
        tell(connection, "NameAcquired", of: name)
        return nil
    }

    func requestName(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let (name, flags) = try call.textAndNumber()
        try checkOwnable(name)
        let number = call.connection.number
        guard !reservedNames.contains(name) || call.connection.isService else {
            throw DriverError(.accessDenied, "the name \(name) is reserved on this bus")
        }
        guard names.has(number, claimOf: name) || names.count(of: number) < options.maximumNames else {
            throw DriverError.limit("names", options.maximumNames)
        }
        let (result, change) = names.request(name, for: number, NameTable.Flags(rawValue: flags))
        if let change { announce(change) }
        return DriverReply(result.rawValue)
    }

    func releaseName(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let name = try call.text()
        try checkOwnable(name)
        let (result, change) = names.release(name, by: call.connection.number)
        if let change { announce(change) }
        return DriverReply(result.rawValue)
    }

    private func checkOwnable(_ name: String) throws(DriverError) {
        guard BusNames.isWellKnown(name.utf8), name != BusNames.driver else {
            throw DriverError(.invalidArguments, "it is no name that a program can have")
        }
    }

    /// Starts nothing: it says whether the service is there.
    func startService(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let name = try call.textAndNumber().0
        guard name == BusNames.driver || names.owner(of: name) != nil else {
            throw DriverError.noService(name, mayStart: true)
        }
        return DriverReply(2)
    }

    /// The unique name of who has a name of any kind.
    func uniqueName(of name: String) -> String? {
        name == BusNames.driver ? name : connection(named: name)?.name
    }

    func owner(of name: String) throws(DriverError) -> String {
        guard let owner = uniqueName(of: name) else { throw DriverError.noService(name, mayStart: false) }
        return owner
    }

    func queuedOwners(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let name = try call.busName()
        let queue = names.queue(for: name).compactMap { connections[$0]?.name }
        return DriverReply(queue.isEmpty ? [try owner(of: name)] : queue)
    }

    /// Tells who is concerned of a name that has another owner, and who wants to know.
    func announce(_ change: NameTable.Change) {
        let (old, new) = (change.old.flatMap { connections[$0] }, change.new.flatMap { connections[$0] })
        if let old { tell(old, "NameLost", of: change.name) }
        // The name of one that has ended is told by its number.
        announce(change.name, from: change.old.map(uniqueName) ?? "", to: new?.name ?? "")
        if let new { tell(new, "NameAcquired", of: change.name) }
    }

    /// Tells who wants to know.
    func announce(_ name: String, from old: String, to new: String) {
        var header = signal("NameOwnerChanged")
        header.signature = "sss"
        var writer = BusValueWriter()
        for text in [name, old, new] { writer.append(text) }
        broadcast(BusFrame(header, BusBody(writer.bytes)), of: nil)
    }

    private func tell(_ connection: BusConnection, _ member: String, of name: String) {
        var header = signal(member)
        header.signature = "s"
        send(header, DriverReply(name).body, to: connection)
    }

    private func signal(_ member: String) -> BusHeader {
        var header = BusHeader(.signal, serial: nextSerial())
        (header.path, header.interface, header.member) = (BusNames.driverPath, BusNames.driver, member)
        (header.flags, header.sender) = (1, BusNames.driver)
        return header
    }
}

// MARK: - Match rules

extension BusLoop {
    func addRule(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let rule = try rule(of: call)
        guard call.connection.rules.count < options.maximumRules else {
            throw DriverError.limit("match rules", options.maximumRules)
        }
        let process = call.connection.peer.process
        let rules = connections.values.reduce(0) { $0 + ($1.peer.process == process ? $1.rules.count : 0) }
        guard rules < options.maximumProcessRules else {
            throw DriverError.limit("match rules of one process", options.maximumProcessRules)
        }
        call.connection.rules.append(rule)
        return .nothing
    }

    func removeRule(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let rule = try rule(of: call)
        guard let index = call.connection.rules.lastIndex(of: rule) else {
            throw DriverError(.matchRuleNotFound, "there is no such match rule")
        }
        call.connection.rules.remove(at: index)
        return .nothing
    }

    private func rule(of call: DriverCall) throws(DriverError) -> MatchRule {
        let text = try call.arguments { (reader) throws(BusFailure) in Array(try reader.text()) }
        guard text.count <= options.maximumRuleBytes else {
            throw DriverError(.limitsExceeded, "a match rule has at most \(options.maximumRuleBytes) bytes")
        }
        do throws(MatchRule.Failure) { return try MatchRule(text) } catch {
            throw DriverError(.matchRuleInvalid, "it is no match rule: \(error)")
        }
    }
}

// MARK: - Credentials

extension BusLoop {
    /// What is known of a connection, or of the bus itself.
    func credentials(of name: String) throws(DriverError) -> (user: UInt32, process: UInt32) {
        if name == BusNames.driver { return (geteuid(), UInt32(getpid())) }
        guard let peer = connection(named: name)?.peer else { throw DriverError.noService(name, mayStart: false) }
        return (peer.user, UInt32(peer.process))
    }

    func credentials(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let name = try call.busName()
        let (user, process) = try credentials(of: name)
        let peer = connection(named: name)?.peer
        let isPassed = call.connection.handshake.passesDescriptors && (peer?.descriptor ?? -1) >= 0
        var reply = DriverReply("a{sv}") { writer in
            writer.append(arrayAlignedTo: 8) { writer in
                Self.append("UnixUserID", user, as: "u", to: &writer)
                // One of another PID namespace has no number here.
                if process > 0 { Self.append("ProcessID", process, as: "u", to: &writer) }
                if isPassed { Self.append("ProcessFD", 0, as: "h", to: &writer) }
            }
        }
        if isPassed { reply.process = peer }
        return reply
    }

    /// How much a program has not read of what the service and the bus have sent to it, as dbus-daemon says it.
    func statistics(_ call: DriverCall) throws(DriverError) -> DriverReply {
        let name = try call.busName()
        guard let connection = connection(named: name) else { throw DriverError.noService(name, mayStart: false) }
        return DriverReply("a{sv}") { writer in
            writer.append(arrayAlignedTo: 8) { writer in
                Self.append("OutgoingBytes", UInt32(clamping: connection.unreadByteCount), as: "u", to: &writer)
            }
        }
    }

    private static func append(_ name: String, _ value: UInt32, as type: String, to writer: inout BusValueWriter) {
        writer.align(to: 8)
        writer.append(name)
        writer.append(signature: type)
        writer.append(value)
    }
}
