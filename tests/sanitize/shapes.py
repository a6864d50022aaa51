"""One text per shape of secret, built at run time from a seed: nothing that looks like a key stands in this file."""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
URL = ALNUM + "-_"
WEB = "https:" + "//"
HOME = "/" + "home"


@dataclass(frozen=True, slots=True)
class Planted:
    """`secret` must not survive; `text` is how it stands in the wild."""

    rule: str
    secret: str
    text: str


def shapes(seed: int) -> list[Planted]:
    """Every shape once, each with its own random secret."""
    dice = random.Random(seed)

    def random_text(size: int, letters: str = ALNUM) -> str:
        head = "".join(dice.choice(letters) for _ in range(size - 6))
        return head + ("a1B2c3" if letters in {ALNUM, URL} else "".join(dice.choice(letters) for _ in range(6)))

    def bare(rule: str, secret: str) -> Planted:
        return Planted(rule, secret, f"using {secret} now")

    user = "".join(dice.choice(string.ascii_lowercase) for _ in range(9))
    host = f"{user}-{dice.randrange(10, 99)}.prod"
    secrets = [
        bare("openai", "sk-" + random_text(48)),
        bare("openai", "sk-proj-" + random_text(120, URL)),
        bare("openai", "sk-or-v1-" + random_text(64, HEX)),
        bare("anthropic", "sk-ant-" + "api03-" + random_text(93, URL)),
        bare("aws_access_key", "AKIA" + random_text(16, UPPER)),
        bare("aws_access_key", "ASIA" + random_text(16, UPPER)),
        bare("google", "AIza" + random_text(35, URL)),
        bare("google", "GOCSPX-" + random_text(28, URL)),
        bare("google", "ya29." + random_text(60, URL)),
        bare("azure", random_text(9)[:3] + "8Q~" + random_text(34)),
        bare("gitlab", "glpat-" + random_text(20, URL)),
        bare("gitlab", "glrt-" + random_text(24, URL)),
        bare("hugging_face", "hf_" + random_text(34)),
        bare("nvidia", "nvapi-" + random_text(64, URL)),
        bare("slack", "xoxb-" + random_text(12, string.digits) + "-" + random_text(24)),
        bare("slack", "xapp-1-" + random_text(11, UPPER) + "-" + random_text(40, HEX)),
        bare("model_vendor", "gsk_" + random_text(52)),
        bare("service_vendor", "sk_live_" + random_text(24)),
        bare("service_vendor", "npm_" + random_text(36)),
    ]
    secrets += [bare("github", f"gh{kind}_" + random_text(36)) for kind in "pousr"]
    secrets.append(bare("github", "github_pat_" + random_text(22) + "_" + random_text(59)))
    for rule, secret, text in (
        ("aws_secret", random_text(40), "aws_secret_access_key = {}"),
        ("google_service_account", random_text(40, HEX), '"private_key_id": "{}"'),
        ("azure", random_text(86) + "==", "AccountName=a;AccountKey={};EndpointSuffix=core"),
        ("azure", random_text(32, HEX), "api-key: {}"),
        (
            "webhook",
            f"T{random_text(10, UPPER)}/B{random_text(10, UPPER)}/{random_text(24)}",
            WEB + "hooks.slack.com/services/{}",
        ),
        ("bearer", random_text(40), "Authorization: Bearer {}"),
        ("bearer", random_text(40), "curl -H 'X-Api-Key: {}'"),
        ("basic", base64.b64encode(f"{user}:{random_text(12)}".encode()).decode(), "Authorization: Basic {}"),
        ("cookie", random_text(32), "Cookie: sid={}"),
        ("cookie", random_text(32), "PHPSESSID={}"),
        ("assignment", random_text(32), "api_key = '{}'"),
        ("assignment", random_text(40, HEX), "CLIENT_SECRET={}"),
        ("assignment", random_text(30), "access_token: {}"),
        ("password", random_text(12) + "!", "password = '{}'"),
        ("private_address", f"10.{dice.randrange(1, 250)}.3.{dice.randrange(1, 250)}", "http://{}/v1"),
        ("local_port", f"localhost:{dice.randrange(2000, 65000)}", "served at http://{}/v1"),
        ("private_host", f"{host}.internal", "https://{}:8443/v1"),
        ("private_host", f"{host}.corp", "ping {} failed"),
        ("bare_host", f"{user}-{dice.randrange(100, 999)}:{dice.randrange(2000, 65000)}", "http://{}/v1"),
        ("ipv6_address", f"[2a01:4f8:{dice.randrange(16, 4000):x}::7]:8000", "http://{}/v1"),
        ("ipv6_address", f"fd12:{dice.randrange(16, 4000):x}::9", "listening on {}"),
        ("cloud_endpoint", f"{user}-lab.openai.azure.com", "https://{}/openai/deployments/x"),
        ("home_path", f"{user}h", "File /home/{}/job/run.py"),
        ("home_path", f"{user}m", "File /Users/{}/job/run.py"),
        ("windows_home", f"{user}w", "C:\\Users\\{}\\job"),
        ("tilde_home", f"{user}t", "cd ~{}/job"),
        ("ssh_login", f"{user}s", "ssh -p 22 {}@login7"),
        ("email", f"{user}@{user}-mill.com", "write to {} today"),
    ):
        secrets.append(Planted(rule, secret, text.format(secret)))
    for scheme in ("postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https"):
        secret = random_text(14)
        secrets.append(Planted("connection_string", secret, f"{scheme}://{user}c:{secret}@db.mill.com/x"))
    parts = [json.dumps({"alg": "x", "n": random_text(8)}), json.dumps({"sub": random_text(20)})]
    first, second = (base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)
    secrets.append(bare("jwt", f"{first}.{second}.{random_text(43, URL)}"))
    body = "\n".join(random_text(64) for _ in range(4))
    kind = "PRIVATE KEY"
    secrets.append(Planted("private_key", body, f"-----BEGIN RSA {kind}-----\n{body}\n-----END RSA {kind}-----\n"))
    return secrets


INNOCENT = (
    WEB.replace("https", "http") + "postgres:5432/db",
    "see openai.azure.com for endpoints",
    "std::vector<int>, fd: 3, face::feed",
    "time 12:30:45 and ratio 3:4:5",
    "token = tokens[i]",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key=config.providers.openai.api_key_2",
    "secret_key = get_secret_value_v2(name)",
    "password = getpass.getpass()",
    '"password": "string"',
    "password='password123'",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 3ce4d57e0bd9ac5071ee91a103cc8c18270b0bd9",
    "id 123e4567-e89b-12d3-a456-426614174000",
    '"token": "123e4567-e89b-12d3-a456-426614174000"',
    "nvidia-curand-cu12==10.3.5.147",
    "version 10.2.0.89-1",
    "Qwen3.5-397B-A17B-Instruct-2507",
    "gpt-4o-2024-08-06, claude-opus-4-5-high",
    "task-django__django-12345_0",
    "sk-learn-contrib-boruta-feature-selection-tools",
    "risk-adjusted-returns-of-the-portfolio-2024",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "chatcmpl-9f86d081884c7d659a2feaa0c55ad015",
    "call_8WmZ3pQ7rT5vX1yB9cD2fG4h",
    "resp_68a1b2c3d4e5f60718293a4b5c6d7e8f",
    "@app.route('/home')",
    "x = A@B.T + W@v.dot(u)",
    "threading.local() and self.internal",
    "import com.sun.internal.misc",
    WEB + "site.org/home/products",
    f"{HOME}/user/project and {HOME}/ubuntu/x",
    "someone@example.com, a@b.test",
    "git@github.com:org/repo.git",
    "about ~50/hour",
    "max_tokens: 4096, prompt_token_ids",
    WEB + "user:password@host/path",
    "Bearer YOUR_API_KEY_GOES_HERE_PLEASE",
    "the cookie: chocolate=yes",
    "<EMAIL_1> wrote to <KEY_OPENAI_2>",
)
