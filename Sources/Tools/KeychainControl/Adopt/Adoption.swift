// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainCore
import KeychainHost

/// What becomes of one file, determined before anything is written.
struct Adoption {
    let kind: AdoptedKind
    let file: ConfigurationFile
    private let surroundings: Surroundings

    /// The secrets that are moved, each with what is in its place.
    private(set) var moved: [(found: PlainSecret, origin: SealedCopy.Item.Origin)] = []

    /// What stays, and why.
    private(set) var left: [(line: Int, reason: String)]

    /// Whether something stays only because the keychain has another value.
    private(set) var hasConflict = false

    /// Looks at a file; `nil` if there is none.
    ///
    /// - Throws: ``Refusal`` for a file that is left alone.
    init?(_ kind: AdoptedKind, at path: String, replaces: Bool, _ surroundings: Surroundings) throws(Refusal) {
        var status = stat()
        guard lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR else { return nil }
        (self.kind, self.surroundings) = (kind, surroundings)
        file = try ConfigurationFile(
            path,
            home: try surroundings.homeOfPrograms(),
            takesLockFile: kind == .kube || kind == .git
        )
        let found: PlainSecrets
        do throws(Refusal) { found = try kind.secrets(in: file.bytes, of: path, surroundings) } catch {
            throw Refusal("\(path): \(error)", error.status)
        }
        left = found.left
        var places: [CredentialPlace: SecretBytes] = [:]
        let contested = Self.contestedRegistries(found.secrets)
        for secret in found.secrets {
            if let registry = secret.place.registry, contested.contains(registry) {
                conflict(secret, "the file has two credentials for that registry")
                continue
            }
            if let other = places[secret.place], other != secret.secret {
                conflict(secret, "the file has two secrets for \(secret.place.name.printable)")
                continue
            }
            places[secret.place] = secret.secret
            guard let origin = try Self.origin(of: secret, surroundings) else {
                conflict(secret, "the keychain has several for \(secret.place.name.printable), or one of another user")
                continue
            }
            if case .replaced = origin, !replaces {
                conflict(
                    secret,
                    "the keychain has another value for \(secret.place.name.printable); --replace replaces it"
                )
                continue
            }
            moved.append((secret, origin))
        }
        // Where Docker has a helper it reads no credential of the file any more.
        if kind.movesWhole && hasConflict || !contested.isEmpty {
            for (secret, _) in moved { left.append((secret.line, "\(secret.what): moved only with the others")) }
            moved = []
        }
        // A helper that cannot be installed is told before anything is stored.
        if !moved.isEmpty {
            if let configured = kind.configured { _ = try companion(configured) }
            if kind == .docker {
                _ = try HelperPlan(program: .docker, profile: nil, surroundings: surroundings).helper()
            }
        }
    }

    private mutating func conflict(_ secret: PlainSecret, _ reason: String) {
        left.append((secret.line, "\(secret.what): \(reason)"))
        hasConflict = true
    }

    /// The registries that a file has different credentials for, under several of their names.
    ///
    /// These are names such as those with `https://` and without; an item is for all names of its registry.
    private static func contestedRegistries(_ secrets: [PlainSecret]) -> Set<ServerAddress> {
        var first: [ServerAddress: PlainSecret] = [:]
        var contested: Set<ServerAddress> = []
        for secret in secrets {
            guard let registry = secret.place.registry else { continue }
            guard let other = first[registry] else {
                first[registry] = secret
                continue
            }
            if other.secret != secret.secret || other.place.user != secret.place.user { contested.insert(registry) }
        }
        return contested
    }

    /// What is in the place of a secret; `nil` for what is not replaced.
    private static func origin(
        of secret: PlainSecret,
        _ surroundings: Surroundings
    ) throws(Refusal) -> SealedCopy.Item.Origin? {
        let entries = try surroundings.entries(at: secret.place)
        guard !entries.isEmpty else { return .added }
        if case .registry(_, let user) = secret.place, entries.contains(where: { $0.text(.account) != user }) {
            return nil
        }
        var former: SecretBytes?
        for entry in entries {
            let value = try surroundings.secret(of: entry)
            if value == secret.secret { return .present }
            former = value
        }
        guard entries.count == 1, let former else { return nil }
        return .replaced(former)
    }

    /// The file after the change.
    var new: [UInt8] {
        get throws(Refusal) {
            let edited = TextEdit.apply(moved.flatMap(\.found.edits), to: file.bytes)
            guard kind == .docker else { return edited }
            do throws(HelperFailure) {
                var configuration = try DockerConfiguration(edited)
                configuration.credentialsStore = DockerConfiguration.helper
                return configuration.bytes
            } catch {
                throw Refusal("\(file.path): \(error)")
            }
        }
    }

    /// The commands by which programs get what they do not take from a helper.
    var commands: [String] {
        var commands: [String] = []
        for (secret, _) in moved {
            guard let command = kind.command(for: secret, in: file.path), !commands.contains(command) else { continue }
            commands.append(command)
        }
        return commands
    }

    /// Copies of the file that have secrets in plain text as well.
    var plainCopies: [String] {
        file.copies.filter { copy in
            (try? kind.secrets(in: copy.bytes, of: file.path, surroundings))?.secrets.isEmpty == false
        }.map(\.path)
    }

    /// The file that names the helper, and what it becomes.
    private func companion(_ program: HelpedProgram) throws(Refusal) -> (file: ConfigurationFile, new: [UInt8]) {
        let path = surroundings.keptPath(try program.path(surroundings))
        let file = try ConfigurationFile(
            path,
            home: try surroundings.homeOfPrograms(),
            takesLockFile: program.takesLockFile
        )
        let helper = try HelperPlan(program: program, profile: nil, surroundings: surroundings).helper()
        let text = try file.text()
        guard let block = program.block(helper, profile: nil) else { return (file, file.bytes) }
        do throws(HelperFailure) {
            try block.form.check(text)
            if program == .aws {
                let profiles = moved.compactMap(\.found.profile)
                return (file, try AWSConfiguration.adding(profiles, helper: helper, to: file.bytes))
            }
            return (file, block.isIn(text) ? file.bytes : Array(try block.added(to: text).utf8))
        } catch {
            throw Refusal("\(path): \(error)")
        }
    }

    // MARK: - Carrying it out

    /// Moves the secrets: the copies and the secrets are stored before a file is changed.
    ///
    /// - Throws: ``Refusal``; the file is as it was then.
    func perform() throws(Refusal) {
        let copies = SealedCopies(surroundings: surroundings)
        let new = try new
        guard new.count <= ConfigurationFile.largestByteCount else {
            throw Refusal("it would have more than \(ConfigurationFile.largestByteCount) bytes")
        }
        var other: (file: ConfigurationFile, new: [UInt8])?
        if let program = kind.configured {
            let change = try companion(program)
            if change.new != change.file.bytes { other = change }
            if other != nil {
                try save(
                    .init(of: change.file, written: change.new, program: program),
                    of: change.file.path,
                    in: copies
                )
            }
        }
        var layer = SealedCopy.Layer(of: file, written: new)
        layer.items = moved.map { SealedCopy.Item(place: $0.found.place, secret: $0.found.secret, origin: $0.origin) }
        layer.companion = try kind.configured.map { (program) throws(Refusal) in
            surroundings.keptPath(try program.path(surroundings))
        }
        try save(layer, of: file.path, in: copies)
        for (secret, _) in moved { try surroundings.put(secret.secret, at: secret.place) }
        if let other { try other.file.replace(with: other.new, keepsCopy: false) }
        do throws(Refusal) { try file.replace(with: new, keepsCopy: false) } catch {
            // Another program changed it meanwhile: what was stored for it is no longer what it has.
            try AdoptionUndo(surroundings, isDryRun: false).takeBack(file.path)
            throw error
        }
    }

    private func save(_ layer: SealedCopy.Layer, of path: String, in copies: SealedCopies) throws(Refusal) {
        var copy = try copies.copy(of: path) ?? SealedCopy(path: path, layers: [])
        try copy.add(layer)
        try copies.save(copy)
    }
}

extension SealedCopy.Layer {
    /// What a file is before it is changed.
    fileprivate init(of file: ConfigurationFile, written: [UInt8], program: HelpedProgram? = nil) {
        var status = stat()
        let isThere = lstat(file.path, &status) == 0
        self.init(
            original: isThere ? file.bytes : nil,
            mode: status.st_mode & 0o7777,
            seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec),
            written: written,
            program: program
        )
    }
}

extension Surroundings {
    /// The items of a place in the common group; helpers are shown none that are synchronized.
    func entries(at place: CredentialPlace) throws(Refusal) -> [CredentialStore.Entry] {
        try withItems(in: Client.commonGroup) { (store) throws(KeychainError) in try store.entries(at: place) }
            .filter { !$0.isSynchronizable }
    }

    /// Stores a secret in a place.
    func put(_ secret: SecretBytes, at place: CredentialPlace) throws(Refusal) {
        let (itemClass, attributes) = place.newItem
        try withItems(in: Client.commonGroup) { (store) throws(KeychainError) in
            try store.put(
                secret,
                in: { () throws(KeychainError) in
                    let entries = try store.entries(at: place).filter { !$0.isSynchronizable }
                    // One that has it already stays as it is.
                    for entry in entries where try store.secret(of: entry) == secret { return entry }
                    return entries.first
                },
                orNew: itemClass,
                attributes
            )
        }
    }
}
