"""What Glossator uses of onnxruntime 1.x, which comes without types."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    def add_session_config_entry(self, key: str, value: str) -> None: ...

class InferenceSession:
    def __init__(
        self, model: str, sess_options: SessionOptions, providers: Sequence[str]
    ) -> None: ...
    def run(
        self, output_names: None, input_feed: Mapping[str, NDArray[Any]]
    ) -> list[NDArray[np.float32]]: ...
