"""What a server keeps of shared tasks: definitions, keys, teams, submissions, jobs, scores.

Functions take a session, as those of `store.projects` do; what a definition means, who may see what and how a run is
scored is not known here.
"""
