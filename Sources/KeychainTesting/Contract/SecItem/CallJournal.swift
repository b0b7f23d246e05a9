// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import PortableSecurity

/// What a rule asked of a subject, to be asked of a keychain where the subject answers otherwise than one would.
final class CallJournal {
    private var calls: [() -> OSStatus] = []

    /// Notes a call, which is made only when it has to be explained.
    func note(_ call: @escaping () -> OSStatus) { calls.append(call) }

    /// Why a faithful keychain answers the last call with a status, in the words of `keychainctl doctor`; `nil` where
    /// it does not give this status: the call is about something that is there only in the subject, such as a
    /// reference of its making, or the rule did more than make calls.
    func explanation(of status: OSStatus, on platform: VirtualDevice.Platform) -> String? {
        guard let last = calls.last, let device = try? VirtualDevice(platform) else { return nil }
        return device.install(KeychainContract.entitlements).run {
            for call in calls.dropLast() { _ = call() }
            return last() == status ? FailureExplanation.ofLastCall(device.calls) : nil
        }
    }
}
