// SPDX-License-Identifier: Apache-2.0

/// Who may use an item of a file-based keychain: what a `SecAccess` holds.
public struct ItemAccess: Sendable, Hashable {
    /// What the access is for, as a prompt would say it.
    public var descriptor: String

    /// The programs that may read the secret without a question; `nil` for every program.
    public var trustedApplications: [TrustedApplication]?

    /// The partition list: `apple-tool:`, `apple:`, `teamid:XXXXXXXXXX` and their like.
    public var partitions: [String]

    /// An access.
    public init(descriptor: String, trustedApplications: [TrustedApplication]?, partitions: [String] = []) {
        self.descriptor = descriptor
        self.trustedApplications = trustedApplications
        self.partitions = partitions
    }
}

/// A program in an ``ItemAccess``: what a `SecTrustedApplication` holds.
public struct TrustedApplication: Sendable, Hashable {
    /// The path of the executable, or `group://NAME` for an application group.
    public var path: String

    /// A program.
    public init(path: String) { self.path = path }
}
