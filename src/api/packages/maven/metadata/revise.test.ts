import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_BYTES } from './maven-metadata.document.ts';
import { updateMetadata } from './revise.ts';

const NOW = new Date('2026-02-03T04:05:06.789Z');
const leaving = (...versions: string[]) => ({
  hasVersion: (version: string) => versions.includes(version),
  hasPlugin: (id: string) => versions.includes(id),
});
const artifact = (versioning: string) => `<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>com.ex</groupId>
  <artifactId>app</artifactId>
  <versioning>${versioning}
    <lastUpdated>20260101000000</lastUpdated>
  </versioning>
</metadata>
`;
const versions = (...names: string[]) => `
    <versions>${names.map((name) => `\n      <version>${name}</version>`).join('')}
    </versions>`;

describe('metadata of an artifact', () => {
  const text = artifact(
    `\n    <latest>3.0-SNAPSHOT</latest>\n    <release>2.0</release>${versions('1.0', '2.0', '3.0-SNAPSHOT')}`,
  );
  const revised = (...left: string[]) => updateMetadata(text, leaving(...left), NOW);

  test('name the versions that are left', async () => {
    assert.equal(
      await revised('1.0', '3.0-SNAPSHOT'),
      artifact(
        `\n    <latest>3.0-SNAPSHOT</latest>\n    <release>1.0</release>${versions('1.0', '3.0-SNAPSHOT')}`,
      ).replace('20260101000000', '20260203040506'),
    );
    assert.match((await revised('1.0'))!, /<latest>1\.0<\/latest>\n {4}<release>1\.0<\/release>/);
    assert.doesNotMatch((await revised('3.0-SNAPSHOT'))!, /release/);
  });

  test('stay as they are where nothing is gone', async () => {
    assert.equal(await revised('1.0', '2.0', '3.0-SNAPSHOT', '4.0'), undefined);
    assert.equal(await updateMetadata('<metadata><groupId>g</groupId></metadata>', leaving(), NOW), undefined);
  });

  test('end with the last version', async () => {
    assert.equal(await revised(), null);
  });

  test('keep what is not known here', async () => {
    const input = `<metadata modelVersion="1.1.0" x="&lt;&quot;&amp;"><!-- why --><extra><a b="c"/>one &amp; two</extra><versioning>${versions('1', '2')}</versioning></metadata>`;
    const updated = (await updateMetadata(input, leaving('2'), NOW))!;
    assert.match(updated, /<metadata modelVersion="1\.1\.0" x="&lt;&quot;&amp;">/);
    assert.match(updated, /<a b="c"\/>\n {4}one &amp; two/);
    assert.equal(await updateMetadata(updated, leaving('2'), NOW), undefined, 'it can be read again');
  });
});

test('metadata of a group of plugins name those that are left', async () => {
  const plugin = (id: string) =>
    `<plugin><name>${id}</name><prefix>${id}</prefix><artifactId>${id}</artifactId></plugin>`;
  const text = `<metadata><plugins>${plugin('a')}${plugin('b')}</plugins></metadata>`;
  assert.doesNotMatch((await updateMetadata(text, leaving('b'), NOW))!, /<artifactId>a</);
  assert.equal(await updateMetadata(text, leaving(), NOW), null);
  assert.equal(await updateMetadata(text, leaving('a', 'b'), NOW), undefined);
  const both = `<metadata><versioning>${versions('1')}</versioning><plugins>${plugin('a')}</plugins></metadata>`;
  assert.match((await updateMetadata(both, leaving('1'), NOW))!, /<version>1<\/version>/);
});

test('what cannot be read stays as it is', async () => {
  const BOMB = `<!DOCTYPE metadata [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><metadata><versioning><versions><version>&b;</version></versions></versioning></metadata>`;
  for (const text of [
    '',
    'no xml',
    '<metadata>',
    '<other><versioning/></other>',
    '<metadata>&unknown;</metadata>',
    BOMB,
    `<metadata>${'<a>'.repeat(50)}${'</a>'.repeat(50)}</metadata>`,
  ]) {
    assert.equal(await updateMetadata(text, leaving(), NOW), undefined, text.slice(0, 60));
  }
});

test('as many versions as are read are revised at once', async () => {
  const names = Array.from({ length: Math.floor(MAX_BYTES / 40) }, (_, n) => `${n}`);
  const last = names.at(-1)!;
  const revised = await updateMetadata(artifact(versions(...names)), leaving(last), NOW);
  assert.match(revised!, new RegExp(`<version>${last}</version>`));
});
