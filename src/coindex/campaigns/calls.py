"""A call of the campaign pages and their API: with what the caller is to the campaign of its path."""

from __future__ import annotations

from dataclasses import dataclass

from ..server.access import Who
from ..server.calls import Call
from .viewers import Viewer, viewer_of


@dataclass
class CampaignCall(Call):
    """What a handler of campaigns gets."""

    viewer: Viewer | None = None
    """Who the caller is to the campaign of the path."""

    @property
    def seen_by(self) -> Viewer:
        assert self.viewer is not None
        return self.viewer

    def find_subject(self) -> None:
        """Find what the caller is in the campaign of the path."""
        campaign = self.request.path_params.get("campaign")
        if campaign is None:
            return
        self.viewer = viewer_of(self.state.campaigns, campaign, self.user)
        if self.who == "stranger":
            roles: dict[str, Who] = {"organiser": "organiser", "team": "participant"}
            self.who = roles.get(self.viewer.role, "stranger")
