"""The chunk index in the PostgreSQL database of the library's index, shared by all machines (ENG-26).

It gives the results of the index in a file: the words are those of SQLite's tokenizer, the ranking is the same BM25, and
the same statement that finds the words decides who sees what. Nothing is copied to the machine that searches.

    [search]
    shared = true
"""
