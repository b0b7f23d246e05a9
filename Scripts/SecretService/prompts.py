# SPDX-License-Identifier: Apache-2.0
"""Prompts, of which gnome-keyring survives few: each one belongs to one program, and delays no other."""

import subprocess
import time

from checks import equal, true
from client import DBUS_ERROR, LOGIN, SERVICE, CallError, Client
from locks import lock, unlock
from service import PASSCODE, wait
from specification import GONE, raises

PLACES = ("own", "dbus")


def ask(client, path=LOGIN):
    """Asks for a prompt, which is not shown yet."""
    opened, prompt = client.call(SERVICE, "Service", "Unlock", "ao", [path])
    equal(opened, [])
    true(prompt.startswith(f"{SERVICE}/prompt/"), prompt)
    return prompt


def show(client, prompt, window=""):
    client.call(prompt, "Prompt", "Prompt", "s", window)


def completed(client, prompt):
    return client.await_signal("Completed", prompt)


def run(checks, service):
    check = checks.check
    with Client(service) as client, Client(service) as other:
        client.watch()
        other.watch()
        coding = client.open_plain()
        item = client.create(coding, {"prompts": "1"})
        lock(client)
        cancelled = (True, ("ao", []))

        def nothing_before():
            asked = service.asked()
            prompt = ask(client)
            client.ping()
            equal(service.asked(), asked)
            client.call(prompt, "Prompt", "Dismiss")
            equal(completed(client, prompt), cancelled)

        check("a prompt asks nobody before it is shown, and can be dismissed", nothing_before)

        def refusal():
            service.answer("cancel")
            prompt = ask(client)
            show(client, prompt)
            equal(completed(client, prompt), cancelled)
            raises(GONE, show, client, prompt)
            raises(GONE, client.call, prompt, "Prompt", "Dismiss")

        check("a refusal dismisses the prompt, which is gone then", refusal)

        def waiting():
            """A prompt that somebody is asked by, and does not answer."""
            service.answer("wait")
            asked = service.asked()
            prompt = ask(client)
            show(client, prompt, "x11:1234")
            wait(lambda: service.asked() > asked)
            return prompt

        def dismissed():
            prompt = waiting()
            client.call(prompt, "Prompt", "Dismiss")
            equal(completed(client, prompt), cancelled)
            client.ping()

        check("a prompt that is shown can be dismissed", dismissed)

        def once():
            prompt = waiting()
            raises(GONE | {f"{DBUS_ERROR}.Failed"}, show, client, prompt)
            client.call(prompt, "Prompt", "Dismiss")
            equal(completed(client, prompt), cancelled)
            client.ping()
            true(all(name != "Completed" for _, name, _ in client.signals))

        check("a prompt is shown once, and completed once", once)

        def foreign():
            prompt = ask(client)
            raises(GONE | {f"{DBUS_ERROR}.AccessDenied"}, show, other, prompt)
            raises(GONE | {f"{DBUS_ERROR}.AccessDenied"}, other.call, prompt, "Prompt", "Dismiss")
            client.call(prompt, "Prompt", "Dismiss")
            equal(completed(client, prompt), cancelled)
            other.ping()
            true(all(name != "Completed" for _, name, _ in other.signals))

        check("another program can neither show nor dismiss it, nor learns how it ends", foreign)

        def delays_nobody():
            prompt = waiting()
            started = time.monotonic()
            equal(other.search({"prompts": "1"}), ([], [item]))
            client.ping()
            equal(client.search({"prompts": "1"}), ([], [item]))
            true(time.monotonic() - started < 10)
            client.call(prompt, "Prompt", "Dismiss")
            completed(client, prompt)

        check("a prompt that is shown delays neither its program nor another", delays_nobody)

        def beside():
            prompt = waiting()
            service.answer(PASSCODE)
            equal(unlock(other), (False, ("ao", [LOGIN])))
            # What it waits for is open then.
            equal(completed(client, prompt), (False, ("ao", [LOGIN])))
            lock(client)

        check("another program's prompt opens beside one that waits, which ends with it", beside)

        def vanished():
            service.answer("wait")
            asked = service.asked()
            with Client(service) as gone:
                show(gone, ask(gone))
                wait(lambda: service.asked() > asked)
            service.answer(PASSCODE)
            equal(unlock(other), (False, ("ao", [LOGIN])))
            lock(client)

        check("a program that has left blocks no later prompt", vanished)

        def unshown():
            with Client(service) as gone:
                for _ in range(20):
                    ask(gone)
            service.answer(PASSCODE)
            equal(unlock(other), (False, ("ao", [LOGIN])))
            lock(client)

        check("prompts that were never shown block none", unshown)

        def within_a_command():
            """libsecret dismisses the prompt of a call that is cancelled."""
            service.answer("wait")
            asked = service.asked()
            process = subprocess.Popen(["secret-tool", "lookup", "prompts", "1"], env=service.environment, stdout=subprocess.DEVNULL)
            wait(lambda: service.asked() > asked)
            process.kill()
            process.wait()
            client.ping()
            service.answer(PASSCODE)
            equal(unlock(other), (False, ("ao", [LOGIN])))
            lock(client)

        check("a command that is killed while it asks leaves nothing behind", within_a_command)

        def at_any_moment():
            for number in range(30):
                service.answer("cancel" if number % 2 else "wait")
                prompt = ask(client)
                first = client.send(prompt, "org.freedesktop.Secret.Prompt", "Prompt", "s", "")
                second = client.send(prompt, "org.freedesktop.Secret.Prompt", "Dismiss")
                client.answer(first)
                try:
                    client.answer(second)
                except CallError as error:
                    true(error.name in GONE, str(error))
                equal(completed(client, prompt), cancelled)
            client.ping()

        check("a dismissal right after the showing is survived", at_any_moment)

        def answered_at_once():
            started = time.monotonic()
            prompt = ask(client)
            true(time.monotonic() - started < 5)
            client.call(prompt, "Prompt", "Dismiss")
            completed(client, prompt)

        check("the answer to Unlock waits for nobody", answered_at_once)

        def opened_meanwhile():
            prompt = ask(client)
            service.answer(PASSCODE)
            equal(unlock(other), (False, ("ao", [LOGIN])))
            asked = service.asked()
            show(client, prompt)
            equal(completed(client, prompt), (False, ("ao", [LOGIN])))
            equal(service.asked(), asked)

        check("what was opened meanwhile asks nobody", opened_meanwhile)
        check("the secret is as it was", lambda: equal(client.secret(item, coding)[0], b"secret"))
