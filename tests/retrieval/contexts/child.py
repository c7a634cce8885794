"""A process that makes contexts until it is killed: `python -m tests.retrieval.contexts.child …`.

Arguments: the stand-in's address, the folder, `batched` or `direct`, and names of documents.
"""

import asyncio
import sys

from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import client_factory
from glossator.retrieval import ContextFile, ContextGenerator
from glossator.retrieval.contexts.batches import Pace
from glossator.settings.models import ModelSettings
from tests.retrieval.contexts.making import ENVIRONMENT, document


async def main(address: str, folder: str, how: str, names: list[str]) -> None:
    named = ModelSettings()  # so that they have prices
    settings = ModelSettings(base_url=address, main=named.main, fast=named.fast)
    model = AnthropicModel(settings.fast, settings, client_factory(settings, ENVIRONMENT))
    contexts = ContextFile(f"{folder}/contexts.sqlite")
    pace = Pace(lambda _seconds: asyncio.sleep(0.02), settled=0.02)
    generator = ContextGenerator(model, contexts, f"{folder}/ledger", pace=pace)
    documents = [document(name) for name in names]
    await generator.generate(documents, dollars=1.0, batched=how == "batched")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
