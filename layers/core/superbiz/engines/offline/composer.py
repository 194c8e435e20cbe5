"""The Composer without a model: the template says what the permitted claims say, and nothing more."""

from superbiz.ports import Brief, Composition, Material


class OfflineComposer:
    """Implements `ports.Composer` by asking for the template."""

    def compose(self, material: Material, brief: Brief) -> Composition:  # noqa: ARG002 - the port's; the template takes the report
        """No body of its own: whatever is judged expressible is rendered by code."""
        return Composition(body=None)
