// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import MessageBus

/// Locking, unlocking, and the prompts in between: an answer to `Unlock` waits for no person.
extension SecretService {
    /// What is locked of some paths.
    private struct LockedPaths: Sendable {
        /// Those that are open, as they were asked for.
        var open: [String] = []
        /// Those that are locked, as they were asked for.
        var locked: [String] = []
        var isKeychainLocked = false
        /// Those of them that are locked by themselves.
        var items: [ItemIdentifier] = []
        /// The keychain files that are locked.
        var files: [CollectionName] = []

        /// Passes over what there is not.
        init(_ paths: [String], _ store: ProgramStore) throws(ServiceError) {
            isKeychainLocked = try store.isLocked(.login)
            for path in paths {
                switch store.object(path) {
                case .collection(let collection)? where collection.isFile:
                    guard let isLocked = try? store.isLocked(collection) else { continue }
                    if isLocked { locked.append(path) } else { open.append(path) }
                    if isLocked { add(collection) }
                case .collection(let collection)?:
                    if collection == .login && isKeychainLocked { locked.append(path) } else { open.append(path) }
                case .item(let collection, let item)?:
                    guard let found = try store.describeAny([item], in: collection).first else { continue }
                    if found.isLocked { locked.append(path) } else { open.append(path) }
                    guard found.isLocked else { continue }
                    if collection.isFile { add(collection) } else if !isKeychainLocked { items.append(item) }
                case .service?, .alias?, .session?, .prompt?, nil: break
                }
            }
        }

        private mutating func add(_ file: CollectionName) { if !files.contains(file) { files.append(file) } }
    }

    /// Opens what is locked by a prompt.
    func unlock(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let paths = try call.message.objectPaths()
        try hold(paths.count * ObjectPath.maximumByteCount, for: call, store)
        work(for: call, store) { store throws(ServiceError) in
            try LockedPaths(paths, store)
        } then: { service, number, found in
            service.answerUnlock(number, found)
        }
    }

    private func answerUnlock(_ number: UInt64, _ found: LockedPaths) {
        guard let client = calls[number]?.client, let store = client.store else { return }
        do throws(ServiceError) {
            let prompt = found.locked.isEmpty ? nil : try addPrompt(for: found.locked, of: client, store)
            answer(number) { reply throws(BusError) in
                try reply.append(array: found.open, of: "o")
                try reply.append(prompt.map { ObjectPath.prompt($0).text } ?? ObjectPath.none, as: "o")
            }
        } catch { refuse(number, error) }
    }

    func addPrompt(
        for paths: [String] = [],
        creating creation: CollectionCreation? = nil,
        of client: ServiceClient,
        _ store: ProgramStore
    ) throws(ServiceError) -> Bytes16 {
        guard client.prompts.count < surroundings.options.limits.prompts.ofConnection,
            promptCounts.begin(store.connection.share)
        else { throw .limitsExceeded }
        let prompt = Bytes16.random()
        client.prompts[prompt] = OpenPrompt(of: paths, creation: creation)
        return prompt
    }

    /// Locks collections, and items that were opened by themselves.
    func lock(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let paths = try call.message.objectPaths()
        try hold(paths.count * ObjectPath.maximumByteCount, for: call, store)
        work(for: call, store) { store throws(ServiceError) in
            let objects = paths.map { store.object($0) }
            for case .item(_, let item)? in objects { store.close(item) }
            if objects.contains(.collection(.login)), try !store.isLocked(.login) { try store.lock() }
            for case .collection(let collection)? in objects where collection.isFile { try? store.lock(collection) }
            return try LockedPaths(paths, store)
        } then: { service, number, found in
            service.afterLockNotices { service in
                guard let client = service.calls[number]?.client else { return }
                service.updateItems(of: client) { service in
                    service.answer(number) { reply throws(BusError) in
                        try reply.append(array: found.locked, of: "o")
                        try reply.append(ObjectPath.none, as: "o")
                    }
                }
            }
            service.refreshFiles()
        }
    }

    // MARK: - Prompts

    /// Shows a prompt to a person; once, and only for its owner.
    func show(prompt: Bytes16, _ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard let window = call.message.string() else { throw .invalidArguments }
        guard let open = call.client.prompts[prompt] else { throw .noSuchObject }
        guard !open.isShown else { throw .failed }
        open.isShown = true
        answer(call.number)
        guard let prompter = surroundings.options.prompter else { return complete(prompt, of: call.client, nil) }
        let (paths, questions, mailbox) = (open.paths, open.questions, mailbox)
        let (name, client) = (call.client.name, call.client.number)
        let isStarted = surroundings.prompts.start { [creation = open.creation] in
            if let creation {
                let created = creation.ask(prompter, for: store, window: window, until: questions.begin())
                return mailbox.post { service in
                    guard let owner = service.client(name, client) else { return }
                    service.complete(prompt, of: owner, created: created)
                }
            }
            let opened = Self.ask(prompter, paths, in: store, window: window, until: questions)
            mailbox.post { service in
                guard let owner = service.client(name, client) else { return }
                service.complete(prompt, of: owner, opened)
            }
        }
        if !isStarted { complete(prompt, of: call.client, nil) }
    }

    /// Asks a person, on a thread of the prompt's own: for keychain files one after the other, then for the keychain.
    ///
    /// - Returns: The paths that are open then; `nil` if that was refused.
    private static func ask(
        _ prompter: @escaping UnlockPrompter,
        _ paths: [String],
        in store: ProgramStore,
        window: String,
        until questions: PromptQuestions
    ) -> [String]? {
        do throws(ServiceError) {
            while true {
                // Before the look, so that the question ends if another prompt unlocks it from now on.
                let cancellation = questions.begin()
                let found = try LockedPaths(paths, store)
                guard !found.locked.isEmpty else { return found.open }
                if let file = found.files.first {
                    if FileQuestions(prompter, for: store, window: window, until: cancellation).unlock(file) {
                        continue
                    }
                } else {
                    let question = UnlockPrompt(
                        .unlock(isKeychainLocked: found.isKeychainLocked, items: found.items),
                        for: store.connection,
                        window: window,
                        cancellation: cancellation
                    )
                    if case .done(let context) = prompter(question) {
                        if let context { store.open(found.items, with: context) }
                        return try LockedPaths(paths, store).open
                    }
                }
                guard cancellation.isCancelled, !questions.haveEnded else { return nil }
            }
        } catch { return nil }
    }

    /// Ends a prompt at the will of its owner.
    func dismiss(prompt: Bytes16, _ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard call.client.prompts[prompt] != nil else { throw .noSuchObject }
        answer(call.number)
        complete(prompt, of: call.client, nil)
    }

    /// Tells the owner of a prompt how it has ended, once: after what was opened was shown to it.
    private func complete(_ prompt: Bytes16, of client: ServiceClient, _ opened: [String]?) {
        guard let open = client.prompts.removeValue(forKey: prompt), let store = client.store else { return }
        promptCounts.end(store.connection.share)
        open.questions.end()
        guard open.creation == nil else { return emitCreated(prompt, to: client, nil) }
        refreshFiles()
        guard let opened else { return emitCompleted(prompt, to: client, nil) }
        let (name, number) = (client.name, client.number)
        afterLockNotices { service in
            guard let client = service.client(name, number) else { return }
            service.updateItems(of: client) { service in
                guard let client = service.client(name, number) else { return }
                service.emitCompleted(prompt, to: client, opened)
            }
        }
    }

    /// Tells the owner of a prompt that has created a collection, or that it was refused.
    private func complete(_ prompt: Bytes16, of client: ServiceClient, created collection: CollectionName?) {
        guard let open = client.prompts.removeValue(forKey: prompt), let store = client.store else { return }
        promptCounts.end(store.connection.share)
        open.questions.end()
        emitCreated(prompt, to: client, collection)
        refreshFiles()
    }

    private func emitCreated(_ prompt: Bytes16, to client: ServiceClient, _ collection: CollectionName?) {
        emit(.completed, at: .prompt(prompt), to: .client(client)) { message throws(BusError) in
            try message.append(collection == nil)
            try message.append("v", of: "o") { () throws(BusError) in
                try message.append(collection.map { ObjectPath.collection($0).text } ?? ObjectPath.none, as: "o")
            }
        }
    }

    private func emitCompleted(_ prompt: Bytes16, to client: ServiceClient, _ paths: [String]?) {
        emit(.completed, at: .prompt(prompt), to: .client(client)) { message throws(BusError) in
            try message.append(paths == nil)
            try message.append("v", of: "ao") { () throws(BusError) in
                try message.append(array: paths ?? [], of: "o")
            }
        }
    }
}
