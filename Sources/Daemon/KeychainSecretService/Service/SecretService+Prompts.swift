// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import MessageBus

/// Locking, unlocking, and the prompts in between: an answer to `Unlock` waits for no person.
extension SecretService {
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
        guard let call = calls[number], let store = call.client.store else { return }
        do throws(ServiceError) {
            let prompt =
                found.locked.isEmpty
                ? nil : try addPrompt(for: .unlock(found.locked, held: call.held), of: call.client, store)
            answer(number) { reply throws(BusError) in
                try reply.append(array: found.open, of: "o")
                try reply.append(prompt.map { ObjectPath.prompt($0).text } ?? ObjectPath.none, as: "o")
            }
        } catch { refuse(number, error) }
    }

    func addPrompt(
        for purpose: OpenPrompt.Purpose,
        of client: ServiceClient,
        _ store: ProgramStore
    ) throws(ServiceError) -> Bytes16 {
        guard client.prompts.count < surroundings.options.limits.prompts.ofConnection,
            promptCounts.begin(store.connection.share)
        else { throw .limitsExceeded }
        let prompt = Bytes16.random()
        client.prompts[prompt] = OpenPrompt(purpose)
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
            service.refreshFiles()
            service.afterNotices { service in
                guard let client = service.calls[number]?.client else { return }
                service.updateItems(of: client) { service in
                    service.answer(number) { reply throws(BusError) in
                        try reply.append(array: found.locked, of: "o")
                        try reply.append(ObjectPath.none, as: "o")
                    }
                }
            }
        }
    }

    // MARK: - Prompts

    /// Shows a prompt to a person; once, and only for its owner.
    func show(prompt: Bytes16, _ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard let open = call.client.prompts[prompt] else { throw .noSuchObject }
        guard !open.isShown else { throw .failed }
        open.isShown = true
        answer(call.number)
        guard let prompter = surroundings.options.prompter else { return dismiss(prompt, of: call.client) }
        let (purpose, questions, mailbox) = (open.purpose, open.questions, mailbox)
        let (name, client) = (call.client.name, call.client.number)
        let isStarted = surroundings.prompts.start {
            let result = Self.ask(prompter, for: purpose, in: store, until: questions)
            mailbox.post { service in
                guard let owner = service.client(name, client) else { return }
                service.complete(prompt, of: owner, result)
            }
        }
        if !isStarted { dismiss(prompt, of: call.client) }
    }

    /// Asks a person, on a thread of the prompt's own.
    private static func ask(
        _ prompter: UnlockPrompter,
        for purpose: OpenPrompt.Purpose,
        in store: ProgramStore,
        until questions: PromptQuestions
    ) -> OpenPrompt.Result {
        switch purpose {
        case .create(let creation):
            return .created(creation.ask(prompter, for: store, until: questions.begin()))
        case .unlock(let paths, _):
            do throws(ServiceError) {
                return .unlocked(
                    try questions.ask { question throws(ServiceError) in
                        try ask(
                            prompter,
                            to: question,
                            LockedPaths(paths, store),
                            of: paths,
                            in: store,
                            until: questions
                        )
                    }
                )
            } catch { return purpose.dismissed }
        }
    }

    /// Asks one question: for keychain files one after the other, then for the keychain, then for items in it.
    private static func ask(
        _ prompter: UnlockPrompter,
        to question: PromptCancellation,
        _ found: LockedPaths,
        of paths: [String],
        in store: ProgramStore,
        until questions: PromptQuestions
    ) throws(ServiceError) -> PromptQuestions.Answer<[String]> {
        guard !found.locked.isEmpty else { return .ended(found.open) }
        if let file = found.files.first {
            questions.assume(file, isLocked: true)
            let (label, lock) = try store.passwordLock(of: file)
            let prompt = UnlockPrompt(
                .password(ofCollection: label),
                for: store.connection,
                opening: lock,
                cancellation: question
            )
            guard case .done = prompter(prompt) else { return .refused }
            return .next
        }
        questions.assume(.login, isLocked: found.isKeychainLocked)
        let prompt = UnlockPrompt(
            found.isKeychainLocked ? .keychain : .items(found.items),
            for: store.connection,
            cancellation: question
        )
        guard case .done(let context) = prompter(prompt) else { return .refused }
        if let context { store.open(found.items, with: context) }
        let left = try LockedPaths(paths, store)
        // Which items are locked by themselves is known once the keychain is not.
        let isAnother = found.isKeychainLocked && !left.isKeychainLocked && !left.items.isEmpty
        return isAnother ? .next : .ended(left.open)
    }

    /// Ends a prompt at the will of its owner.
    func dismiss(prompt: Bytes16, _ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard call.client.prompts[prompt] != nil else { throw .noSuchObject }
        answer(call.number)
        dismiss(prompt, of: call.client)
    }

    private func dismiss(_ prompt: Bytes16, of client: ServiceClient) {
        if let open = client.prompts[prompt] { complete(prompt, of: client, open.purpose.dismissed) }
    }

    /// Tells the owner of a prompt how it has ended, once: after what was opened or created was shown to it.
    private func complete(_ prompt: Bytes16, of client: ServiceClient, _ result: OpenPrompt.Result) {
        guard let open = client.prompts.removeValue(forKey: prompt), let store = client.store else { return }
        promptCounts.end(store.connection.share)
        open.questions.end()
        refreshFiles()
        guard !result.isDismissed else { return emitCompleted(prompt, result, to: client) }
        let (name, number) = (client.name, client.number)
        afterNotices { service in
            guard let client = service.client(name, number) else { return }
            service.updateItems(of: client) { service in
                guard let client = service.client(name, number) else { return }
                service.emitCompleted(prompt, result, to: client)
            }
        }
    }

    private func emitCompleted(_ prompt: Bytes16, _ result: OpenPrompt.Result, to client: ServiceClient) {
        emit(.completed, at: .prompt(prompt), to: .client(client)) { message throws(BusError) in
            try message.append(result.isDismissed)
            switch result {
            case .unlocked(let paths):
                try message.append("v", of: "ao") { () throws(BusError) in
                    try message.append(array: paths ?? [], of: "o")
                }
            case .created(let collection):
                try message.append("v", of: "o") { () throws(BusError) in
                    try message.append(collection.map { ObjectPath.collection($0).text } ?? ObjectPath.none, as: "o")
                }
            }
        }
    }
}
