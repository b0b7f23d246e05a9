// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainEngine

/// The clock of a virtual device: it shows the time at which the device was created, and stands still until a test
/// advances it.
public final class VirtualClock: Sendable {
    private let state = Guarded(State())

    private struct State {
        var boots = 1
        var secondsSinceBoot = 1_000.0
        // It starts with the host's date, because code under test compares the dates of items with that.
        var secondsSinceReferenceDate = Date().timeIntervalSinceReferenceDate
    }

    init() {}

    /// Advances the clock: for dates, for delays after wrong passcodes, and for locking after inactivity.
    public func advance(by duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        state.withLock { state in
            state.secondsSinceBoot += seconds
            state.secondsSinceReferenceDate += seconds
        }
    }

    /// The date that the device shows, which is used for the dates of items.
    ///
    /// Setting it corresponds to changing the date in the settings: it shortens no delay.
    public var date: Date {
        get { Date(timeIntervalSinceReferenceDate: state.withLock(\.secondsSinceReferenceDate)) }
        set { state.withLock { $0.secondsSinceReferenceDate = newValue.timeIntervalSinceReferenceDate } }
    }

    func reboot() {
        state.withLock { state in
            state.boots += 1
            state.secondsSinceBoot = 0
        }
    }

    /// The clock for delays.
    var host: any HostClock { Host(clock: self) }

    /// The clock for the dates of items.
    var dates: any KeychainClock { Dates(clock: self) }

    private struct Host: HostClock {
        let clock: VirtualClock

        var now: HostTime {
            clock.state.withLock {
                HostTime(
                    bootIdentifier: "boot \($0.boots)",
                    secondsSinceBoot: $0.secondsSinceBoot,
                    date: Timestamp(secondsSinceReferenceDate: $0.secondsSinceReferenceDate)
                )
            }
        }
    }

    private struct Dates: KeychainClock {
        let clock: VirtualClock

        var now: Timestamp {
            clock.state.withLock { Timestamp(secondsSinceReferenceDate: $0.secondsSinceReferenceDate) }
        }
    }
}
