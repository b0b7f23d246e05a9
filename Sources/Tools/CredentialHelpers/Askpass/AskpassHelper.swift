// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// `keychain-askpass PROMPT`: answers a question of ssh, sudo or git from the keychain, else asks the user.
///
/// The passphrase of a key is a generic password as ssh-add makes it on macOS.
struct AskpassHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    func run(_ arguments: [String]) -> Int32 {
        let text = arguments.first ?? "Password"
        switch surroundings.environment("SSH_ASKPASS_PROMPT") {
        case "none":
            // A notice, which expects no answer.
            surroundings.streams.remark(PlainText.shown(text))
            return 0
        case "confirm":
            surroundings.remark(.askpass, "a use of a key has to be confirmed by a person, not by this program")
            return 1
        default: break
        }
        do {
            if let answer = try stored(AskpassPrompt(text)) { return try write(answer) }
        } catch {
            surroundings.remark(.askpass, reasonOf: error)
        }
        return ask(text)
    }

    private func write(_ answer: SecretBytes) throws(HelperFailure) -> Int32 {
        guard answer.oneLine != nil else { throw HelperFailure("the item has several lines, which are no answer") }
        var line = SecretBuffer()
        line.append(answer)
        line.append(0x0A)
        surroundings.streams.write(line.bytes)
        return 0
    }

    private func ask(_ text: String) -> Int32 {
        let authenticator = surroundings.authenticator
        guard authenticator.canAskForSecrets else {
            surroundings.remark(.askpass, "the keychain has no answer to this question, and there is nobody to ask")
            return 1
        }
        let prompt = AuthenticationPrompt(.applicationPassword, reason: text, label: "Answer")
        guard case .secret(let answer) = authenticator.ask(prompt) else { return 1 }
        return (try? write(answer)) ?? 1
    }

    /// The secret of the item that answers; `nil` if there is none.
    private func stored(_ prompt: AskpassPrompt) throws -> SecretBytes? {
        switch prompt {
        case .key(let path): try secret(.genericPassword, [.service: "OpenSSH", .account: path]) { _ in true }
        case .sudo(let user): try secret(.genericPassword, [.service: "sudo", .account: user]) { _ in true }
        case .server(let user, let host):
            try secret(.internetPassword, [.server: host, .account: user]) { entry in
                ServerAddress(scheme: "ssh", host: host).isWithin(entry)
            }
        case .git(let url): try gitPassword(SecretBytes(text: "url=\(url)"))
        case .other: nil
        }
    }

    private func gitPassword(_ description: SecretBytes) throws -> SecretBytes? {
        let pattern = try GitCredential(description)
        guard let address = try pattern.address, let user = pattern.username else { return nil }
        let found = try surroundings.store.entries(.internetPassword, [.server: address.server, .account: user])
        let entries = try surroundings.store.withoutDocker(found.filter(address.isWithin))
        let entry = entries.first(where: address.hasSamePath) ?? entries.first
        let secret = try entry.map { (entry) throws(KeychainError) in try surroundings.store.secret(of: entry) }
        return secret.flatMap { GitSecret(stored: $0) }.flatMap { $0.credential == nil ? $0.password : nil }
    }

    private func secret(
        _ itemClass: ItemClass,
        _ attributes: [AttributeName: String],
        where isIncluded: (CredentialStore.Entry) -> Bool
    ) throws(KeychainError) -> SecretBytes? {
        guard let entry = try surroundings.store.entries(itemClass, attributes).first(where: isIncluded) else {
            return nil
        }
        return try surroundings.store.secret(of: entry)
    }
}
