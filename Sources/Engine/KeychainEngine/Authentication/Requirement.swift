// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What has to be shown: some ways to authenticate, all of them or any one.
struct Requirement: Sendable, Hashable {
    /// A way to authenticate.
    enum Way: Sendable, Hashable {
        /// Any biometry that is enrolled.
        case biometry
        /// Biometry of the set that was enrolled when an item was stored; `nil` for an item that never noted one.
        case biometryOfSet(Bytes16?)
        /// The passcode.
        case passcode
        /// A companion device; there is none on this platform.
        case companion
    }

    /// The ways, in the order in which they are tried.
    var ways: [Way]

    /// Whether one of them is enough.
    var anyOneSuffices = false

    /// What a policy requires.
    init(_ policy: AuthenticationPolicy) {
        switch policy {
        case .biometrics: self.init(all: [.biometry])
        case .deviceOwner: self.init(anyOf: [.biometry, .passcode])
        case .biometricsOrCompanion: self.init(anyOf: [.biometry, .companion])
        case .companion, .wristDetection: self.init(all: [.companion])
        }
    }

    /// What an access control requires, except for its application password.
    init(_ accessControl: AccessControl) {
        guard let constraints = accessControl.constraints else {
            self.init(all: [])
            return
        }
        guard !constraints.shown.contains(.userPresence) else {
            // It is the only thing to show, so that `and` and `or` have no meaning for it.
            self.init(.deviceOwner)
            return
        }
        var ways: [Way] = []
        if constraints.shown.contains(.biometryAny) { ways.append(.biometry) }
        if constraints.shown.contains(.biometryCurrentSet) { ways.append(.biometryOfSet(accessControl.enrolledSet)) }
        if constraints.shown.contains(.devicePasscode) { ways.append(.passcode) }
        if constraints.shown.contains(.companion) { ways.append(.companion) }
        // With an application password `or` may be left with a single way, or with none.
        if constraints.anyOneSuffices && !ways.isEmpty { self.init(anyOf: ways) } else { self.init(all: ways) }
    }

    private init(all ways: [Way]) { self.ways = ways }

    private init(anyOf ways: [Way]) {
        self.ways = ways
        anyOneSuffices = true
    }

    /// Whether biometry is one of the ways.
    var asksForBiometry: Bool { ways.contains(.biometry) || asksForCurrentSet }

    /// Whether biometry of one set is one of the ways.
    var asksForCurrentSet: Bool {
        ways.contains { way in
            if case .biometryOfSet = way { true } else { false }
        }
    }

    /// Whether it is met when each of its ways is, or is not.
    func isMet(_ isShown: (Way) -> Bool) -> Bool {
        anyOneSuffices ? ways.contains(where: isShown) : ways.allSatisfy(isShown)
    }
}
