"""How well engines and the router read documents whose content is known; see `docs/explanation/accuracy.md`.

One module a concept: `manifest` (the documents), `reading` (what an engine made of one), `installed` and `peers` (who reads),
`words`, `tables`, `headings`, `claims`, `records`, `outcomes` (the measures), `scoring` (one document's accuracy),
`figures` (means, the oracle, intervals), `folds`, `calibration`, `report`.
"""
