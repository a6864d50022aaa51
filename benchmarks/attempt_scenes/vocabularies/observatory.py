"""Star catalogues: queries over a survey, a harness on a cluster in Java, a scorer that resolves artefacts first."""

from __future__ import annotations

from benchmarks.attempt_scenes.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    name="observatory",
    subjects=("nebula", "quasar", "pulsar", "comet", "asteroid", "galaxy", "meteor", "magnetar", "dwarf", "supernova"),
    request="Determine the magnitude recorded for {subject} number {number} and store it in the ledger.",
    fields={
        "verifier": "scorer",
        "log": "console",
        "results": "criteria",
        "seconds": "duration_s",
        "agent_seconds": "episode_s",
    },
    read_tool="catalog.query",
    write_tool="ledger.store",
    argument="object",
    read_answers=(
        "{subject} {number}: magnitude {number}.4, epoch J2000",
        "0 matches within radius {number}",
        "{subject} {number}: duplicate designation, compare epoch B1950",
    ),
    write_answer="ledger holds {subject} {number}",
    call_style="```call\n{name}({arguments})\n```",
    answer_style="call returned >>> {answer}",
    progress=(
        "First a cone search around {subject} {number}.",
        "Epoch J2000 is what was wanted, hence magnitude {number}.4.",
        "A narrower radius might resolve the duplicate {subject}.",
    ),
    finished=(
        "Magnitude {number}.4 is stored for {subject} {number}.",
        "For {subject} {number} the ledger shows {number}.4.",
    ),
    finished_shared=("Stored.", "The ledger is complete."),
    gives_up=("No magnitude could be determined.", "I see no way to proceed."),
    setup=(
        "pod/episode-{id} scheduled in pool-east",
        "openjdk 21.0.2 booting, heap {number} MiB",
        "Starting Stargazer with PID {number}",
    ),
    agent_dies=(
        'Exception in thread "gazer" java.lang.UnsupportedClassVersion: org/stargazer',
        "Back-off restarting container gazer",
        "OCI runtime create: mount of volume refused",
    ),
    harness_lines=(
        "2031-04-02T{clock}Z  WARN gazer.Scheduler - lag {number} ms",
        "2031-04-02T{clock}Z TRACE gazer.Mailbox - envelope {number} delivered",
        "2031-04-02T{clock}Z  WARN gazer.Scheduler - queue drained",
    ),
    notices=(
        "Monthly credit allotment exhausted for tenant astro.",
        "Service denied: billing hold on workspace.",
        "[REDACTED: safety classifier]",
        "401 Unauthorized - signature rejected",
    ),
    verifier_setup=(
        "Resolving artefacts from mirror (17 of 64)",
        "gradle > :scorer:compileJava > 38% EXECUTING",
        "Unpacking calibration-frames.tar, 212 of 900 MiB",
    ),
    verifier_begins="Criteria evaluation commenced",
    verifier_line="criterion {check} => {verdict}",
    checks=("magnitudeWithinTolerance", "epochMatches", "noDuplicateRecord"),
    verdicts=("met", "unmet"),
    user_opens=("Good evening, which brightness has {subject} {number}?",),
    user_answers=("Epoch J2000 please, {subject} {number}.", "Indeed."),
    user_accepts=("Splendid, farewell.", "Wonderful, nothing more."),
    user_end="<<CLOSE DOME>>",
    model_asks=("I intend to store {number}.4 against {subject} {number}. May I?",),
)
