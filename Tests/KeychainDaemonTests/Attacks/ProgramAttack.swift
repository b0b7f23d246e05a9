// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// What is done to a program, or by it, before its command.
struct ProgramAttack {
    let name: String
    let expected: AttackScene.Answer
    /// The manifest beside the program.
    var manifest: (AttackScene) throws -> String = { try $0.manifest() }
    /// The words before those of the user who runs the program.
    var launcher: (_ folder: String, AttackScene) throws -> [String] = { _, _ in [] }
    /// The words before the program.
    var prefix: (AttackScene) throws -> [String] = { _ in [] }
    /// Changes the program's files, and returns the words that run it.
    var words: (_ folder: String, AttackScene) throws -> [String] = { folder, _ in ["\(folder)/tool"] }
    /// What it is told before it connects, each with the line that it answers.
    var before: (_ folder: String, AttackScene) throws -> [(String, String)] = { _, _ in [] }
    /// Changes the program's files while it runs.
    var meanwhile: (_ folder: String, AttackScene) throws -> Void = { _, _ in }
    /// What it is told once the daemon has greeted it.
    var after: (_ folder: String, AttackScene) throws -> [(String, String)] = { _, _ in [] }
    /// Whether its command is bytes from elsewhere, which it copies to the connection as to any output.
    var isCopied = false
    /// The access groups that it claims.
    var groups: (AttackScene) -> [String] = { [$0.group] }
    /// Whether its query names the item's group.
    var namesGroup = true

    private static let refused = AttackScene.Answer.refused(.missingEntitlement)
    private static let notFound = AttackScene.Answer.refused(.itemNotFound)
    private static var nothing: ProgramAttack { Self(name: "nothing", expected: .secret) }

    /// Those that take no privilege; what a daemon learns from one of them, it knows in those that follow.
    static var all: [ProgramAttack] { [nothing] + files + surroundings + manifests + groups + processes + keys }

    /// Other files than the signed program's own.
    private static var files: [ProgramAttack] {
        [
            Self(
                name: "LD_PRELOAD",
                expected: refused,
                prefix: { ["/usr/bin/env", "LD_PRELOAD=\(try $0.library)"] }
            ),
            Self(name: "LD_AUDIT", expected: refused, prefix: { ["/usr/bin/env", "LD_AUDIT=\(try $0.library)"] }),
            Self(
                name: "a changed executable",
                expected: refused,
                words: { folder, scene in
                    try scene.run("/bin/sh", "-c", "printf x >> \"$0\"", "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Self(
                name: "another program with its manifest",
                expected: refused,
                words: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Self(
                name: "an executable in memory",
                expected: refused,
                words: { folder, _ in ["\(folder)/tool", "memfd"] }
            ),
            Self(
                name: "an executable that is replaced",
                expected: refused,
                meanwhile: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/new")
                    try scene.run("/bin/mv", "\(folder)/new", "\(folder)/tool")
                }
            ),
            Self(
                name: "an executable that is removed",
                expected: refused,
                meanwhile: { folder, scene in
                    try scene.run("/bin/rm", "\(folder)/tool")
                }
            ),
            Self(
                name: "a symbolic link to it, which is the program itself",
                expected: .secret,
                words: { folder, scene in
                    try scene.run("/bin/ln", "-s", "\(folder)/tool", "\(folder)/link")
                    return ["\(folder)/link"]
                }
            ),
            Self(
                name: "its manifest beside a symbolic link to a copy that has none",
                expected: refused,
                words: { folder, scene in
                    try AttackScene.makeFolder("\(folder)/copy")
                    try scene.run("/bin/mv", "\(folder)/tool", "\(folder)/copy/tool")
                    try scene.run("/bin/ln", "-s", "\(folder)/copy/tool", "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Self(
                name: "a symbolic link that leads to it once another program runs",
                expected: refused,
                words: { folder, scene in
                    try scene.run("/bin/ln", "-s", scene.other, "\(folder)/link")
                    return ["\(folder)/link"]
                },
                meanwhile: { folder, scene in
                    try scene.run("/bin/ln", "-sfn", "\(folder)/tool", "\(folder)/link")
                }
            ),
            Self(
                name: "a script that names it as its interpreter, and gets nothing executed by it",
                expected: .secret,
                words: { folder, scene in [try scene.script(in: folder, for: "\(folder)/tool")] }
            ),
            Self(
                name: "a script whose interpreter is signed",
                expected: refused,
                words: { folder, scene in
                    let suffix = ProgramManifest.fileSuffix
                    try scene.run("/bin/mv", "\(folder)/tool", "\(folder)/bash")
                    try scene.run("/bin/mv", "\(folder)/tool\(suffix)", "\(folder)/bash\(suffix)")
                    return [try scene.script(in: folder, for: "\(folder)/bash")]
                }
            ),
            Self(
                name: "a script that is signed",
                expected: refused,
                words: { folder, scene in
                    let script = try scene.script(in: folder, for: scene.other)
                    let digest = try ProgramFile.digest(ofLibrary: script)
                    let manifest = try scene.manifest { $0.executable = digest }
                    try scene.write(manifest, to: "\(script)\(ProgramManifest.fileSuffix)")
                    return [script]
                }
            ),
        ]
    }

    /// Manifests that the team did not sign, or not any more.
    private static var manifests: [ProgramAttack] {
        [
            Self(
                name: "a manifest that another key signed",
                expected: refused,
                manifest: { try $0.manifest(by: TeamKey()) }
            ),
            Self(
                name: "a manifest of another program under the team's signature",
                expected: refused,
                manifest: { try $0.forgedManifest() },
                words: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Self(
                name: "a manifest that lacks the end of its signature",
                expected: refused,
                manifest: { String(try $0.manifest().dropLast(9)) }
            ),
            Self(
                name: "half a manifest",
                expected: refused,
                manifest: { scene in
                    let text = try scene.manifest()
                    return String(text.prefix(text.count / 2))
                }
            ),
            Self(name: "an empty manifest", expected: refused, manifest: { _ in "" }),
            Self(
                name: "a manifest with a lower serial than the daemon has seen",
                expected: refused,
                manifest: { try $0.manifest { $0.serial -= 1 } }
            ),
        ]
    }

    /// Groups that are not the program's own.
    private static var groups: [ProgramAttack] {
        [
            Self(name: "another team's program", expected: refused, manifest: { try $0.manifestOfOtherTeam() }),
            Self(
                name: "another team's program that claims the group, and does not name it",
                expected: notFound,
                manifest: { try $0.manifestOfOtherTeam() },
                namesGroup: false
            ),
            Self(
                name: "another team's program that claims every group",
                expected: notFound,
                manifest: { try $0.manifestOfOtherTeam() },
                groups: { _ in [Client.everyGroup] },
                namesGroup: false
            ),
            Self(
                name: "a program that nobody signed",
                expected: refused,
                words: { _, scene in [scene.other] }
            ),
            Self(
                name: "a program that nobody signed, and that claims every group",
                expected: notFound,
                words: { _, scene in [scene.other] },
                groups: { _ in [Client.everyGroup] },
                namesGroup: false
            ),
        ]
    }

    /// What is around the signed program when it is started.
    static var surroundings: [ProgramAttack] {
        [
            Self(
                name: "a folder of the user's, in which it is linked to look for libraries",
                expected: refused,
                manifest: { scene in
                    let digest = try ProgramFile(path: DaemonFolder.program("signed-program")).digest
                    return try scene.manifest { $0.executable = digest }
                },
                words: { folder, scene in
                    try scene.run("/bin/cp", DaemonFolder.program("signed-program"), "\(folder)/tool")
                    return ["\(folder)/tool"]
                }
            ),
            Self(
                name: "a filter by which another process could answer its system calls",
                expected: refused,
                prefix: { [$0.other, "filtered"] }
            ),
        ]
    }

    /// What is done to the signed program's process, or by it.
    private static var processes: [ProgramAttack] {
        [
            Self(name: "a debugger", expected: refused, before: { _, _ in [("trace", "traced")] }),
            Self(
                name: "a debugger of another thread",
                expected: refused,
                before: { _, _ in [("trace-thread", "traced")] }
            ),
            Self(
                name: "a process that shares its memory",
                expected: refused,
                before: { _, _ in [("share", "shared")] }
            ),
            Self(name: "a command that it copies to the connection", expected: refused, isCopied: true),
            Self(name: "generated code", expected: refused, before: { _, _ in [("generate", "generated")] }),
            Self(name: "code that was written to", expected: refused, before: { _, _ in [("write", "written")] }),
            Self(name: "a debugger afterwards", expected: refused, after: { _, _ in [("trace", "traced")] }),
            Self(
                name: "code generated afterwards",
                expected: refused,
                after: { _, _ in [("generate", "generated")] }
            ),
            Self(
                name: "a library loaded afterwards",
                expected: refused,
                after: { _, scene in
                    [("load \(try scene.library)", "loaded")]
                }
            ),
            Self(
                name: "another program afterwards",
                expected: refused,
                after: { _, scene in
                    [("exec \(scene.other)", "ready")]
                }
            ),
            Self(
                name: "another program in between",
                expected: refused,
                after: { folder, scene in
                    [("exec \(scene.other)", "ready"), ("exec \(folder)/tool", "ready")]
                }
            ),
            Self(name: "a child that goes on alone", expected: refused, after: { _, _ in [("leave", "left")] }),
            Self(
                name: "a child that goes on beside it",
                expected: refused,
                after: { _, _ in [("begin", "begun")] }
            ),
        ]
    }

    /// Another key of the team, and then the one that it revoked.
    private static var keys: [ProgramAttack] {
        [
            Self(
                name: "nothing: the team's next key revokes the first",
                expected: .secret,
                manifest: { try $0.manifestByNextKey() }
            ),
            Self(name: "a revoked key", expected: refused),
        ]
    }

    /// Other views of the system than the daemon's.
    static var views: [ProgramAttack] {
        [
            nothing,
            Self(
                name: "a mount namespace",
                expected: refused,
                launcher: { _, _ in Namespaces.launcher + ["--mount"] }
            ),
            Self(
                name: "a PID namespace",
                expected: refused,
                launcher: { _, _ in Namespaces.launcher + ["--pid", "--fork", "--kill-child"] }
            ),
            Self(
                name: "another root folder",
                expected: refused,
                launcher: { folder, scene in try scene.changeRoot(to: "\(folder)/root", of: folder) }
            ),
        ]
    }

    /// Programs of which the kernel says that they run the signed program's executable, and code that does what it is
    /// told: the first takes a user namespace.
    static var impostors: [ProgramAttack] {
        [
            nothing,
            Self(
                name: "a program that appears as it in a user namespace of its own",
                expected: refused,
                words: { _, scene in [scene.other] },
                before: { folder, _ in
                    [("isolate", "isolated"), ("become \(folder)/tool \(folder)/tool", "become")]
                }
            ),
            Self(
                name: "a program that another one, which shared its memory, made appear as it",
                expected: refused,
                manifest: { scene in
                    // Its code is nothing that it would be refused for.
                    let digest = try ProgramFile.digest(ofLibrary: scene.other)
                    return try scene.manifest { $0.libraries = [digest] }
                },
                words: { folder, scene in
                    try scene.run("/bin/cp", scene.other, "\(folder)/other")
                    try scene.run("/bin/sh", "-c", "printf x >> \"$0\"", "\(folder)/other")
                    return ["\(folder)/other"]
                },
                before: { folder, scene in [("become-by-child \(folder)/tool \(scene.other)", "become")] }
            ),
            Self(
                name: "a user namespace of its own",
                expected: refused,
                before: { _, _ in [("isolate", "isolated")] }
            ),
            Self(
                name: "code of another program",
                expected: refused,
                before: { _, _ in [("map-code /usr/bin/env", "mapped")] }
            ),
            Self(
                name: "a preloaded library that hides and leaves an interpreter of the system",
                expected: refused,
                prefix: { scene in
                    let library = try scene.library("vanishing.so", VanishingLibrary.source)
                    let variables = ["LD_PRELOAD=\(library)", "CAREFUL=1", "INTERPRETER=\(try scene.interpreter)"]
                    return ["/usr/bin/env"] + variables
                }
            ),
        ]
    }

    /// A preloaded library that leaves only the variable that names it, which a daemon of another user cannot see.
    static var variable: [ProgramAttack] {
        let prefix = { (scene: AttackScene) in
            ["/usr/bin/env", "LD_PRELOAD=\(try scene.library("vanishing.so", VanishingLibrary.source))"]
        }
        return [
            Self(name: "LD_PRELOAD of a library that hides", expected: refused, prefix: prefix),
            Self(
                name: "the same, where its manifest allows that",
                expected: .secret,
                manifest: { try $0.manifest { $0.allowsPreload = true } },
                prefix: prefix
            ),
            Self(
                name: "LD_LIBRARY_PATH with a folder of the user's",
                expected: refused,
                prefix: { ["/usr/bin/env", "LD_LIBRARY_PATH=/usr/lib:\(try $0.library)"] }
            ),
        ]
    }

    /// Programs of a user with capabilities by which they could appear as others.
    static var privileges: [ProgramAttack] {
        [21, 40].map { capability in
            Self(
                name: "the capability \(capability)",
                expected: refused,
                prefix: { _ in ["--inh-caps=+cap_\(capability)", "--ambient-caps=+cap_\(capability)"] }
            )
        }
    }

    /// Processes with numbers of choice.
    static var numbers: [ProgramAttack] {
        [
            Self(
                name: "nothing: a child that connects by itself",
                expected: .secret,
                prefix: { $0.choosingNumbers },
                before: { _, _ in [("begin", "begun")] }
            ),
            Self(
                name: "a process that has got the number of the one that connected, and has ended",
                expected: refused,
                prefix: { $0.choosingNumbers },
                before: { _, _ in [("begin", "begun")] },
                after: { _, _ in [("end", "ended"), ("again", "begun")] }
            ),
        ]
    }
}
