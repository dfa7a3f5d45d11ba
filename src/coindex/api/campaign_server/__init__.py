"""Campaigns in a server: store and logic joined, and the worker that scores.

Functions take a `CampaignServer` and a `Viewer`, and give what that viewer may see, under the names that they may see:
pages, files and programs are made of it, and nothing else decides about rights.
"""
