// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTrace

/// Calls of item functions as a trace has them (Documentation/Trace.md).
enum CallTrace {
    /// Makes a call, and records its request and result if tracing is on.
    static func perform(
        _ operation: KeychainRequest.Operation,
        in context: KeychainContext
    ) throws(KeychainError) -> KeychainAnswer {
        let request = KeychainRequest(operation, client: context.client)
        guard let tracer = KeychainTracing.tracer else { return try context.backend.perform(request) }
        let time = Timestamp(secondsSinceReferenceDate: Date.now.timeIntervalSinceReferenceDate)
        let lockState = try? context.backend.device.status().lockState
        let start = DispatchTime.now()
        func record(_ error: KeychainError?) {
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
            let call = TracedCall(
                operation,
                client: context.client,
                lockState: lockState,
                status: error?.status ?? .success,
                reason: error?.reason,
                milliseconds: Double(nanoseconds) / 1_000_000,
                stack: Tracer.stack()
            )
            tracer.record(call, at: time)
        }
        do throws(KeychainError) {
            let answer = try context.backend.perform(request)
            record(nil)
            return answer
        } catch {
            record(error)
            throw error
        }
    }
}
