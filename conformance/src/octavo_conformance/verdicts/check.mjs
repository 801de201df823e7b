// Checks the language-neutral vectors: `npm install ajv ajv-formats && node check.mjs [FOLDER]`.
// FOLDER is what `octavo conformance verdicts FOLDER` writes. Exit code 1: a verdict differs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2] ?? ".");
const require = createRequire(join(process.cwd(), "package.json"));
const formats = require("ajv-formats").default;
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), "utf8"));

function validator(Ajv, schema) {
  const ajv = new Ajv({ strict: false });
  formats(ajv);
  ajv.addFormat("base64url", /^[A-Za-z0-9_-]*={0,2}$/);
  return ajv.compile(read("schema", schema));
}
const isResult = validator(require("ajv/dist/2020").default, "ingestion_result.json");
const isDigest = validator(require("ajv").default, "digest_payload.json");

// JavaScript counts UTF-16 units; the contract counts code points, which an array of characters does.
const points = (text) => Array.from(text);
const length = (text) => points(text).length;
const slice = (text, [start, end]) => points(text).slice(start, end).join("");
const sha256 = (text) => createHash("sha256").update(text, "utf8").digest("hex");
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function pagesOf(text) {
  const spans = [];
  let start = 0;
  for (const found of text.matchAll(/\n\n---PAGE ([1-9][0-9]{0,17})---\n\n/g)) {
    if (Number(found[1]) !== spans.length + 2) continue;
    const at = length(text.slice(0, found.index));
    spans.push([start, at]);
    start = at + length(found[0]);
  }
  return [...spans, [start, length(text)]];
}

function parse(locator) {
  const found = /^(?:page:([1-9][0-9]{0,17}):)?char:(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,17})$/.exec(locator);
  if (!found || locator.endsWith("\n")) return null;
  const [page, start, end] = found.slice(1).map((group) => (group === undefined ? null : Number(group)));
  return end < start ? null : { page, start, end };
}

function cut(text, { page, start, end }) {
  const body = page === null ? [0, length(text)] : pagesOf(text)[page - 1];
  return body && end <= body[1] - body[0] ? slice(text, [body[0] + start, body[0] + end]) : null;
}

const locatorRules = {
  "OC-DIG-003": ({ locator }) => parse(locator) !== null,
  "OC-DIG-005": ({ text, locator }) => parse(locator) === null || cut(text, parse(locator)) !== null,
};

const spans = (anchors) => anchors.map((anchor) => [anchor.text_start, anchor.text_end]);
const bodies = (text) => pagesOf(text).map((span) => slice(text, span));
const spanOf = (chunk) => [chunk.span.start, chunk.span.end];
const flagged = (report) => report.findings.filter((one) => one.severity === "degraded").map((one) => one.flag);
const losses = ["low_text_yield", "missing_page_anchors", "partial_conversion", "no_content"];

const resultRules = {
  "OC-SCHEMA-101": ({ document }) => isResult(document),
  "OC-PAGE-101": ({ document: { page_anchor_map: anchors }, canonical }) =>
    canonical === null || !anchors.length || same(spans(anchors), pagesOf(canonical)),
  "OC-PAGE-103": ({ document: { content_hashes: { page_hashes: hashes } }, canonical }) =>
    canonical === null || !hashes.length || same(hashes, bodies(canonical).map(sha256)),
  "OC-PAGE-104": ({ document: { page_anchor_map: anchors }, canonical }) =>
    canonical === null || pagesOf(canonical).length === 1 || anchors.length === pagesOf(canonical).length,
  "OC-SCHEMA-109": ({ document }) =>
    document.quality_report.source_ref === document.original_artifact_ref &&
    document.quality_report.conversion_artifact_ref === document.conversion_artifact_ref,
  "OC-SCHEMA-110": ({ document }) =>
    document.attempts.some((one) => one.outcome === "ok" && one.plugin === document.quality_report.selected_tool),
  "OC-SCHEMA-111": ({ document: { ingestion_status: status, quality_report: report } }) =>
    same(report.degraded_flags, [...new Set(flagged(report))].sort()) &&
    !(report.degraded_flags.length && status === "degraded_complete" && report.user_visible_status !== "degraded") &&
    !(report.quality_score === 1 && report.degraded_flags.some((flag) => losses.includes(flag))),
  "OC-SPAN-101": ({ document: { content_hashes: { normalized_text_hash: hash } }, canonical }) =>
    canonical === null || hash === null || hash === sha256(canonical),
  "OC-SPAN-103": ({ document: { chunk_manifest: chunks }, canonical }) =>
    chunks.every(({ span }, at) => span.start >= (at ? chunks[at - 1].span.end : 0)) &&
    (canonical === null || chunks.every(({ span }) => span.end <= length(canonical))),
  "OC-SPAN-104": ({ document: { chunk_manifest: chunks, content_hashes: { chunk_hashes: hashes } }, canonical }) =>
    canonical === null || !hashes.length || same(hashes, chunks.map((one) => sha256(slice(canonical, spanOf(one))))),
  "OC-SPAN-105": ({ document: { chunk_manifest: chunks, page_anchor_map: anchors } }) =>
    chunks.every(({ page, span }) => {
      const anchor = anchors[page - 1];
      return page === null || (anchor && anchor.text_start <= span.start && span.end <= anchor.text_end);
    }),
  "OC-SPAN-107": ({ document: { chunk_manifest: chunks }, canonical }) => {
    let next = 0;
    return canonical === null || pagesOf(canonical).every(([at, end]) => {
      while (at < end) {
        const chunk = chunks[next++];
        if (!chunk || chunk.span.start !== at || chunk.span.end <= at) return false;
        at = chunk.span.end;
      }
      return true;
    });
  },
};

const fields = ["version", "content_type", "query_hash", "summary", "key_points", "evidence_snippets", "original_chars",
  "digest_chars", "compression_ratio", "source_text_hash"];
const textsOf = (digest) => [digest.summary, ...digest.key_points, ...digest.evidence_snippets.map((one) => one.text)];

const digestRules = {
  "OC-DIG-001": ({ document }) => isDigest(document),
  "OC-DIG-002": ({ document }) => Object.keys(document).every((key) => fields.includes(key)),
  "OC-DIG-003": ({ document }) => document.evidence_snippets.every((one) => {
    const place = parse(one.locator);
    return place !== null && place.end - place.start === length(one.text);
  }),
  "OC-DIG-004": ({ document, archive }) => archive === null || document.source_text_hash === `sha256:${sha256(archive)}`,
  "OC-DIG-005": ({ document, archive }) =>
    archive === null || document.evidence_snippets.every((one) => cut(archive, parse(one.locator)) === one.text),
  "OC-DIG-006": ({ document, archive }) =>
    document.digest_chars === textsOf(document).map(length).reduce((sum, size) => sum + size, 0) &&
    (archive === null || document.original_chars === length(archive)),
  "OC-DIG-007": ({ document: { digest_chars: size, original_chars: whole, compression_ratio: given } }) => {
    const ratio = whole ? size / whole : 1;
    return Math.abs(ratio - given) <= 1e-4 && ratio < (whole > 10000 ? 0.5 : 1);
  },
  "OC-DIG-009": ({ archive, searched }) => !searched || archive !== null,
  "OC-DIG-010": ({ document: { evidence_snippets: all } }) => new Set(all.map((one) => one.locator)).size === all.length,
};

// A check is not run if one that it requires has failed or was not run.
function verdict(rules, known, vector) {
  const [failed, closed] = [[], new Set()];
  for (const [code, holds] of Object.entries(rules)) {
    if (known[code].requires.some((other) => closed.has(other))) closed.add(code);
    else if (!holds(vector)) closed.add(code) && failed.push(code);
  }
  return failed.sort();
}

let [count, wrong] = [0, 0];
function expect(name, found, wanted) {
  count += 1;
  if (same(found, wanted)) return;
  wrong += 1;
  console.log(`${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`);
}
for (const [file, rules] of [["locators", locatorRules], ["results", resultRules], ["digests", digestRules]]) {
  const { codes, vectors } = read("v1", `${file}.json`);
  for (const vector of vectors) {
    const found = verdict(rules, codes, vector);
    expect(`${file}: ${vector.name}`, [!found.length, found], [vector.valid, vector.codes]);
    if ("slice" in vector) expect(`the slice of ${vector.name}`, cut(vector.text, parse(vector.locator)), vector.slice);
  }
}
for (const { name, text, pages, hashes } of read("v1", "pages.json").vectors) {
  expect(`pages: ${name}`, [pagesOf(text), bodies(text).map(sha256)], [pages, hashes]);
}
console.log(`${count} verdicts, ${wrong} differ`);
process.exitCode = wrong ? 1 : 0;
