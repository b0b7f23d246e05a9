// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainDoctor
import KeychainHost
import KeychainTrace

/// The calls for `keychainctl doctor` to explain: the given call, or the failed calls of a trace.
struct ExaminedCalls {
    let calls: [ExaminedCall]

    init(_ command: DoctorCommand, _ surroundings: Surroundings) throws(BadInput) {
        if command.query == nil, command.trace != nil || command.last {
            let found = try Self.traced(command, surroundings)
            calls = try found.map { (call) throws(BadInput) in
                try Self.completed(call, for: command, in: surroundings)
            }
            return
        }
        guard let query = command.query else { throw BadInput("there is no query: give one, or --trace, or --last") }
        let text = try QueryText(Self.bytes(query, surroundings))
        for remark in text.remarks { surroundings.remark(remark) }
        switch text.content {
        case .call(let call): calls = [try Self.completed(Self.examined(call), for: command, in: surroundings)]
        case .dictionary(let dictionary):
            let operation = try Self.operation(on: dictionary, text: text, for: command, in: surroundings)
            var call = ExaminedCall(KeychainRequest(operation.operation, client: .person))
            call.clientSource = .assumed
            call.unknownKeys = text.unknownKeys
            call.unknownAttributeKeys = operation.unknownAttributeKeys
            calls = [try Self.completed(call, for: command, in: surroundings)]
        }
    }

    /// The operation with the given dictionaries, and the new attributes whose values are unknown.
    private static func operation(
        on query: PropertyDictionary,
        text: QueryText,
        for command: DoctorCommand,
        in surroundings: Surroundings
    ) throws(BadInput) -> (operation: KeychainRequest.Operation, unknownAttributeKeys: Set<String>) {
        // A pasted call of SecItemUpdate already identifies the function.
        let isPastedUpdate = text.attributes != nil && command.call == .copy
        guard command.attributes == nil || command.call == .update || isPastedUpdate else {
            throw BadInput("--attributes belongs to --call update")
        }
        switch command.call {
        case .add: return (.add(query), [])
        case .copy where !isPastedUpdate: return (.copyMatching(query), [])
        case .delete: return (.delete(query), [])
        case .update, .copy:
            guard let attributes = command.attributes else {
                guard let attributes = text.attributes else { throw BadInput("an update needs --attributes") }
                return (.update(query, attributes: attributes), text.unknownAttributeKeys)
            }
            let given = try QueryText(bytes(attributes, surroundings))
            for remark in given.remarks { surroundings.remark(remark) }
            guard let dictionary = given.dictionary else { throw BadInput("the new attributes are no dictionary") }
            return (.update(query, attributes: dictionary), given.unknownKeys)
        }
    }

    /// The call, completed with the client and state from the options.
    private static func completed(
        _ call: ExaminedCall,
        for command: DoctorCommand,
        in surroundings: Surroundings
    ) throws(BadInput) -> ExaminedCall {
        var call = call
        if let client = command.client {
            call.request.client.accessGroups = try GroupsFile.groups(bytes(client, surroundings))
            call.clientSource = .given
        }
        if let previous = command.previousEntitlements {
            call.previousGroups = try GroupsFile.groups(bytes(previous, surroundings))
        }
        if let other = command.otherEntitlements {
            call.otherGroups = try GroupsFile.groups(bytes(other, surroundings))
        }
        if let status = command.status {
            guard
                let parsed = Int32(status).map(Status.init(rawValue:))
                    ?? StatusTable.row(named: status).map({ Status(rawValue: $0.code) })
            else { throw BadInput("there is no status of that name") }
            call.reportedStatus = parsed
        }
        if let path = command.history ?? (command.query == nil ? nil : command.trace) {
            let entries = try entries(at: path, surroundings)
            call.history = history(entries.filter { entry in command.time.map { entry.time < $0.time } ?? true })
        }
        call.lockState = command.lockState?.state ?? call.lockState
        call.time = command.time?.time ?? call.time
        call.platform = command.platform
        if command.platform == .macOS { call.request.client.profile = .macOS }
        call.isBackground = command.background
        call.isContinuousIntegration = command.ci
        call.expectedResult = command.usedAs
        return call
    }

    private static let largestInput = 1 << 26

    /// The bytes of a file, of standard input, or of the text itself.
    private static func bytes(_ argument: String, _ surroundings: Surroundings) throws(BadInput) -> Data {
        if argument == "-" {
            let contents = DescriptorContents(of: surroundings.standardInput, atMost: largestInput + 1)
            guard contents.bytes.count <= largestInput else {
                throw BadInput("standard input has more than \(largestInput) bytes")
            }
            return Data(contents.bytes)
        }
        if argument.contains(where: { "[{\n".contains($0) }) { return Data(argument.utf8) }
        let descriptor = open(argument, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw BadInput("'\(argument)' is neither a file that can be read nor a dictionary")
        }
        defer { close(descriptor) }
        let contents = DescriptorContents(of: descriptor, atMost: largestInput)
        switch contents.end {
        case .complete: return Data(contents.bytes)
        case .tooLong: throw BadInput("'\(argument)' has more than \(largestInput) bytes")
        case .overdue, .failed:
            throw BadInput("'\(argument)' is neither a file that can be read nor a dictionary")
        }
    }

    // MARK: - Traces

    private static func entries(at path: String, _ surroundings: Surroundings) throws(BadInput) -> [TraceEntry] {
        var entries: [TraceEntry] = []
        var isEmpty = true
        do throws(TraceError) {
            let reader = try TraceReader(path: path)
            while let line = try reader.next() ?? reader.rest() {
                isEmpty = false
                switch line.content {
                case .success(let entry): entries.append(entry)
                case .failure(let error): surroundings.remark("line \(line.number): \(error)")
                }
            }
        } catch {
            throw BadInput("\(error)")
        }
        guard !entries.isEmpty || isEmpty else { throw BadInput("\(path) has no line of a trace") }
        return entries
    }

    /// The failed calls of a trace, each with the calls before it.
    private static func traced(
        _ command: DoctorCommand,
        _ surroundings: Surroundings
    ) throws(BadInput) -> [ExaminedCall] {
        let named: String?
        if let trace = command.trace { named = trace } else { named = try tracePathOfEnvironment() }
        guard let path = named else {
            throw BadInput("there is no trace: set SWIFT_KEYCHAIN_TRACE for the program, or give --trace FILE")
        }
        let entries = try entries(at: path, surroundings)
        // Collected once: the histories of the calls share them.
        var events: [CallHistory.Event] = []
        var found: [(call: TracedCall, time: Timestamp, eventCount: Int)] = []
        for entry in entries {
            if case .call(let traced) = entry.content, traced.status != .success {
                found.append((traced, entry.time, events.count))
            }
            events += history([entry]).events
        }
        if command.last { found = found.suffix(1) }
        guard !found.isEmpty else { throw BadInput("no call of the trace failed") }
        return found.map { traced, time, eventCount in
            var call = examined(traced)
            call.time = time
            call.history = CallHistory(events[max(0, eventCount - maximumEvents)..<eventCount])
            if call.hasUnknownValues {
                let keys = traced.hiddenKeys.union(traced.hiddenAttributeKeys).sorted().map(CaseNotation.name(ofKey:))
                surroundings.remark("not in the trace, and so omitted: \(keys.joined(separator: ", "))")
            }
            return call
        }
    }

    private static func tracePathOfEnvironment() throws(BadInput) -> String? {
        do throws(FileError) { return try ProcessEnvironment.path(TraceOptions.environmentVariable) } catch {
            throw BadInput("\(TraceOptions.environmentVariable): \(error)")
        }
    }

    /// The maximum number of events in a call's history.
    private static let maximumEvents = 1_000

    private static func examined(_ traced: TracedCall) -> ExaminedCall {
        var call = ExaminedCall(KeychainRequest(traced.operation, client: traced.client))
        if let name = traced.clientName { call.clientName = name }
        call.reportedStatus = traced.status
        call.lockState = traced.lockState
        call.unknownKeys = traced.hiddenKeys
        call.unknownAttributeKeys = traced.hiddenAttributeKeys
        return call
    }

    /// The events that the doctor uses.
    private static func history(_ entries: [TraceEntry]) -> CallHistory {
        let client = ExaminedCall(KeychainRequest(.delete([:]), client: .person)).clientName
        return CallHistory(
            entries.compactMap { entry in
                switch entry.content {
                case .call(let call):
                    .call(
                        CallHistory.RecordedCall(
                            KeychainRequest(call.operation, client: call.client),
                            client: call.clientName ?? client,
                            status: call.status,
                            time: CaseNotation.text(of: entry.time)
                        )
                    )
                case .event(.removePasscode): .passcodeRemoved
                case .event(.restore): .restored
                case .event(.reinstall(let name)): .reinstalled(client: name ?? client)
                case .event(.setGroups(let name, let groups)): .groups(client: name ?? client, groups)
                case .event: nil
                }
            }
        )
    }
}
