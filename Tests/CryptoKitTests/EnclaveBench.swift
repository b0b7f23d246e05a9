// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport

/// A device of its own, to which the calls of a body go.
struct EnclaveBench {
    let device: TestDevice

    init(_ place: TestDevice.Place = .memory, passcode: String? = "1234") throws {
        device = try TestDevice(place, passcode: passcode)
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let context = KeychainContext(backend: device, client: Client(accessGroups: ["TEAMID.com.example.app"]))
        return try KeychainContext.$current.withValue(context, operation: body)
    }

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
