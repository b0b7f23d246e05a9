// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A collection that a prompt creates.
struct CollectionCreation: Sendable {
    let label: String
    /// Stands for it afterwards; empty for none.
    let alias: String

    /// Asks a person for the password, on the thread of the prompt, and creates the keychain file.
    ///
    /// - Returns: The collection; `nil` if that was refused, or failed.
    func ask(
        _ prompter: UnlockPrompter,
        for store: ProgramStore,
        until cancellation: PromptCancellation
    ) -> CollectionName? {
        guard let files = store.files else { return nil }
        // Another prompt may have created one for the alias meanwhile.
        if !alias.isEmpty, let collection = (try? store.collection(ofAlias: alias)) ?? nil { return collection }
        let shown = label.isEmpty ? "Keychain" : label
        let question = UnlockPrompt(
            .newPassword(ofCollection: shown),
            for: store.connection,
            cancellation: cancellation
        )
        guard case .password(let password) = prompter(question), !cancellation.isCancelled else { return nil }
        do throws(KeychainError) {
            let file = try files.collections.create(shown, password: password, by: files.service)
            if !alias.isEmpty { try files.collections.setAlias(alias, to: file.element) }
            return CollectionName(of: file)
        } catch {
            return nil
        }
    }
}
