// SPDX-License-Identifier: Apache-2.0

import HostFiles

/// Where the root keys of stores are, by their kind.
public enum RootKeyStorage {
    /// The root key of an existing store.
    ///
    /// - Throws: ``RootKeyFile/Failure``; for a kind that this program cannot use,
    ///   ``ProtectionError/unsupportedRootKey(_:)``.
    public static func load(
        _ kind: RootKeyKind,
        for folder: PrivateDirectory
    ) throws(RootKeyFile.Failure) -> any RootKey {
        switch kind {
        case .software: return try RootKeyFile.load(from: folder)
        default: throw .protection(.unsupportedRootKey(kind))
        }
    }

    /// The root key for a store that is being made: the one that is there, or a new one of the best kind that there is.
    public static func loadOrCreate(for folder: PrivateDirectory) throws(RootKeyFile.Failure) -> any RootKey {
        try RootKeyFile.loadOrCreate(in: folder)
    }
}
