// SPDX-License-Identifier: Apache-2.0

/// Who gets a message.
extension BusLoop {
    /// Passes a message on.
    func route(_ frame: BusFrame, from connection: BusConnection) {
        switch frame.header.type {
        case .methodCall: routeCall(frame, from: connection)
        case .methodReturn, .error: routeReply(frame, from: connection)
        case .signal:
            guard let destination = frame.header.destination else { return broadcast(frame, of: connection) }
            guard let receiver = self.connection(named: destination), accepts(receiver, frame) else { return }
            pass(frame, of: connection, to: receiver)
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
        pass(frame, of: connection, to: callee)
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
        pass(frame, of: connection, to: caller)
    }

    private func accepts(_ receiver: BusConnection, _ frame: BusFrame) -> Bool {
        frame.descriptors == nil || receiver.handshake.passesDescriptors
    }

    private func pass(_ frame: BusFrame, of sender: BusConnection, to receiver: BusConnection) {
        send(outgoing(frame, of: sender), to: receiver)
    }

    private func outgoing(_ frame: BusFrame, of sender: BusConnection?) -> OutgoingFrame {
        let header = frame.header.encoded(bodyByteCount: frame.body.count)
        let origin: WaitingMessage.Origin =
            sender.map { $0.isService ? .service : .program($0.sent) } ?? .bus
        let message = WaitingMessage(
            frame.header,
            bytes: (header.count, frame.body.count),
            of: origin,
            countedBy: memory
        )
        let passed: OutgoingFrame.Passed = frame.descriptors.map { .descriptors($0) } ?? .nothing
        return OutgoingFrame(header, frame.body, of: message, passing: passed)
    }

    /// Sends a signal to all who have a rule for it, but for programs that do not read those of others.
    ///
    /// - Parameters:
    ///   - frame: the signal.
    ///   - connection: who has sent it; `nil` for the bus itself.
    func broadcast(_ frame: BusFrame, of connection: BusConnection?) {
        let sender = connection?.number
        let isOfProgram = connection?.isService == false
        var arguments = SignalArguments(of: frame)
        var outgoing: OutgoingFrame?
        for receiver in connections.values where receiver.name != nil && accepts(receiver, frame) {
            let isWanted = receiver.rules.contains { rule in
                rule.matches(frame.header, &arguments) { sender != nil && names.owner(of: $0) == sender }
            }
            guard isWanted, !isOfProgram || receiver.takesBroadcasts else { continue }
            let signal = outgoing ?? self.outgoing(frame, of: connection)
            outgoing = signal
            send(signal, to: receiver)
        }
    }
}

// MARK: - Messages that nobody reads

extension BusLoop {
    /// Takes back what waits of a sender, and says so who waits for an answer.
    func takeBack(_ sent: SentMessages) {
        var begun: [WaitingMessage] = []
        var waiting: [(WaitingMessage, receiver: BusConnection)] = []
        for receiver in connections.values {
            waiting += receiver.takeBack(sent).map { ($0, receiver) }
            if let message = receiver.begunMessage, message.sent === sent { begun.append(message) }
        }
        // The rest of it has to follow.
        for message in begun { message.leaveToReceiver() }
        for (message, receiver) in waiting { reportUnread(message.header, by: receiver) }
    }

    private func reportUnread(_ header: BusHeader, by receiver: BusConnection) {
        switch header.type {
        case .signal: break
        case .methodCall:
            guard header.expectsReply, let caller = header.sender.flatMap({ connection(named: $0) }),
                calls.end(.init(caller: caller.number, serial: header.serial), by: receiver.number)
            else { return }
            refuse(header.serial, of: caller, DriverError(.limitsExceeded, "the program that was called does not read"))
        case .methodReturn, .error:
            guard let serial = header.replySerial else { return }
            refuse(serial, of: receiver, DriverError(.noReply, "the reply was not read in time"))
        }
    }
}
