"""Shared tasks: tracks, phases, blind input, checks of submissions, leaderboards; in folders or on a server.

Modules without a database are pure functions of documents, results and the time: `definition`, `blinding`, `checking`,
`scoring`, `leaderboard`, `visibility`, `findings`; `offline` runs a campaign in a folder with them. `models`, `queries`
and `jobs` are the database, `server` and its neighbours join both. Those take a `CampaignServer` and a `Viewer`, and
return what that viewer may see, under the names that they may see: nothing else decides about rights. `views` has the
pages and their JSON.
"""
