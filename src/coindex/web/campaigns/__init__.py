"""Campaigns in the web app: pages and JSON over `coindex.api.campaign_server`, which decides what anybody sees when."""
