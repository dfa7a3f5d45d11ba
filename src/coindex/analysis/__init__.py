"""Analysis: tables of what systems reach, as papers print them."""
