import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { GzipError, gzipMembers } from './gzip-members.ts';
import { JunitError, MAX_CASES, parseJunit, type TestCase } from './junit.parse.ts';

async function parse(xml: string | Buffer): Promise<TestCase[]> {
  const cases: TestCase[] = [];
  await parseJunit(Buffer.from(xml), cases);
  return cases;
}
const fails = (xml: string | Buffer, words: RegExp) =>
  assert.rejects(parse(xml), (error) => error instanceof JunitError && words.test(error.message));

describe('a report', () => {
  test('is tests in suites, each with what came of it', async () => {
    const cases = await parse(`<?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
        <testsuite name="outer">
          <properties><property name="a" value="b"/></properties>
          <testcase name="good" classname="a.B" file="b.ts" time="1.5"/>
          <testcase name="bad" time="1,000.25"><failure message="no">1 &lt; 2<![CDATA[ & more]]></failure><system-out>x</system-out></testcase>
          <testsuite name="inner"><testcase name="broken"><error message="the message" type="E"/></testcase></testsuite>
          <testcase name="left out"><skipped/></testcase>
          <testcase><skipped>why</skipped><error>first of all</error><failure>counts</failure></testcase>
        </testsuite>
        <testcase name="in no suite"/>
      </testsuites>`);
    const of = (values: Partial<TestCase>) => ({
      ...{ status: 'success', suite: 'outer', name: null, classname: null, file: null },
      ...{ execution_time: 0, system_output: null },
      ...values,
    });
    assert.deepEqual(cases, [
      of({ name: 'good', classname: 'a.B', file: 'b.ts', execution_time: 1.5 }),
      of({ name: 'bad', status: 'failed', execution_time: 1000.25, system_output: '1 < 2 & more' }),
      of({ name: 'broken', status: 'error', suite: 'inner', system_output: 'the message' }),
      of({ name: 'left out', status: 'skipped' }),
      of({ status: 'failed', system_output: 'counts' }),
    ]);
  });

  test('may have one suite for its root, other encodings, and times that are none', async () => {
    const suite = (text: string) => `<testsuite><testcase name="${text}" time="soon"/></testsuite>`;
    assert.deepEqual(
      (await parse(suite('ü'))).map(({ name, execution_time }) => [name, execution_time]),
      [['ü', 0]],
    );
    const latin = Buffer.from(`<?xml version="1.0" encoding='ISO-8859-1'?>${suite('ü')}`, 'latin1');
    assert.equal((await parse(latin))[0]!.name, 'ü');
    assert.equal((await parse(`\ufeff${suite('b')}`))[0]!.name, 'b');
    assert.deepEqual(await parse('<testsuites/>'), []);
  });

  test('that is none is refused with its place', async () => {
    await fails('no xml', /1:\d+: /);
    await fails('', /document must contain a root element/);
    await fails('<html/>', /root element is html/);
    await fails('<testsuites><testsuite>', /unclosed tag/);
    await fails('<testsuites></testsuite>', /unexpected close tag/);
    await fails('<?xml version="1.0" encoding="nonsense"?><testsuites/>', /unknown encoding/);
  });

  test('with entities of its own, too deep or too long, is refused quickly', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const bomb = `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]><testsuite><testcase name="&l9;"/></testsuite>`;
    await fails(bomb, /undefined entity/);
    const outside = '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>';
    await fails(outside, /undefined entity/);
    await fails('<testsuite>'.repeat(101), /nested too deeply/);
    await fails(`<testsuite>${'<testcase/>'.repeat(MAX_CASES + 1)}</testsuite>`, /more than 100000 tests/);
  });
});

describe('a packed report', () => {
  const unpack = async (bytes: Buffer, max = 1_000) => {
    const members: string[] = [];
    for await (const member of gzipMembers(bytes, max)) members.push(member.toString());
    return members;
  };
  const refused = (bytes: Buffer, words: RegExp, max?: number) =>
    assert.rejects(unpack(bytes, max), (error) => error instanceof GzipError && words.test(error.message));

  test('gives its files one by one', async () => {
    assert.deepEqual(await unpack(gzipSync('one')), ['one']);
    assert.deepEqual(await unpack(Buffer.concat([gzipSync('one'), gzipSync(''), gzipSync('three')])), [
      'one',
      '',
      'three',
    ]);
    assert.deepEqual(await unpack(Buffer.alloc(0)), []);
    const plain = gzipSync('named');
    const named = Buffer.concat([
      plain.subarray(0, 3),
      Buffer.from([8]),
      plain.subarray(4, 10),
      Buffer.from('junit.xml\0'),
      plain.subarray(10),
    ]);
    assert.deepEqual(await unpack(named), ['named']);
  });

  test('that is none, damaged or too large is refused', async () => {
    await refused(Buffer.from('plain text of some length'), /not in gzip format/);
    await refused(Buffer.concat([gzipSync('one'), Buffer.from('rest of some length')]), /not in gzip format/);
    await refused(gzipSync('x'.repeat(100)).subarray(0, 20), /damaged|cut off/);
    await refused(gzipSync('one').subarray(0, 5), /not in gzip format/);
    await refused(gzipSync('x'.repeat(1_001)), /too large/);
    await refused(Buffer.concat([gzipSync('x'.repeat(900)), gzipSync('x'.repeat(101))]), /too large/);
    await refused(gzipSync(Buffer.alloc(50_000_000)), /too large/);
  });
});
