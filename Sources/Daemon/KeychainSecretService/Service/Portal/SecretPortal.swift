// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainKeys
import KeychainServer
import Synchronization

/// The back end of the portal for secrets (`org.freedesktop.impl.portal.Secret`), for the thread of the bus: one secret
/// for each sandboxed program, with which that encrypts a file of its own.
final class SecretPortal {
    /// The name that it has on the bus beside that of the service.
    static let name = "org.freedesktop.impl.portal.desktop.swift_keychain"

    /// The name whose owner alone may call it: it says truly which program asks.
    static let frontName = "org.freedesktop.portal.Desktop"

    /// Its object, below which those of requests are.
    static let path = "/org/freedesktop/portal/desktop"

    static let interface = "org.freedesktop.impl.portal.Secret"
    static let requestInterface = "org.freedesktop.impl.portal.Request"

    /// The version of the interface.
    static let version: UInt32 = 1

    /// The most requests that are in progress, of all programs and of one.
    static let maximum = (total: 32, ofApplication: 4)

    /// The connection that has the portal's name; empty for none.
    var front = ""

    /// The requests in progress, by the paths of their objects.
    var requests: [String: Request] = [:]

    /// A request in progress.
    struct Request {
        let application: String
        let questions: PromptQuestions
    }

    /// Whether an object is the portal's.
    static func has(_ path: String) -> Bool { path == Self.path || path.hasPrefix("\(Self.path)/") }

    /// Cancels everything: the portal is gone.
    func cancelAll() {
        for request in requests.values { request.questions.end() }
    }
}

/// How a request of the portal ended (`org.freedesktop.portal.Request`, "Response").
enum PortalResponse: UInt32, Sendable {
    case done = 0
    case cancelled = 1
    case failed = 2
}

/// Where the secret of a sandboxed program comes from, and where it goes: blocks.
struct PortalSecretSource: Sendable {
    let server: KeychainServer
    let admission: any PortalAdmission
    let prompter: UnlockPrompter?

    /// Two requests of one program must not make two secrets.
    private static let turn = Mutex(())

    private static let secretByteCount = 64

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - application: the identifier of the program.
    ///   - portal: the portal, as which the user is asked to unlock the keychain.
    ///   - pipe: takes the secret.
    ///   - questions: ends it.
    /// - Returns: How it ended.
    func answer(
        for application: String,
        askedBy portal: ProgramStore,
        on pipe: PortalPipe,
        until questions: PromptQuestions
    ) -> PortalResponse {
        do {
            let program = try admission.admit(application: application, askedBy: portal.connection.peer)
            guard try unlock(for: portal, until: questions) else { return .cancelled }
            let secret = try secret(of: application, for: try server.connect(program, of: geteuid()), askedBy: portal)
            guard !questions.haveEnded else { return .cancelled }
            return pipe.write(secret, until: questions) ? .done : questions.haveEnded ? .cancelled : .failed
        } catch { return .failed }
    }

    /// Has the user unlock the keychain if it is locked.
    private func unlock(for portal: ProgramStore, until questions: PromptQuestions) throws(ServiceError) -> Bool {
        let isUnlocked = try questions.ask { question throws(ServiceError) -> PromptQuestions.Answer<Bool> in
            guard try portal.isLocked(.login) else { return .ended(true) }
            questions.assume(.login, isLocked: true)
            let prompt = UnlockPrompt(
                .keychain,
                for: portal.connection,
                cancellation: question
            )
            guard let prompter, case .done = prompter(prompt) else { return .refused }
            return .ended(true)
        }
        return isUnlocked ?? false
    }

    private func secret(
        of application: String,
        for connection: FrontConnection,
        askedBy portal: ProgramStore
    ) throws -> SecretBytes {
        defer { connection.end() }
        let attributes = try LookupAttributes([
            .init(LookupMapping.schemaName, SecretPortal.interface), .init(Self.applicationName, application),
        ])
        return try Self.turn.withLock { _ in
            if let secret = try Self.secret(attributes, connection) { return secret }
            let secret = try former(application, portal) ?? SecretBytes(random: Self.secretByteCount)
            let contents = LookupContents(
                attributes: attributes,
                label: "Master secret of \(application)",
                secret: secret,
                contentType: "application/octet-stream"
            )
            _ = try Self.perform(.store(contents, replacing: false), connection)
            return secret
        }
    }

    /// The name by which gnome-keyring files such secrets, too.
    private static let applicationName = "app_id"

    /// The secret that was imported from gnome-keyring: without it the program could not read its file any longer.
    private func former(_ application: String, _ portal: ProgramStore) throws -> SecretBytes? {
        var attributes = try LookupAttributes([.init(Self.applicationName, application)])
        for schema in [nil, LookupMapping.genericSchema] {
            attributes[LookupMapping.schemaName] = schema
            if let secret = try Self.secret(attributes, portal.connection) { return secret }
        }
        return nil
    }

    /// The secret of the item with exactly these attributes.
    private static func secret(_ attributes: LookupAttributes, _ connection: FrontConnection) throws -> SecretBytes? {
        guard case .lookupMatches(let matches) = try perform(.search(attributes), connection),
            case .lookupItems(let items) = try perform(.describe(matches.map(\.identifier)), connection)
        else { throw KeychainError.unexpectedReply }
        guard let item = items.first(where: { $0.attributes == attributes }) else { return nil }
        guard case .lookupSecrets(let secrets) = try perform(.secrets([item.identifier]), connection) else {
            throw KeychainError.unexpectedReply
        }
        // A new one would hide a secret that is only locked now.
        guard let secret = secrets.first else { throw KeychainError(DeviceError.locked) }
        return secret.secret
    }

    private static func perform(
        _ operation: LookupRequest.Operation,
        _ connection: FrontConnection
    ) throws(KeychainError) -> KeychainReply {
        try connection.perform(.lookup(LookupRequest(operation, client: .person)))
    }
}
