"""For tests whose commands run in the sandbox: without one they are asked about, or say so."""

import pytest

from glossator.sandbox.confinement import Unavailable
from glossator.sandbox.workspace_shell import find_sandbox

FOUND = find_sandbox()
SANDBOXED = pytest.mark.skipif(isinstance(FOUND, Unavailable), reason=str(FOUND))
