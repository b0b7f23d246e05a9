// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainSimulation

extension App {
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
