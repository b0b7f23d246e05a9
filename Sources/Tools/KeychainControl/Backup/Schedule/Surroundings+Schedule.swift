// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

extension Surroundings {
    /// Says after a change by which the secret of scheduled backups no longer counts that they need another one, if any
    /// are scheduled.
    func remarkOnSchedule() {
        guard let path = try? scheduleHost().location.path, let found = try? BackupSchedule(in: path),
            let schedule = found.ofThisFolder
        else { return }
        remark(
            "Scheduled backups fail from now on, until they have a secret that is made now: keychainctl backup schedule "
                + "--to \(schedule.folder.shellQuoted.printable) --keep \(schedule.keep) --new-secret"
        )
    }
}
