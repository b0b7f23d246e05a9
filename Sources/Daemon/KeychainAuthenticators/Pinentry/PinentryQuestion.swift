// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A question in a dialog of pinentry (the manual of pinentry, "Protocol").
struct PinentryQuestion {
    let connection: AssuanConnection
    let text: QuestionText
    let cancelTitle: String?
    let timeoutSeconds: Double

    /// Codes of libgpg-error; a number on the line names the program that failed in its upper bits.
    private enum Code {
        static let timeout: UInt32 = 62
        static let cancellations: [UInt32] = [99, 114, 198]
        static let mask: UInt32 = 0xFFFF
    }

    /// Says hello.
    func begin(_ options: [String]) throws(QuestionEnd) {
        guard try connection.response().error == nil else { throw .unavailable }
        for option in options { try sendOptional("OPTION", option) }
    }

    /// Asks once.
    func ask() throws(QuestionEnd) -> SecretBytes { try dialog(text.label, text.problem).data }

    /// Prompts until the same text is typed twice, in one dialog if pinentry supports that.
    func askTwice() throws(QuestionEnd) -> SecretBytes {
        var problem = text.problem
        while true {
            let first = try dialog(text.label, problem, repetition: QuestionText.repetition)
            if first.statuses.contains("PIN_REPEATED") { return first.data }
            if try dialog(QuestionText.repetition, nil).data == first.data { return first.data }
            problem = QuestionText.mismatch
        }
    }

    private func dialog(
        _ label: String,
        _ problem: String?,
        repetition: String? = nil
    ) throws(QuestionEnd) -> AssuanConnection.Response {
        try sendOptional("SETTITLE", "Keychain")
        try sendOptional("SETDESC", text.reason ?? "The keychain needs your \(text.label.lowercased()).")
        try sendOptional("SETPROMPT", "\(label):")
        try sendOptional("SETOK", "OK")
        if let cancelTitle { try sendOptional("SETCANCEL", Self.title(cancelTitle)) }
        if let problem { try sendOptional("SETERROR", problem) }
        if let repetition {
            try sendOptional("SETREPEAT", "\(repetition):")
            try sendOptional("SETREPEATERROR", QuestionText.mismatch)
        }
        // Ends a little before this side does, so that the dialog can put the screen in order.
        try sendOptional("SETTIMEOUT", "\(Int(min(max(1, timeoutSeconds - 1), 86_400)))")
        let response = try connection.request("GETPIN")
        guard let error = response.error else { return response }
        switch error & Code.mask {
        case Code.timeout: throw .ended
        case let code where Code.cancellations.contains(code): throw .cancelled
        default: throw .unavailable
        }
    }

    /// Sends what a pinentry may not know, and then does without.
    private func sendOptional(_ command: String, _ argument: String) throws(QuestionEnd) {
        _ = try connection.request(command, argument)
    }

    /// A button's title: a single underscore would mark the key that presses it.
    private static func title(_ text: String) -> String {
        PlainText.shown(text).split(separator: "_", omittingEmptySubsequences: false).joined(separator: "__")
    }
}
