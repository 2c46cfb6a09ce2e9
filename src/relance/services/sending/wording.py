"""Which wording of a step a person gets: drawn once, then kept."""

from relance.core import splitting
from relance.core.enrollment import Enrollment
from relance.core.sequence import EmailStep, Variant


def variant_of(enrollment: Enrollment, step: EmailStep) -> Variant:
    """Return the wording of this person: what was drawn for them once is kept."""
    chosen = enrollment.variants.get(step.id)
    kept = next((variant for variant in step.variants if variant.id == chosen), None)
    return kept or draw_variant(step, enrollment.uid)


def draw_variant(step: EmailStep, enrollment_uid: str) -> Variant:
    """Return the wording that a hash of the enrollment chooses, in proportion to the weights."""
    weights = [(variant.id, variant.weight) for variant in step.variants]
    chosen = splitting.choose(weights, key=enrollment_uid, purpose=f"variant/{step.id}")
    return next(variant for variant in step.variants if variant.id == chosen)
