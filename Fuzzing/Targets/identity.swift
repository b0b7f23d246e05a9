// SPDX-License-Identifier: Apache-2.0

@testable import KeychainCore
@testable import KeychainIdentity

/// What programs and their sandboxes hand to the daemon: manifests, executables, and the files of `/proc`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let value = try? JSONParser.parse(input) {
        let again = try? JSONParser.parse(value.text.utf8)
        precondition(again == value, "what is written of a value is read as the same value")
    }
    if let digits = Encodings.bytes(base64URL: input) {
        precondition(Array(Encodings.base64URL(digits).utf8) == input, "one text stands for the bytes")
    }
    _ = try? SignedDocument(text: input)
    _ = try? PublishedStatements.statements(input)
    let executable = ELFFile { offset, count in
        offset < UInt64(input.count) ? Array(input[Int(offset)...].prefix(count)) : []
    }
    if let executable { _ = LibrarySearch.objection(to: executable, at: "/usr/bin/tool", FileTrust()) }
    _ = try? RootManifest(text: input)
    _ = try? IdentityRecord(text: input)
    _ = FlatpakInformation(text: input)
    _ = ControlGroup(text: input)?.systemUnit
    _ = ControlGroup(text: input)?.snap
    _ = SnapLabel(String(decoding: input, as: UTF8.self))
    _ = ExecutableMemory(text: input)
    _ = ProcessStatus.startTime(input)
    _ = ProcessStatus.tracer(input)
    _ = ProcessStatus.permittedCapabilities(input)
    _ = ProcessStatus.unprivilegedFilterCount(input)
    _ = LoaderVariables.named(in: input, FileTrust())
    _ = TeamPublicKey(String(decoding: input, as: UTF8.self))
    return 0
}
