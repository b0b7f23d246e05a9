// SPDX-License-Identifier: Apache-2.0

/// Who gets a message.
extension BusLoop {
    /// Passes a message on.
    func route(_ frame: BusFrame, from connection: BusConnection) {
        switch frame.header.type {
        case .methodCall: routeCall(frame, from: connection)
        case .methodReturn, .error: routeReply(frame, from: connection)
        case .signal:
            guard let destination = frame.header.destination else { return broadcast(frame) }
            guard let receiver = self.connection(named: destination), accepts(receiver, frame) else { return }
            pass(frame, to: receiver)
        }
    }

    private func routeCall(_ frame: BusFrame, from connection: BusConnection) {
        let header = frame.header
        guard let destination = header.destination, destination != BusNames.driver else {
            return callDriver(frame, from: connection)
        }
        guard let callee = self.connection(named: destination) else {
            return refuse(header, of: connection, .noService(destination, mayStart: header.mayStart))
        }
        guard accepts(callee, frame) else {
            return refuse(header, of: connection, DriverError(.notSupported, "the program takes no descriptors"))
        }
        if header.expectsReply {
            switch calls.begin(.init(caller: connection.number, serial: header.serial), to: callee.number) {
            case .begun: break
            case .repeated:
                let error = DriverError(.invalidArguments, "the number is that of a call that waits for its reply")
                return refuse(header, of: connection, error)
            case .tooMany:
                return refuse(header, of: connection, .limit("calls without a reply", options.maximumPendingCalls))
            }
        }
        pass(frame, to: callee)
    }

    private func routeReply(_ frame: BusFrame, from connection: BusConnection) {
        guard let destination = frame.header.destination, let serial = frame.header.replySerial,
            let caller = self.connection(named: destination),
            calls.end(.init(caller: caller.number, serial: serial), by: connection.number)
        else { return }
        // Who cannot get it, waits in vain otherwise.
        guard accepts(caller, frame) else {
            return refuse(serial, of: caller, DriverError(.notSupported, "the reply passes descriptors"))
        }
        pass(frame, to: caller)
    }

    private func accepts(_ receiver: BusConnection, _ frame: BusFrame) -> Bool {
        frame.descriptors == nil || receiver.handshake.passesDescriptors
    }

    private func pass(_ frame: BusFrame, to receiver: BusConnection) {
        send(outgoing(frame, encoded(frame)), to: receiver)
    }

    private func encoded(_ frame: BusFrame) -> [UInt8] { frame.header.encoded(bodyByteCount: frame.body.count) }

    private func outgoing(_ frame: BusFrame, _ header: [UInt8]) -> OutgoingFrame {
        OutgoingFrame(header, frame.body, passing: frame.descriptors.map { .descriptors($0) } ?? .nothing)
    }

    /// Sends a signal to all who have a rule for it.
    func broadcast(_ frame: BusFrame) {
        let sender = frame.header.sender.flatMap { connection(named: $0)?.number }
        var arguments = SignalArguments(of: frame)
        var header: [UInt8]?
        for receiver in connections.values where receiver.name != nil && accepts(receiver, frame) {
            let isWanted = receiver.rules.contains { rule in
                rule.matches(frame.header, &arguments) { sender != nil && names.owner(of: $0) == sender }
            }
            guard isWanted else { continue }
            let encoded = header ?? encoded(frame)
            header = encoded
            send(outgoing(frame, encoded), to: receiver)
        }
    }
}
