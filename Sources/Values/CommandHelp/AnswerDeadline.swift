// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends a program that a shell asks for completions, so that no key is dead while a keychain does not answer.
package enum AnswerDeadline {
    /// Ends this process after some time, with status 0 and without another word.
    ///
    /// - Parameter milliseconds: the time, less than a second.
    package static func start(milliseconds: Int) {
        signal(SIGALRM) { _ in _exit(0) }
        var timer = itimerval()
        timer.it_value.tv_usec = milliseconds * 1000
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}
