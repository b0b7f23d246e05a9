// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

@testable import KeychainFiles
@testable import KeychainMacFrontEnd
@testable import KeychainTrust
@testable import SecurityTool

/// Lines of the interactive mode of `security`, which are run on the keychain files of a folder of this process's own.
///
/// Without slashes, so that no command leaves the folder; standard input of a command is what follows its line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = UnsafeBufferPointer(start: start, count: count).map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    let input = Surroundings.input(text)
    defer { close(input) }
    let tool = Tool(
        backend: Surroundings.keychains,
        preferences: KeychainPreferences(
            home: KeychainHome(path: Surroundings.folder),
            systemFolder: "\(Surroundings.folder)/system"
        ),
        terminal: nil,
        trustSettings: .inMemory()
    )
    _ = tool.run(
        arguments: [Array("-i".utf8)],
        input: input,
        output: Surroundings.nowhere,
        errors: Surroundings.nowhere
    )
    return 0
}

/// What the commands find around them.
private enum Surroundings {
    static let keychains = KeychainFiles.forTesting()

    static let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)

    /// An empty folder, which is the current one as well.
    static let folder: String = {
        var template = Array("/tmp/fuzz-session-XXXXXX".utf8CString)
        guard let made = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap(mkdtemp) }) else {
            fatalError("there is no folder for temporary files")
        }
        let folder = String(cString: made)
        guard chdir(folder) == 0 else { fatalError("the folder cannot be entered") }
        return folder
    }()

    /// A descriptor that gives some bytes, of which a pipe takes as many as an input has.
    static func input(_ bytes: [UInt8]) -> Int32 {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "there are descriptors")
        precondition(write(ends[1], bytes, bytes.count) == bytes.count, "a pipe takes 64 KiB")
        close(ends[1])
        return ends[0]
    }
}
