// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import PortableSecurity

/// The calls that a rule made, to be repeated on a keychain if the subject's result differs from a keychain's.
final class CallJournal {
    private var calls: [() -> OSStatus] = []

    /// Records a call; it is repeated only if it has to be explained.
    func record(_ call: @escaping () -> OSStatus) { calls.append(call) }

    /// Why a faithful keychain returns a status for the last call, in the words of `keychainctl doctor`; `nil` if its
    /// status differs: the call uses something that exists only in the subject, such as one of its references, or the
    /// rule did more than make calls.
    func explanation(of status: OSStatus, on platform: VirtualDevice.Platform) -> String? {
        guard let last = calls.last, let device = try? KeychainContract.makeDevice(platform) else { return nil }
        return device.install(KeychainContract.entitlements).run {
            for call in calls.dropLast() { _ = call() }
            return last() == status ? FailureExplanation.ofLastCall(device.calls) : nil
        }
    }
}
