// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which items are Docker's: by the label that its helpers give them here and on macOS, or by the schema that its
/// helper for the Secret Service gives them.
extension CredentialStore {
    /// The label of an item of Docker's.
    private static let dockerLabel = "Docker Credentials"

    /// Docker's items for a registry, the one that was changed last first.
    func dockerEntries(for key: DockerKey) throws(KeychainError) -> [Entry] {
        let place: [AttributeName: String] = [.server: key.address.server]
        let labelled = try entries(.internetPassword, place.merging([.label: Self.dockerLabel]) { $1 })
        let others = Set(try identifiers(ofSchema: LookupMapping.dockerSchema))
            .subtracting(labelled.compactMap(\.identifier))
        var found: [Entry] = []
        if !others.isEmpty {
            found = try entries(.internetPassword, place).filter { $0.identifier.map(others.contains) ?? false }
        }
        return (found + labelled).filter(key.isName).sorted { $0.modificationDate > $1.modificationDate }
    }

    /// The users of Docker's items, by the names of their registries.
    func dockerUsers() throws(KeychainError) -> [String: String] {
        let labelled = try entries(.internetPassword, [.label: Self.dockerLabel]).map { entry in
            (DockerKey.text(of: entry), entry.text(.account), entry.modificationDate)
        }
        let others = try describe(try identifiers(ofSchema: LookupMapping.dockerSchema)).map { item in
            (item.attributes["server"], item.attributes["username"], item.modified ?? .referenceDate)
        }
        var users: [String: String] = [:]
        for (name, user, _) in (labelled + others).sorted(by: { $0.2 > $1.2 }) {
            guard let name, let user, users[name] == nil else { continue }
            users[name] = user
        }
        return users
    }

    /// The attributes of a new item of Docker's, without its user.
    static func dockerAttributes(for key: DockerKey) -> [AttributeName: PropertyValue] {
        var attributes = key.attributes
        attributes[.label] = .string(dockerLabel)
        return attributes
    }

    /// Some items without those of Docker's.
    func withoutDocker(_ entries: [Entry]) throws(KeychainError) -> [Entry] {
        let others = entries.filter { $0.text(.label) != Self.dockerLabel }
        guard !others.isEmpty else { return [] }
        let docker = Set(try identifiers(ofSchema: LookupMapping.dockerSchema))
        return others.filter { !($0.identifier.map(docker.contains) ?? false) }
    }
}
