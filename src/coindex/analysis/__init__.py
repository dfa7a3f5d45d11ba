"""Analysis: reports, error analysis, corpus statistics, and the tables and charts they consist of."""
