// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// JSON for a terminal.
enum JSONText {
    /// JSON text with escapes (RFC 8259, section 7) for characters that control a terminal, which occur only in
    /// strings.
    static func escapingInvisible(_ json: String) -> String {
        var text = ""
        for scalar in json.unicodeScalars {
            guard scalar.isInvisible else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 { text += String(format: "\\u%04x", Int(unit)) }
        }
        return text
    }
}
