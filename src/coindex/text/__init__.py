"""Plain text, before it is a document: tokens, sentences, lines, language names, dates."""
