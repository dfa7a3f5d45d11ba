"""Linguistic knowledge shared by rules, sieves and models: word classes, stems, heads, pronouns."""
