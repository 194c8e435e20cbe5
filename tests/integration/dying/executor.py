"""The product's own handler, mortal, its tools counted."""

import dying
import real_executor

from superbiz.tools import TOOLS

for tool in TOOLS.values():
    dying.told(tool)

handler = dying.wrapped(real_executor.handler)
