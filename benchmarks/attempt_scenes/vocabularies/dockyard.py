"""Repairs in a shell: a Linux sandbox, Python packages, checks by a test runner."""

from __future__ import annotations

from benchmarks.attempt_scenes.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    name="dockyard",
    subjects=("crane", "rudder", "hull", "anchor", "winch", "keel", "ballast", "mooring", "propeller", "capstan"),
    request="Repair the {subject} script under /srv/{subject}{number} so that its exit code becomes zero.",
    fields={
        "verifier": "grading",
        "log": "terminal_tail",
        "results": "unit_tests",
        "seconds": "grading_sec",
        "agent_seconds": "rollout_sec",
    },
    read_tool="bash_read",
    write_tool="bash_patch",
    argument="file",
    read_answers=(
        "#!/bin/sh\n{subject}_tool --depth {number}\nexit 3",
        "total {number}\n-rwxr-xr-x root {subject}.sh",
        "{subject}.sh: line {number}: unbound variable DEPTH",
    ),
    write_answer="patched {subject}.sh, {number} bytes",
    call_style='<invoke tool="{name}">{arguments}</invoke>',
    answer_style="<stdout>{answer}</stdout>",
    progress=(
        "The {subject} script exits early; I want to know where it sets DEPTH.",
        "There is a missing quote near byte {number}, so I rewrite that part.",
        "Running {subject}.sh by hand should tell whether the guard works.",
    ),
    finished=(
        "I fixed the {subject} script: DEPTH now defaults to {number}.",
        "The {subject} script exits cleanly after {number} bytes were rewritten.",
    ),
    finished_shared=("Fixed.", "The script exits cleanly now."),
    gives_up=("I was unable to repair this script.", "Sorry, I got stuck and stop here."),
    setup=(
        "root@{id}:/srv# source /opt/venv/bin/activate",
        "root@{id}:/srv# export TERM=xterm",
        "root@{id}:/srv# swebot --model large --task /srv/task.txt",
    ),
    agent_dies=(
        "bash: swebot: command not found",
        "ModuleNotFoundError: No module named 'swebot_core'",
        "swebot: error while loading shared libraries: libssl.so.3",
    ),
    harness_lines=(
        "[{clock}] INFO swebot.loop: step {number} dispatched",
        "[{clock}] DEBUG swebot.loop: pane captured, {number} columns",
        "[{clock}] INFO swebot.loop: heartbeat ok",
    ),
    notices=(
        "You've hit your usage limit. Upgrade to Pro or try again at 7:00 PM.",
        "This organization has been disabled.",
        "Output blocked by content filtering policy",
        "Invalid API key · type /login",
    ),
    verifier_setup=(
        "Collecting pytest==8.4.1",
        "  Downloading pytest-8.4.1-py3-none-any.whl (365 kB)",
        "Installing collected packages: iniconfig, pluggy, pytest",
    ),
    verifier_begins="===== test session starts =====",
    verifier_line="test_outputs.py::{check} {verdict}",
    checks=("test_exit_code", "test_quote_closed", "test_depth_default"),
    verdicts=("PASSED", "FAILED"),
    user_opens=("Hey, my {subject} script {number} broke, could you look?",),
    user_answers=("The code is {subject}-{number}.", "Yep, that one."),
    user_accepts=("Cheers, bye.", "Great, that's all from me."),
    user_end="[[HANGUP]]",
    model_asks=("I would patch {subject}.sh at byte {number}. Shall I go ahead?",),
)
