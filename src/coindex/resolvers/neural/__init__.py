"""The learned resolver: stack tags find mentions, antecedent scores link them. No torch here: training imports this."""
