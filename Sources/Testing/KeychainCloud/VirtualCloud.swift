// SPDX-License-Identifier: Apache-2.0

import KeychainCore
public import KeychainSimulation
import KeychainSynchronization

/// What the synchronizable items of several devices travel through, in a test.
///
/// Nothing travels by itself: a test says when, so each order of events can be had. The rules are those of the
/// synchronization of this package (Documentation/Synchronization.md): the later change stays, and a delete is one.
///
/// ```swift
/// let cloud = VirtualCloud()
/// let phone = try VirtualDevice(.iOS)
/// let tablet = try VirtualDevice(.iOS)
/// try await phone.signIn(to: cloud)
/// try await tablet.signIn(to: cloud)
/// // The app stores a synchronizable item on the phone.
/// try await cloud.settle()
/// // It is on the tablet.
/// ```
public final class VirtualCloud: Sendable {
    let circle: CloudCircle

    private let state = Guarded(State())

    private struct State {
        var isReachable = true
    }

    /// A cloud without devices.
    public init() { circle = CloudCircle() }

    /// Whether devices reach the cloud; ``settle(order:)`` without it does nothing.
    public var isReachable: Bool {
        get { state.withLock(\.isReachable) }
        set { state.withLock { $0.isReachable = newValue } }
    }

    /// Has all devices that reach it exchange their changes, until there is nothing more to exchange.
    ///
    /// What a locked device cannot open or store waits there for its unlock and the next exchange.
    ///
    /// - Parameter order: a seed for the order in which the devices take turns; 0 for the one in which they signed in.
    /// - Throws: ``VirtualDeviceError`` if a device's storage does not work.
    public func settle(order: UInt64 = 0) async throws(VirtualDeviceError) {
        guard isReachable else { return }
        try await circle.settle(order: order)
    }

    /// The secrets of the changes on a device that lost to those of others and that nobody else had, in the order in
    /// which they lost.
    public func overwritten(on device: VirtualDevice) -> [[UInt8]] {
        device.cloudAccount?.store.overwritten ?? []
    }
}

extension VirtualDevice {
    /// The cloud that the device is signed in to; `nil` for none.
    public var cloud: VirtualCloud? { cloudAccount?.cloud }

    /// Signs in to a cloud: at the next exchange it gets what is there, and gives what it has.
    ///
    /// A device that was erased or restored from a backup is signed out, as a phone is; its items then count as old as
    /// they are.
    ///
    /// - Throws: ``VirtualDeviceError`` if it is signed in already, or locked.
    public func signIn(to cloud: VirtualCloud) async throws(VirtualDeviceError) {
        guard self.cloud == nil else {
            throw VirtualDeviceError(KeychainError(.parameter, "the device is signed in to a cloud"))
        }
        guard platform == .simulator || lockState == .unlocked else {
            throw VirtualDeviceError(KeychainError(.interactionNotAllowed, "the device is locked"))
        }
        let account = try await cloud.circle.admit(self, to: cloud)
        cloudPart.withLock { $0 = account }
    }

    /// Signs out: nothing arrives any more, and nothing is sent.
    ///
    /// - Parameter keepingItems: whether the synchronizable items stay on the device; if not, they are removed here and
    ///   nowhere else.
    /// - Throws: ``VirtualDeviceError`` if the items cannot be removed.
    public func signOut(keepingItems: Bool = true) async throws(VirtualDeviceError) {
        guard let account = cloudAccount else { return }
        if !keepingItems { try account.store.removeItems() }
        leaveCloud()
    }

    /// Whether the device reaches its cloud; a new one does.
    public var isOnline: Bool {
        get { isOffline.withLock { !$0 } }
        set { isOffline.withLock { $0 = !newValue } }
    }

    var cloudAccount: CloudAccount? { cloudPart.withLock { $0 } as? CloudAccount }
}
