"""What resolvers know of languages, shared by rules, sieves and models: word classes, stems, heads, pronouns."""
