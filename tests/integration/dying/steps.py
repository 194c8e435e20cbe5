"""The product's own handler, mortal."""

import dying
import real_steps

handler = dying.wrapped(real_steps.handler)
