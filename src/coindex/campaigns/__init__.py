"""Shared tasks: tracks, phases, blind input, checks of submissions, leaderboards; in folders or on a server.

`definition`, `files`, `checking`, `scoring`, `leaderboard`, `visibility` and `findings` do not use a database;
`offline` runs a campaign in folders with them. `models`, `queries` and `jobs` access the database. The other
modules combine both: their functions take a `CampaignServer` and a `Viewer` and return only what the viewer may see,
under the team names that they may see. `views` contains the pages and the JSON API.
"""
