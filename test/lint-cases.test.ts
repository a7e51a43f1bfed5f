import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkLintCase, type LintCase } from './support/lint-case.ts';

const root = join(import.meta.dirname, 'fixtures/lint');
const topics = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());

for (const { name: topic } of topics) {
  describe(topic, () => {
    const cases = readdirSync(join(root, topic)).filter((file) => file.endsWith('.json'));
    for (const file of cases) {
      const name = file.slice(0, -'.json'.length);
      test(name, async () => {
        const content = readFileSync(join(root, topic, `${name}.yml`), 'utf8');
        const expected = JSON.parse(readFileSync(join(root, topic, file), 'utf8')) as LintCase;
        await checkLintCase(content, expected);
      });
    }
  });
}
