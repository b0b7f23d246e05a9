// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainEngine

/// A process for the tests to kill, race and fork: `keychain-storm FOLDER [BUSY-TIMEOUT [daemon]]`, with `daemon` for a
/// keychain that makes changes together and has several readers.
///
/// It carries out the commands on its standard input, one a line, and prints a line for each acknowledged step.
@main
struct KeychainStorm {
    private let folder: String
    private let busyTimeout: Int32
    private let likeDaemon: Bool
    private var subject: Subject
    private var deviceSteps = DeviceSteps()
    /// Keychains that are out of use but not let go.
    private var kept: [Subject] = []

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { exit(2) }
        var storm = KeychainStorm(
            folder: arguments[1],
            busyTimeout: arguments.count > 2 ? Int32(arguments[2]) ?? 0 : 120_000,
            likeDaemon: arguments.dropFirst(3).first == "daemon"
        )
        storm.serve()
    }

    private init(folder: String, busyTimeout: Int32, likeDaemon: Bool) {
        self.folder = folder
        self.busyTimeout = busyTimeout
        self.likeDaemon = likeDaemon
        subject = Subject(folder: folder, busyTimeoutMilliseconds: busyTimeout, likeDaemon: likeDaemon)
    }

    private mutating func serve() {
        while let line = Console.readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let command = words.first else { continue }
            let argument = words.count > 1 ? words[1] : ""
            let number = words.count > 2 ? Int(words[2]) ?? 0 : 0
            if !perform(command, with: argument, number: number) { Console.write("unknown \(line)") }
        }
    }

    private mutating func perform(_ command: String, with argument: String, number: Int) -> Bool {
        performStep(command, argument) || deviceSteps.perform(command, argument, on: subject)
            || performStorm(command, with: argument, number: number)
            || performOnProcess(command, with: argument, number: number)
    }

    private func performStep(_ command: String, _ argument: String) -> Bool {
        switch command {
        case "add": subject.add(argument)
        case "read": subject.read(argument)
        case "delete": subject.delete(argument)
        case "update": subject.update(argument, label: "updated")
        case "count": subject.count()
        case "file": FileSteps(folder: folder).perform(argument)
        default: return false
        }
        return true
    }

    private func performStorm(_ command: String, with argument: String, number: Int) -> Bool {
        switch command {
        case "adds": for index in 0..<number { subject.add("\(argument)-\(index)") }
        case "burst": Hammer.burst(subject, argument)
        case "generations": for index in 1...number { subject.updateAll(label: "\(index)") }
        case "moves": for index in 1...number { subject.moveAll(number: index) }
        case "root-keys": RootKeySteps.replace(subject, times: number)
        case "root-key-kinds": RootKeySteps.replace(subject, times: number, kinds: [.software, .tpm])
        case "recoveries": RecoverySteps.recover(subject, from: Int(argument) ?? 0, times: number)
        case "erasures": RecoverySteps.erase(subject, times: number)
        case "hand-over": OwnerSteps(folder: folder).handOverRepeatedly(times: number)
        case "hammer": Hammer(subject: subject, name: argument, rounds: number).run()
        default: return false
        }
        Console.write("done")
        return true
    }

    private mutating func performOnProcess(_ command: String, with argument: String, number: Int) -> Bool {
        switch command {
        case "fork": ForkScenarios.leaveChild(parentSubject: subject, adds: number)
        case "fork-busy": ForkScenarios.forkWhileBusy(subject, makeSubject, forks: number)
        case "fork-waiting": ForkScenarios.forkWhileWaiting(subject, forks: number)
        case "fork-inside": ForkScenarios.forkInside(subject, makeSubject)
        case "fork-unlock": renew(forksAtUnlock: argument)
        case "route":
            subject = Subject(routedTo: folder, busyTimeoutMilliseconds: busyTimeout)
            Console.write("routed")
        case "new": renew(keepsOld: true)
        case "replace": renew(keepsOld: false)
        case "churn": for index in 0..<number { makeSubject().add("\(argument)-\(index)") }
        case "descriptors": Console.write("descriptors \(HostState.openDescriptors)")
        case "hold": StoreLock.holdUntilInput(folder)
        case "host": HostState.compare { subject.add(argument) }
        case "exit": exit(EXIT_SUCCESS)
        case "exit-in-call": ForkScenarios.exitDuringCall(subject)
        case "fork-exit": ForkScenarios.exitInChild()
        case "exit-now": _exit(EXIT_SUCCESS)
        case "harden": Console.write("harden \(keychain_disable_dumps())")
        case "search": MemorySearch.run(subject, argument)
        default: return false
        }
        return true
    }

    private var makeSubject: @Sendable () -> Subject {
        { [folder, busyTimeout, likeDaemon] in
            Subject(folder: folder, busyTimeoutMilliseconds: busyTimeout, likeDaemon: likeDaemon)
        }
    }

    private mutating func renew(forksAtUnlock parent: String) {
        subject = Subject(folder: folder, busyTimeoutMilliseconds: busyTimeout) { event in
            guard event == .passcodeAccepted else { return }
            ForkScenarios.forkDuringUnlock(parentStays: parent == "stays")
        }
        Console.write("renewed")
    }

    private mutating func renew(keepsOld: Bool) {
        if keepsOld { kept.append(subject) }
        subject = makeSubject()
        Console.write("renewed")
    }
}
