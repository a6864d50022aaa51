"""A shop's counter: orders and refunds over a web service, a harness in JavaScript, a judge that compares receipts."""

from __future__ import annotations

from benchmarks.attempt_scenes.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    name="bakery",
    subjects=("bagel", "croissant", "pretzel", "brioche", "scone", "muffin", "tart", "ciabatta", "waffle", "danish"),
    request="A customer wants {number} pieces of {subject} moved onto another invoice; shop functions exist for it.",
    fields={
        "verifier": "referee",
        "log": "referee_text",
        "results": "assertions",
        "seconds": "elapsed",
        "agent_seconds": "wall_time",
    },
    read_tool="lookupInvoice",
    write_tool="amendInvoice",
    argument="invoiceRef",
    read_answers=(
        '{"invoice": "INV-{number}", "pastry": "{subject}", "state": "open"}',
        '{"pastry": "{subject}", "pieces": {number}, "price": "4.20"}',
        '{"problem": "INV-{number} has expired"}',
    ),
    write_answer='{"amended": "INV-{number}", "pastry": "{subject}"}',
    call_style="Thought: the counter needs this.\nAction: {name}\nAction Input: {arguments}",
    answer_style="Observation: {answer}",
    progress=(
        "Let me fetch invoice INV-{number} before anything gets changed.",
        "That invoice lists {number} {subject} pieces, which agrees with what you wrote.",
        "Next comes the amendment for {subject}.",
    ),
    finished=(
        "Your {subject} pieces are on INV-{number} as requested.",
        "All {number} pieces of {subject} moved over, everything else untouched.",
    ),
    finished_shared=("Your invoice is amended.", "Everything has been moved."),
    gives_up=("I apologise, but I can't help with that.", "Unfortunately this amendment isn't possible."),
    setup=(
        "> counter@2.3.0 start",
        "> node ./dist/boot.mjs --uuid {id}",
        "(node:{number}) Warning: Buffer() is deprecated",
    ),
    agent_dies=(
        "ERR_DIR_IMPORT: Cannot locate './dist/boot.mjs'",
        "npm ERR! Lifecycle terminated: SIGKILL",
        "getaddrinfo EAI_AGAIN llm-proxy",
    ),
    harness_lines=(
        '{"level":30,"time":{id},"msg":"turn forwarded","seq":{number}}',
        '{"level":20,"time":{id},"msg":"socket alive"}',
        '{"level":30,"time":{id},"msg":"reply buffered","size":{number}}',
    ),
    notices=(
        "Insufficient balance: top up your wallet before sending further prompts.",
        "We are no longer able to provide access for accounts in your region.",
        "The response was filtered due to the prompt triggering our management rules.",
        "Authentication token expired; obtain fresh credentials.",
    ),
    verifier_setup=(
        "npm http fetch GET 200 registry/jest 118ms",
        "added 41 modules, audited 42 modules",
        "idealTree:referee: sill placeDep jest@29",
    ),
    verifier_begins="receipts.spec.mjs, 3 assertions",
    verifier_line="  {verdict} {check}",
    checks=("receiptEqual", "stockUnchanged", "pastryCount"),
    verdicts=("✓", "✕"),
    user_opens=("Hello! {number} pieces of {subject} sit on a wrong invoice.",),
    user_answers=("It says INV-{number}, for {subject}.", "Correct."),
    user_accepts=("Thanks, have a lovely day!", "Perfect, I appreciate it."),
    user_end="###FINISHED###",
    model_asks=("INV-{number} would receive {subject}. Do you confirm this?",),
)
