// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainTrust

/// A file of trust settings that a command names.
enum TrustSettingsFile {
    /// Reads the settings.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func read(_ path: Word, for function: String, in session: Session) throws -> TrustSettings {
        guard let bytes = CertificateFile.contents(path) else {
            try session.output.write("***Error reading file \(path)\n")
            throw CommandFailure(status: 1)
        }
        return try reportingTrust(function) { () throws(KeychainError) in
            try TrustSettings(propertyList: Data(bytes))
        }
    }

    /// Writes the settings.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func write(_ settings: TrustSettings, _ path: Word) throws {
        let file = try OutputFile(path)
        try file.output.write(ByteText(Array(settings.propertyList)))
        try file.close()
    }
}
