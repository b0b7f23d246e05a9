// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainSimulation

/// A device of its own, to which the calls of a body go.
struct EnclaveBench {
    let device: VirtualDevice

    private let app: App

    init(_ storage: VirtualDevice.Storage = .memory, passcode: String? = VirtualDevice.defaultPasscode) throws {
        device = try VirtualDevice(passcode: passcode, storage: storage)
        app = device.install()
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result { try app.run(body) }

    /// The code of the `NSOSStatusErrorDomain` error that a body throws; 0 for success.
    func status<Result>(_ body: () throws -> Result) -> OSStatus {
        run {
            do {
                _ = try body()
                return errSecSuccess
            } catch {
                let error = error as NSError
                return error.domain == NSOSStatusErrorDomain ? OSStatus(error.code) : .max
            }
        }
    }
}
