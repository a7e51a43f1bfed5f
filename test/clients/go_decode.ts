/**
 * Has client-go decode everything that a filled server answers, and every answer that its document describes. The program
 * that decodes (go_decode.go) is the first argument.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Crawl } from './crawl.ts';
import { type Document, type Operation, operationsOf } from './document_answers.ts';
import { fillServer } from './fill.ts';
import { folder, must, runTests, url } from './support.ts';

interface Finding {
  method: string;
  operation: string;
  origin: string;
  error: string;
}
interface Summary {
  methods: number;
  decoded: number;
}

const [program = ''] = process.argv.slice(2);
const dialect = process.env.STITHY_DIALECT ?? 'specification';

/** What client-go cannot decode of the platform itself. */
const NOT_OURS: readonly { method: RegExp; error: RegExp }[] = [
  // Its answers are what was asked for; the method decodes into whatever it is given.
  { method: /^(GraphQL|WorkItems|TerraformStates)\./, error: /./ },
  // With `relation` the platform answers with an object, whatever the method makes of it.
  {
    method: /^GroupRelationsExport\.ListExportStatus$/,
    error: /cannot unmarshal object into .* of type \[\]\*gitlab\.GroupRelationStatus/,
  },
  // Labels are objects where they are asked for with `with_labels_details`, which these methods cannot.
  { method: /./, error: /cannot unmarshal object into Go struct field \S+\.labels of type string/ },
];

/** What the specification wants that it cannot decode: the differences of src/http/dialect.ts. */
const OF_SPECIFICATION: readonly { method: RegExp; error: RegExp }[] = [
  { method: /^Projects\..*ApprovalRule/, error: /code_owner_approval_required of type bool/ },
  { method: /^Invites\./, error: /parsing time "\d{4}-\d\d-\d\d"/ },
  { method: /^ApplicationStatistics\./, error: /cannot unmarshal string into .* of type int64/ },
];

const known = [...NOT_OURS, ...(dialect === 'specification' ? OF_SPECIFICATION : [])];

async function decode(
  name: string,
  operations: readonly Operation[],
): Promise<{ summary: Summary; findings: Finding[] }> {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(operations));
  const lines = (await must(folder, program, [file])).trim().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as Finding | Summary);
  const summary = messages.pop() as Summary;
  process.stdout.write(`client-go decoded ${summary.decoded} answers by ${summary.methods} methods (${name})\n`);
  return { summary, findings: messages as Finding[] };
}

/** @throws AssertionError with what could not be decoded and should have been */
function requireNone(findings: readonly Finding[]): void {
  const faults = findings.filter(
    ({ method, error }) => !known.some((each) => each.method.test(method) && each.error.test(error)),
  );
  assert.deepEqual(faults, []);
}

const document = async () =>
  (await (await fetch(`${url}/api/v4/openapi.json`)).json()) as Document & { info: { 'x-dialect': string } };

await runTests(`client-go, dialect ${dialect},`, {
  'decodes every answer of the document': async () => {
    const described = await document();
    assert.equal(described.info['x-dialect'], dialect);
    const { summary, findings } = await decode('document', operationsOf(described));
    assert.ok(summary.methods > 800 && summary.decoded > 1_000, JSON.stringify(summary));
    requireNone(findings);
    if (dialect !== 'specification') return;
    for (const { method, error } of OF_SPECIFICATION) {
      assert.ok(
        findings.some((each) => method.test(each.method) && error.test(each.error)),
        `${method} is no difference`,
      );
    }
  },
  'decodes what a filled server answers': async () => {
    await fillServer();
    const asked = await new Crawl(await document()).run();
    const answered = asked.filter(({ answers }) => answers.length > 0);
    assert.ok(answered.length > 300, `${answered.length} of ${asked.length} paths were answered`);
    const { summary, findings } = await decode('server', asked);
    assert.ok(summary.decoded > 500, JSON.stringify(summary));
    requireNone(findings);
  },
});
