// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// Asks a person for passwords of keychain files, on the thread of a prompt.
struct FileQuestions {
    private let prompter: UnlockPrompter
    private let store: ProgramStore
    private let window: String
    private let cancellation: PromptCancellation

    /// How often a wrong password may be corrected in one prompt.
    private static let maximumAttempts = 3

    init(
        _ prompter: @escaping UnlockPrompter,
        for store: ProgramStore,
        window: String,
        until cancellation: PromptCancellation
    ) {
        self.prompter = prompter
        self.store = store
        self.window = window
        self.cancellation = cancellation
    }

    /// Unlocks a keychain file with the password that the person types.
    ///
    /// - Returns: Whether it is open.
    func unlock(_ collection: CollectionName) -> Bool {
        guard let files = store.files, let shown = try? store.details(of: collection) else { return false }
        var problem: String?
        for _ in 0..<Self.maximumAttempts {
            // Another prompt, or `security`, may have unlocked it meanwhile.
            if (try? store.isLocked(collection)) == false { return true }
            guard let password = ask(.password(ofCollection: shown.label, problem: problem)) else { return false }
            do throws(KeychainError) {
                try files.service.unlock(at: shown.file.path, password: password)
                return true
            } catch {
                guard error.status == .authenticationFailed else { return false }
                problem = "The password was wrong."
            }
        }
        return false
    }

    /// The password that the person types; `nil` if that was refused.
    func ask(_ kind: UnlockPrompt.Kind) -> SecretBytes? {
        let question = UnlockPrompt(kind, for: store.connection, window: window, cancellation: cancellation)
        guard case .password(let password) = prompter(question) else { return nil }
        return password
    }
}

/// A collection that a prompt creates.
struct CollectionCreation: Sendable {
    let label: String
    /// Stands for it afterwards; empty for none.
    let alias: String

    /// Asks a person for the password, on the thread of the prompt, and creates the keychain file.
    ///
    /// - Returns: The collection; `nil` if that was refused, or failed.
    func ask(
        _ prompter: @escaping UnlockPrompter,
        for store: ProgramStore,
        window: String,
        until cancellation: PromptCancellation
    ) -> CollectionName? {
        guard let files = store.files else { return nil }
        // Another prompt may have created one for the alias meanwhile.
        if !alias.isEmpty, let collection = (try? store.collection(ofAlias: alias)) ?? nil { return collection }
        let questions = FileQuestions(prompter, for: store, window: window, until: cancellation)
        let shown = label.isEmpty ? "Keychain" : label
        guard let password = questions.ask(.newPassword(ofCollection: shown)), !cancellation.isCancelled else {
            return nil
        }
        do throws(KeychainError) {
            let file = try files.collections.create(shown, password: password, by: files.service)
            if !alias.isEmpty { try files.collections.setAlias(alias, to: file.element) }
            return CollectionName(of: file)
        } catch {
            return nil
        }
    }
}
