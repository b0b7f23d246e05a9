// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// The enrolled biometry and paired devices: hashes that change when they do, and reveal nothing else.
public final class LADomainState: NSObject, Sendable {
    /// The state of the biometry.
    public let biometry: LADomainStateBiometry

    /// The state of the companions.
    public let companion: LADomainStateCompanion

    init(_ biometry: Biometry) {
        self.biometry = LADomainStateBiometry(biometry)
        companion = LADomainStateCompanion()
    }

    /// The states of biometry and companions in one; `nil` when nothing is enrolled or paired.
    public var stateHash: Data? { biometry.stateHash }
}

/// The state of the biometry.
public final class LADomainStateBiometry: NSObject, Sendable {
    /// The kind of biometry that the device has.
    public let biometryType: LABiometryType

    /// Changes with every change of what is enrolled; `nil` when nothing is.
    public let stateHash: Data?

    init(_ biometry: Biometry) {
        biometryType = LABiometryType(biometry.kind)
        stateHash = biometry.stateHash
    }
}

/// The state of the companions: none can be paired.
public final class LADomainStateCompanion: NSObject, Sendable {
    override init() { super.init() }

    /// The kinds of companions that are paired.
    public var availableCompanionTypes: Set<LACompanionType> { [] }

    /// Changes with every change of what is paired; `nil` when nothing is.
    public var stateHash: Data? { nil }

    /// The same for companions of one kind.
    public func stateHash(for companionType: LACompanionType) -> Data? { nil }
}

/// A kind of companion, as Apple numbers it.
public enum LACompanionType: Int, Sendable {
    /// A watch.
    case watch = 1
    /// A Mac.
    case mac = 2
    /// A headset.
    case vision = 4
}

extension Biometry {
    /// Opaque data for the set that is enrolled.
    var stateHash: Data? { enrolledSet.map { Data($0.bytes) } }
}
