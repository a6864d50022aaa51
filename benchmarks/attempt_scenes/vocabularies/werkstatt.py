"""A workshop in German: parts lists, a harness and a verifier with German messages. Kept for odd seeds."""

from __future__ import annotations

from benchmarks.attempt_scenes.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    name="werkstatt",
    subjects=("Schraube", "Mutter", "Feder", "Bolzen", "Zahnrad", "Welle", "Lager", "Kolben", "Ventil", "Dichtung"),
    request="Trage {number} Stück {subject} mit Preis und Lieferant in die Stückliste ein.",
    fields={
        "verifier": "pruefung",
        "log": "protokoll",
        "results": "befunde",
        "seconds": "pruefdauer",
        "agent_seconds": "laufzeit",
    },
    read_tool="teil_suchen",
    write_tool="teil_eintragen",
    argument="bezeichnung",
    read_answers=(
        "{subject}: {number} Cent, Lieferant Nord",
        "kein Treffer im Regal {number}",
        "{subject}: zwei Preise hinterlegt, Regal {number}",
    ),
    write_answer="{subject} eingetragen, Zeile {number}",
    call_style="[[{name} {arguments}]]",
    answer_style="Ergebnis -> {answer}",
    progress=(
        "Zuerst suche ich {subject} im Regal {number}.",
        "Der Lieferant Nord hat {number} davon, das reicht.",
        "Jetzt fehlt nur die Zeile für {subject}.",
    ),
    finished=(
        "{subject} steht mit {number} Cent in der Stückliste.",
        "Die Zeile {number} enthält jetzt {subject}.",
    ),
    finished_shared=("Erledigt.", "Die Stückliste ist vollständig."),
    gives_up=("Das kann ich leider nicht.", "Hier komme ich nicht weiter."),
    setup=(
        "Umgebung {id} wird vorbereitet",
        "Arbeitsverzeichnis angelegt, {number} Dateien",
        "Starte Gehilfe, Fassung 4",
    ),
    agent_dies=(
        "Gehilfe beendet: Bibliothek nicht lesbar",
        "Anmeldung gescheitert, Gegenstelle schweigt",
        "Speicherabbild geschrieben, Vorgang abgebrochen",
    ),
    harness_lines=(
        "{clock} Leitstand: Auftrag {number} weitergereicht",
        "{clock} Leitstand: Puls empfangen",
        "{clock} Leitstand: Puffer {number} geleert",
    ),
    notices=(
        "Ihr Guthaben ist aufgebraucht. Bitte laden Sie Ihr Konto auf.",
        "Der Zugang wurde vom Betreiber gesperrt.",
        "Antwort aufgrund der Inhaltsrichtlinie zurückgehalten.",
        "Schlüssel abgelaufen, bitte erneuern.",
    ),
    verifier_setup=(
        "Holen:7 Spiegelserver/haupt prüfwerkzeug [88,1 kB]",
        "Paketlisten werden gelesen",
        "Entpacken von prüfwerkzeug (3.1) wird vorbereitet",
    ),
    verifier_begins="Befundaufnahme beginnt",
    verifier_line="{check}: {verdict}",
    checks=("zeile_vorhanden", "preis_stimmt", "lieferant_stimmt"),
    verdicts=("bestanden", "durchgefallen"),
    user_opens=("Guten Tag, ich brauche {number} Stück {subject}.",),
    user_answers=("Regal {number}, also {subject}.", "Genau."),
    user_accepts=("Danke, auf Wiedersehen.", "Prima, mehr will ich nicht."),
    user_end="#ENDE#",
    model_asks=("Ich würde {subject} in Zeile {number} schreiben. Einverstanden?",),
)
