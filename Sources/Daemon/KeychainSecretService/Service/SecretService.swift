// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import MessageBus
import Synchronization

/// The service on one connection to a bus, for the thread of that connection: it reads and writes messages, and has
/// everything that may wait done by other threads (``ClientWork``).
final class SecretService {
    /// The name of the service on the bus.
    static let name = "org.freedesktop.secrets"

    /// Makes a connection that takes descriptors.
    typealias Connect = () throws(BusError) -> Bus

    /// That of the calls, which takes no descriptors.
    ///
    /// Programs could pass more than there is room for, and sd-bus ends a connection then.
    let bus: Bus
    /// Takes the descriptors that the bus gives of processes, and those of the portal; `nil` while it cannot be made.
    private(set) var passing: Bus?
    private let connect: Connect
    let surroundings: Surroundings
    /// What other threads have done for calls, and what they announce.
    let mailbox: BusMailbox

    var clients: [String: ServiceClient] = [:]
    var calls: [UInt64: ServiceCall] = [:]
    /// The names for whose credentials the bus was asked on ``passing``, by the numbers of these calls.
    var questions: [UInt64: String] = [:]
    /// The clients that were asked for a sign of life, by the numbers of these calls.
    var pings: [UInt64: String] = [:]
    /// The clients of whose unread answers the bus was asked, by the numbers of these calls.
    var unreadQuestions: [UInt64: UnreadQuestion] = [:]
    /// When it is asked again.
    var nextUnreadQuestion: Deadline?
    /// Since when connections have been seen, in clock ticks since boot.
    var arrivals: [String: UInt64] = [:]
    /// The connections with each session or prompt, to count them.
    var sessionCounts: ShareCount
    var promptCounts: ShareCount
    /// Whether the keychain was locked when that was last found out.
    var isLocked: Bool?
    /// How often it, or a keychain file, was locked or unlocked.
    var lockChangeCount = 0
    /// When something was last changed in a collection.
    var modified: [CollectionName: Timestamp] = [:]
    /// What is known of the keychain files.
    var files = FileState()
    private(set) var ownsName: Bool
    /// The portal for secrets, if it is served.
    let portal: SecretPortal?

    // No number is used again after the connection to a bus is lost: some work may not have ended by then.
    private static let numbers = Atomic<UInt64>(0)

    /// What the service has to do with besides the bus.
    struct Surroundings: Sendable {
        let server: KeychainServer
        let admission: any BusAdmission
        let keychain: any KeychainBackend
        let memory: any KeychainBackend
        let options: SecretServiceOptions
        let work: ClientWork
        let prompts: PromptThreads
        /// When the service was started.
        let started: Timestamp

        /// Whether the keychain is locked as a whole; it is if that cannot be found out.
        var isKeychainLocked: Bool { (try? keychain.device.status().isLocked) ?? true }
    }

    /// Takes the name on a bus, or waits for it.
    ///
    /// - Parameters:
    ///   - bus: a connection that takes no descriptors.
    ///   - surroundings: what the service has to do with besides the bus.
    ///   - mailbox: that of other threads.
    ///   - connect: makes a connection that takes descriptors.
    /// - Throws: ``BusError``.
    init(
        _ bus: Bus,
        _ surroundings: Surroundings,
        mailbox: BusMailbox,
        connect: @escaping Connect
    ) throws(BusError) {
        self.bus = bus
        self.connect = connect
        passing = try connect()
        self.surroundings = surroundings
        self.mailbox = mailbox
        let limits = surroundings.options.limits
        // Everybody on the bus is of one user, whose share is therefore that of all.
        sessionCounts = ShareCount(
            atMost: .init(
                total: limits.sessions.total,
                ofProcess: limits.sessions.ofProcess,
                ofUser: limits.sessions.total
            )
        )
        promptCounts = ShareCount(
            atMost: .init(
                total: limits.prompts.total,
                ofProcess: limits.prompts.ofProcess,
                ofUser: limits.prompts.total
            )
        )
        let isDriver = "type='signal',sender='\(Bus.driver)',interface='\(Bus.driver)'"
        _ = try bus.callDriver("AddMatch", "\(isDriver),member='NameOwnerChanged'")
        ownsName = try bus.requestName(Self.name)
        portal = surroundings.options.portal == nil ? nil : SecretPortal()
        if let portal, let passing { try startPortal(portal, on: passing) }
    }

    /// Whether its name is its own, or another's who is named.
    var state: SecretServiceState {
        guard !ownsName else { return .serving }
        let owner = try? bus.callDriver("GetNameOwner", Self.name).string()
        let process = owner.flatMap { try? bus.callDriver("GetConnectionUnixProcessID", $0).uint32() }
        return .waiting(process.map { "process \($0)" } ?? "another program")
    }

    /// Deals with all messages that have come, and with what other threads have posted.
    ///
    /// - Returns: Whether the state has changed.
    func handlePending() throws(BusError) -> Bool {
        let before = ownsName
        askAgainWhatIsUnread()
        for task in mailbox.take() { task(self) }
        // So many, and then what other threads have posted.
        try receive(atMost: 64)
        receivePassed()
        return ownsName != before
    }

    private func receive(atMost count: Int) throws(BusError) {
        for _ in 0..<count {
            guard let message = try bus.next() else { return }
            receive(message)
        }
    }

    /// Deals with what has come on ``passing``, which is made again if it has ended.
    private func receivePassed() {
        do throws(BusError) {
            for _ in 0..<64 {
                guard let message = try passing?.next() else { return }
                if let number = message.replyNumber, message.sender == Bus.driver {
                    receiveCredentials(message, number)
                } else if message.isCall {
                    // Who has the portal's name was said before.
                    try receive(atMost: 4_096)
                    // Calls of others would be held with their descriptors until these are identified.
                    guard let portal, message.sender == portal.front else {
                        refuse(message, .accessDenied, of: nil)
                        continue
                    }
                    receiveCall(message)
                }
            }
        } catch {
            passing = nil
            portal?.cancelAll()
            let names = questions.values
            questions = [:]
            connectAgain()
            for name in names { if let client = clients[name] { askWho(client) } }
        }
    }

    private func connectAgain() {
        passing = try? connect()
        if let portal, let passing { try? startPortal(portal, on: passing) }
    }

    /// Asks the bus who a client is.
    private func askWho(_ client: ServiceClient) {
        if passing == nil { connectAgain() }
        do throws(BusError) {
            guard let passing else { throw BusError(-EMFILE) }
            let question = try passing.driverCall("GetConnectionCredentials")
            try question.append(client.name)
            questions[try passing.sendCall(question)] = client.name
        } catch {
            // Its calls cannot wait for an answer; the next one is another attempt.
            mailbox.post { [name = client.name, number = client.number] service in
                if let client = service.client(name, number) { service.admit(nil, client) }
            }
        }
    }

    /// After how long there is something to do, also without a message.
    var longestWaitMilliseconds: Int32 { nextUnreadQuestion?.waitMilliseconds ?? -1 }

    /// Ends everything that belongs to clients.
    func end() {
        portal?.cancelAll()
        for client in clients.values { remove(client) }
        calls = [:]
    }

    // MARK: - Messages

    private func receive(_ message: consuming BusMessage) {
        if message.isCall {
            receiveCall(message)
        } else if let number = message.replyNumber, receiveAnswer(number, from: message.sender) {
            // Nothing else is in it. The bus itself answers for a client that is gone, which was forgotten with it.
        } else if message.sender == Bus.driver, let number = message.replyNumber {
            _ = receiveUnread(message, number)
        } else if message.sender == Bus.driver, message.isSignal {
            switch message.name {
            case "\(Bus.driver).NameOwnerChanged":
                guard let name = message.string(), message.skip("s"), let owner = message.string() else { return }
                noteOwner(owner, of: name)
            case "\(Bus.driver).NameAcquired": if message.string() == Self.name { ownsName = true }
            case "\(Bus.driver).NameLost": if message.string() == Self.name { ownsName = false }
            default: break
            }
        }
    }

    private func noteOwner(_ owner: String, of name: String) {
        if let portal, name == SecretPortal.frontName {
            portal.cancelAll()
            portal.front = owner
        }
        guard name.hasPrefix(":") else { return }
        guard owner.isEmpty else {
            arrivals[name] = ProcessStartTime.now
            return
        }
        arrivals[name] = nil
        if let client = clients[name] { remove(client) }
    }

    private func receiveCall(_ message: consuming BusMessage) {
        message.markSensitive()
        let sender = message.sender
        let limits = surroundings.options.limits
        let isKnown = clients[sender] != nil
        guard calls.count < limits.calls.total, isKnown || clients.count < limits.connections else {
            return refuse(message, .limitsExceeded, of: clients[sender])
        }
        let client = clients[sender] ?? addClient(sender)
        guard client.callCount < limits.calls.ofConnection,
            client.store != nil || client.waiting.count < limits.callsBeforeIdentification
        else { return refuse(message, .limitsExceeded, of: client) }
        let call = ServiceCall(message, number: nextNumber(), of: client)
        calls[call.number] = call
        client.callCount += 1
        guard let store = client.store else { return client.waiting.append(call.number) }
        start(call, store)
    }

    /// Carries out a call of a program that is identified, or refuses it.
    private func start(_ call: ServiceCall, _ store: ProgramStore) {
        do throws(ServiceError) { try carryOut(call, store) } catch { return refuse(call.number, error) }
        // Its arguments were read: those of many calls that wait would be much.
        guard calls[call.number] != nil, let stub = try? bus.withoutArguments(call.message) else { return }
        call.message = stub
    }

    private func nextNumber() -> UInt64 { Self.numbers.add(1, ordering: .relaxed).newValue }

    // MARK: - Clients

    /// The client with a name and a number; `nil` if it is gone.
    func client(_ name: String, _ number: UInt64) -> ServiceClient? {
        clients[name].flatMap { $0.number == number ? $0 : nil }
    }

    private func addClient(_ name: String) -> ServiceClient {
        let client = ServiceClient(name, number: nextNumber())
        clients[name] = client
        askWho(client)
        return client
    }

    private func receiveCredentials(_ reply: borrowing BusMessage, _ number: UInt64) {
        guard let name = questions.removeValue(forKey: number), let client = clients[name] else { return }
        guard !reply.isError, let credentials = BusCredentials(reply) else {
            return admit(nil, client)
        }
        client.process = credentials.process
        let caller = BusCaller(
            user: credentials.user,
            process: credentials.process,
            descriptor: credentials.descriptor,
            connectedBefore: arrivals[name]
        )
        let (surroundings, mailbox, clientNumber) = (surroundings, mailbox, client.number)
        // Before the program's first call, so that what that changes is announced.
        let unread = files.announced == nil ? surroundings.options.files : nil
        surroundings.work.add(for: client.number, of: client.process) {
            let store = Result { () throws(KeychainError) in
                let peer = try surroundings.admission.admit(caller)
                let connection = try surroundings.server.connect(peer, of: caller.user)
                return try ProgramStore(connection, memory: surroundings.memory, files: surroundings.options.files)
            }
            let snapshot = unread.map { FileSnapshot(of: $0, after: nil) }
            mailbox.post { service in
                guard let client = service.client(name, clientNumber) else { return }
                if service.files.announced == nil {
                    service.files.announced = snapshot
                    // A read for clients that have left may end later.
                    service.files.isStale = service.files.isReading
                }
                service.admit(store, client)
            }
        }
    }

    /// Answers the calls of a client that wait for its identification: `nil` where the bus knows it no more.
    private func admit(_ store: Result<ProgramStore, KeychainError>?, _ client: ServiceClient) {
        guard client.store == nil else { return }
        let waiting = client.waiting
        client.waiting = []
        switch store {
        case .success(let store)?:
            client.store = store
            for number in waiting {
                if let call = calls[number] { start(call, store) }
            }
        case .failure(let error)?:
            // The next call is another attempt.
            for number in waiting { refuse(number, ServiceError(error)) }
            remove(client)
        case nil:
            for number in waiting { refuse(number, .accessDenied) }
            remove(client)
        }
    }

    /// Forgets a client, and ends what belongs to it; its calls are not answered any more.
    private func remove(_ client: ServiceClient) {
        clients[client.name] = nil
        if clients.isEmpty { files.announced = nil }
        for call in calls.values where call.client === client { calls[call.number] = nil }
        for (number, name) in pings where name == client.name { pings[number] = nil }
        client.unread = []
        for prompt in client.prompts.values { prompt.questions.end() }
        surroundings.work.forget(client.number)
        guard let store = client.store else { return }
        for _ in client.sessions { sessionCounts.end(store.connection.share) }
        for _ in client.prompts { promptCounts.end(store.connection.share) }
        client.prompts = [:]
        client.sessions = [:]
        store.connection.end()
    }

    // MARK: - Answers

    /// Has something done for a call by another thread, and then answers it on this one.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - store: the collections as its program sees them.
    ///   - size: how many bytes the answer has, if it may have many.
    ///   - body: what is done.
    ///   - finish: answers.
    func work<Value: Sendable>(
        for call: ServiceCall,
        _ store: ProgramStore,
        ofSize size: (@Sendable (Value) -> Int)? = nil,
        _ body: @escaping @Sendable (ProgramStore) throws(ServiceError) -> Value,
        then finish: @escaping @Sendable (SecretService, UInt64, Value) -> Void
    ) {
        let (number, process, mailbox, work) = (call.number, call.client.process, mailbox, surroundings.work)
        work.add(for: call.client.number, of: process) {
            let result = Result { () throws(ServiceError) -> (Value, UnreadReply?) in
                let value = try body(store)
                guard let size else { return (value, nil) }
                return (value, try UnreadReply(size(value), of: process, store.connection, in: work))
            }
            mailbox.post { service in
                // Otherwise the client is gone.
                guard let call = service.calls[number] else { return }
                switch result {
                case .success((let value, let reply)):
                    call.reply = reply
                    finish(service, number, value)
                case .failure(let error): service.refuse(number, error)
                }
            }
        }
    }

    /// Answers a call with what `fill` appends.
    func answer(
        _ number: UInt64,
        _ fill: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
    ) {
        guard let call = take(number), call.message.expectsReply else { return }
        do throws(BusError) {
            let reply = try bus.answer(to: call.message)
            reply.markSensitive()
            try fill(reply)
            try bus.send(reply)
            let sent = reply.writtenByteCount
            note(
                call.reply ?? UnreadReply(sent: sent, of: call.client.process, in: surroundings.work),
                sentTo: call.client
            )
        } catch {
            // It is too large for a message, for example.
            refuse(call.message, .limitsExceeded, of: call.client)
        }
    }

    /// Refuses a call.
    func refuse(_ number: UInt64, _ error: ServiceError) {
        guard let call = take(number) else { return }
        refuse(call.message, error, of: call.client)
    }

    private func take(_ number: UInt64) -> ServiceCall? {
        guard let call = calls.removeValue(forKey: number) else { return nil }
        call.client.callCount -= 1
        return call
    }

    private func refuse(_ message: borrowing BusMessage, _ error: ServiceError, of client: ServiceClient?) {
        guard message.expectsReply else { return }
        let (work, process) = (surroundings.work, client?.process ?? 0)
        // It has not read what it was told before.
        guard work.unread(by: process) <= surroundings.options.limits.unreadBytes.unanswered else { return }
        do throws(BusError) {
            try bus.send(bus.refusal(of: message, error.rawValue, text: error.text))
            if let client { note(UnreadReply(sent: error.text.utf8.count, of: process, in: work), sentTo: client) }
        } catch {
            // The connection to the bus is at its end.
        }
    }
}
