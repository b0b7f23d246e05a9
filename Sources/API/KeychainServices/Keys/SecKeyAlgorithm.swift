// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An algorithm of a key, by its name.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    // The string never changes.
    /// The name of the algorithm.
    public let rawValue: CFString

    /// An algorithm of this name.
    public init(rawValue: CFString) { self.rawValue = rawValue }
}
