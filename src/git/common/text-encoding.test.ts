import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { turnsDuring } from '../../../test/support/turns.ts';
import { diffTrees } from '../diff/index.ts';
import { blame } from '../history/index.ts';
import { TextDecoding } from './text-encoding.ts';

const GERMAN = 'Die Größe der Häuser wäre schön für alle\nUnd die Straße führt über die Brücke\n';
const latin1 = Buffer.from(GERMAN, 'latin1');
/** こんにちは世界 and a sentence, in Shift-JIS. */
const shiftJis = Buffer.from('82b182f182c982bf82cd90a28a450a93fa967b8cea82cc835483938376838b82c582b70a', 'hex');
const JAPANESE = ['こんにちは世界', '日本語のサンプルです'];
const utf16 = Buffer.from('\ufeffeins\nzwei ü\n', 'utf16le');

test('diffs and blame show text in other encodings, whoever compares', async (t) => {
  const git = new GitRepository();
  t.after(() => git.close());
  const { repo } = git;
  const commit = (files: Record<string, string | Buffer>) => {
    for (const [path, content] of Object.entries(files)) git.write(path, content);
    git.commit('next');
    return git.oid('HEAD');
  };
  const root = commit({ a: 'x\n' });
  const latin = commit({ latin: latin1, jis: shiftJis, wide: utf16, bin: Buffer.from([0, 1, 0xff]) });
  const converted = commit({ latin: `${GERMAN}mehr\n` });
  for (const onlyGit of [false, true]) {
    const diff = async (from: string, to: string) => {
      const { files } = await diffTrees(repo, from, to, { onlyGit, maxLines: onlyGit ? 40_000 : 40_001 });
      return new Map(files.map((file) => [file.newPath, file]));
    };
    const added = await diff(root, latin);
    const lines = GERMAN.trim().split('\n');
    assert.equal(added.get('latin')!.diff, `@@ -0,0 +1,2 @@\n${lines.map((line) => `+${line}\n`).join('')}`);
    assert.equal(added.get('jis')!.diff, `@@ -0,0 +1,2 @@\n${JAPANESE.map((line) => `+${line}\n`).join('')}`);
    assert.deepEqual([added.get('wide')!.binary, added.get('bin')!.binary], [true, true]);
    const changed = (await diff(latin, converted)).get('latin')!.diff;
    const sides = [...lines.map((line) => `-${line}\n`), ...lines.map((line) => `+${line}\n`), '+mehr\n'];
    assert.equal(changed, `@@ -1,2 +1,3 @@\n${sides.join('')}`);
  }
  const text = async (path: string) => (await blame(repo, latin, path)).ranges.flatMap((range) => range.lines);
  assert.deepEqual(await text('latin'), GERMAN.trim().split('\n'));
  assert.deepEqual(await text('jis'), JAPANESE);
  assert.deepEqual(
    (await text('wide')).slice(0, 2).map((line) => line.replace('\ufeff', '')),
    ['eins', 'zwei ü'],
  );
});

test('no bytes are refused, and every line stays one', async () => {
  let seed = 5;
  const byte = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 256;
  };
  const decoding = new TextDecoding();
  for (let round = 0; round < 200; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + (round % 90) }, byte).map((each) => (each === 10 ? 255 : each)));
    const patch = Buffer.concat([Buffer.from('@@ -1 +1,2 @@\n-'), bytes, Buffer.from('\n+'), bytes, Buffer.from('\n')]);
    assert.equal((await decoding.patch(patch)).split('\n').length, 4);
    assert.equal((await new TextDecoding().lines([bytes, bytes])).length, 2);
  }
});

const SAMPLES = {
  'ISO 8859-1, short': ['636166e90a', 'caf\u00e9\n'],
  'Windows-1252, short': ['80200a', '\u20ac \n'],
  'Windows-1252': [
    '844772f6df659320962066fc6e662054fc72656e850a44657220507265697320697374203520802066fc72206469652053747261df650a',
    '„Größe“ – fünf Türen…\nDer Preis ist 5 € für die Straße\n',
  ],
  'Shift-JIS': [
    '93fa967b8cea82cc95b68fcd82f082a282ad82c282a98f9182a282c482a882ab82dc82b781420a82b182cc8d7382e093af82b695b68e9a8352815b836882c582b781420a',
    '日本語の文章をいくつか書いておきます。\nこの行も同じ文字コードです。\n',
  ],
  'EUC-JP': [
    'c6fccbdcb8eca4cecab8becfa4f2a4a4a4afa4c4a4abbdf1a4a4a4c6a4aaa4ada4dea4b9a1a30aa4b3a4ceb9d4a4e2c6b1a4b8cab8bbfaa5b3a1bca5c9a4c7a4b9a1a30a',
    '日本語の文章をいくつか書いておきます。\nこの行も同じ文字コードです。\n',
  ],
  GBK: [
    'd5e2cac7d2bbb8f6d3c3d3dab2e2cad4b5c4d6d0cec4cec4bcfea1a30ab5dab6fed0d0d2b2cab9d3c3cfe0cdacb5c4b1e0c2eba1a30a',
    '这是一个用于测试的中文文件。\n第二行也使用相同的编码。\n',
  ],
  'EUC-KR': [
    'c7d1b1b9beeeb7ce20beb420c6c4c0cfc0d4b4cfb4d92e0ab5d1c2b020c1d9b5b520b0b0c0ba20c0cec4dab5f9c0d4b4cfb4d92e0a',
    '한국어로 쓴 파일입니다.\n둘째 줄도 같은 인코딩입니다.\n',
  ],
  'Windows-1251': [
    'ddf2ee20f0f3f1f1eae8e920f2e5eaf1f220e220f1f2e0f0eee920eaeee4e8f0eee2eae52e0ac2f2eef0e0ff20f1f2f0eeeae020f2eee6e52e0a',
    'Это русский текст в старой кодировке.\nВторая строка тоже.\n',
  ],
} as const;

for (const [name, [hex, text]] of Object.entries(SAMPLES)) {
  test(`${name} can be read in texts, lines and patches`, async () => {
    const bytes = Buffer.from(hex, 'hex');
    assert.equal(await new TextDecoding().text(bytes), text);
    const lines = text.trimEnd().split('\n');
    const split = [...bytes.toString('latin1').trimEnd().split('\n')].map((line) => Buffer.from(line, 'latin1'));
    assert.deepEqual(await new TextDecoding().lines(split), lines);
    const patch = Buffer.concat(split.flatMap((line) => [Buffer.from('+'), line, Buffer.from('\n')]));
    assert.equal(await new TextDecoding().patch(patch), lines.map((line) => `+${line}\n`).join(''));
  });
}

/** Comments and texts as they stand in source files, in encodings that Node.js does not write. */
const SHORT: Readonly<Record<string, readonly (readonly [hex: string, text: string])[]>> = {
  'Shift-JIS': [
    ['2f2f2090dd92e80a', '// 設定\n'],
    ['696e74206e203d20303b202f2f208c8f90940a', 'int n = 0; // 件数\n'],
    ['23208386815b8355815b96bc0a', '# ユーザー名\n'],
    ['6d7367203d202783708358838f815b836882aa88e182a282dc82b7270a', "msg = 'パスワードが違います'\n"],
    ['2f2a20947a97f182cc92b782b3202a2f0a', '/* 配列の長さ */\n'],
    ['8f5a8f8a82c69364986294d48d8682f093fc97cd82b582c482ad82be82b382a20a', '住所と電話番号を入力してください\n'],
  ],
  'EUC-JP': [
    ['2f2f20c0dfc4ea0a', '// 設定\n'],
    ['696e74206e203d20303b202f2f20b7efbff40a', 'int n = 0; // 件数\n'],
    ['2320a5e6a1bca5b6a1bcccbe0a', '# ユーザー名\n'],
    ['6d7367203d2027a5d1a5b9a5efa1bca5c9a4acb0e3a4a4a4dea4b9270a', "msg = 'パスワードが違います'\n"],
    ['2f2a20c7dbcef3a4cec4b9a4b5202a2f0a', '/* 配列の長さ */\n'],
    ['bdbbbdeaa4c8c5c5cfc3c8d6b9e6a4f2c6fececfa4b7a4c6a4afa4c0a4b5a4a40a', '住所と電話番号を入力してください\n'],
  ],
  GBK: [
    ['2f2f20c5e4d6c30a', '// 配置\n'],
    ['696e74206e203d20303b202f2f20cafdc1bf0a', 'int n = 0; // 数量\n'],
    ['2320d3c3bba7c3fbb2bbc4dcceaabfd50a', '# 用户名不能为空\n'],
    ['6d7367203d2027c3dcc2ebb4edcef3270a', "msg = '密码错误'\n"],
    ['2f2a20cafdd7e9b3a4b6c8202a2f0a', '/* 数组长度 */\n'],
    ['c7ebcae4c8ebb5d8d6b7bacdb5e7bbb0bac5c2eb0a', '请输入地址和电话号码\n'],
  ],
  Big5: [
    ['2f2f20b35da9770a', '// 設定\n'],
    ['696e74206e203d20303b202f2f20bcc6b6710a', 'int n = 0; // 數量\n'],
    ['2320a8cfa5ceaacca657bad9a4a3afe0aac5a5d50a', '# 使用者名稱不能空白\n'],
    ['6d7367203d2027b14bbd58bff9bb7e270a', "msg = '密碼錯誤'\n"],
    ['2f2a20b07da643aaf8abd7202a2f0a', '/* 陣列長度 */\n'],
    ['bdd0bfe9a44aa661a77da94db971b8dcb8b9bd580a', '請輸入地址和電話號碼\n'],
  ],
  'EUC-KR': [
    ['2f2f20bcb3c1a40a', '// 설정\n'],
    ['696e74206e203d20303b202f2f20b0b3bcf60a', 'int n = 0; // 개수\n'],
    ['2320bbe7bfebc0da20c0ccb8a7c0cc20bef8bdc0b4cfb4d90a', '# 사용자 이름이 없습니다\n'],
    ['6d7367203d2027baf1b9d0b9f8c8a3b0a120c6b2b8b3b4cfb4d9270a', "msg = '비밀번호가 틀립니다'\n"],
    ['2f2a20b9e8bfad20b1e6c0cc202a2f0a', '/* 배열 길이 */\n'],
    ['c1d6bcd2bfcd20c0fcc8adb9f8c8a3b8a620c0d4b7c2c7cfbcbcbfe40a', '주소와 전화번호를 입력하세요\n'],
  ],
};

for (const [name, samples] of Object.entries(SHORT)) {
  test(`a few characters of ${name} amid code can be read`, async () => {
    for (const [hex, text] of samples) {
      const bytes = Buffer.from(hex, 'hex');
      assert.equal(await new TextDecoding().text(bytes), text);
      assert.deepEqual(await new TextDecoding().lines([bytes.subarray(0, -1)]), [text.trimEnd()]);
      const patch = Buffer.concat([Buffer.from('@@ -0,0 +1 @@\n+'), bytes]);
      assert.equal(await new TextDecoding().patch(patch), `@@ -0,0 +1 @@\n+${text}`);
    }
  });
}

test('each side of a patch that converts a short text is read in its own encoding', async () => {
  const [hex, text] = SHORT.GBK![3]!;
  const patch = Buffer.concat([Buffer.from('@@ -1 +1 @@\n-'), Buffer.from(hex, 'hex'), Buffer.from(`+${text}`)]);
  assert.equal(await new TextDecoding().patch(patch), `@@ -1 +1 @@\n-${text}+${text}`);
});

test('what begins as words of one encoding, and is none further on, is not taken for it', async () => {
  const [hex] = SAMPLES['Shift-JIS'];
  const bytes = Buffer.concat([
    Buffer.from(hex.repeat(4), 'hex'),
    Buffer.from('caf\xe9 \xfc \xe0 \xff\n'.repeat(3), 'latin1'),
  ]);
  assert.ok((await new TextDecoding().text(bytes)).endsWith('\n'));
  assert.doesNotMatch(await new TextDecoding().text(bytes), /日本語/);
});

test('short texts in Western languages are not taken for others', async () => {
  for (const word of [
    'é',
    'ça va',
    '½ cup',
    '« oui »',
    'let x = "Ørsted";',
    'naïve café résumé',
    '© Jürgen',
    'Ärger',
    'Übergabe',
    'smørrebrød',
    '§ 12',
    '± 5 °C',
  ]) {
    for (const text of [word, `${word}\n`]) {
      assert.equal(await new TextDecoding().text(Buffer.from(text, 'latin1')), text);
    }
  }
});

test('a long text is decoded as its first parts that are not ASCII, whatever its lines are', async () => {
  for (const between of ['x'.repeat(70), '\n', 'x'.repeat(100_000)]) {
    const text = `${between.repeat(3_000).slice(0, 300_000)}Grüße aus dem Süden an alle Häuser\n`.repeat(4);
    assert.equal(await new TextDecoding().text(Buffer.from(text, 'latin1')), text);
  }
  const [hex, word] = SAMPLES['Shift-JIS'];
  const japanese = await new TextDecoding().text(Buffer.from(hex.repeat(2_500), 'hex'));
  assert.ok(japanese === word.repeat(2_500));
});

test('a mark of byte order says which two bytes are a character', async () => {
  const big = Buffer.from(utf16).swap16();
  for (const bytes of [utf16, big]) assert.equal(await new TextDecoding().text(bytes), 'eins\nzwei ü\n');
});

test('UTF-8 with a few bytes that are none stays UTF-8', async () => {
  const bytes = Buffer.concat([Buffer.from('żółć gęślą jaźń\n'), Buffer.from('caf\xe9\n', 'latin1')]);
  assert.equal(await new TextDecoding().text(bytes), 'żółć gęślą jaźń\ncaf\ufffd\n');
});

test('what is no text of any language has replacement characters', async () => {
  assert.equal(await new TextDecoding().text(Buffer.from('6fe96f9d0a', 'hex')), 'o\ufffdo\ufffd\n');
});

test('many lines are decoded with turns for others', async () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => Buffer.from(`line ${n}`));
  let texts: string[] = [];
  const turns = await turnsDuring(async () => {
    texts = await new TextDecoding().lines(lines);
  });
  assert.equal(texts.length, lines.length);
  assert.equal(texts[99_999], 'line 99999');
  assert.ok(turns > 5, `${turns} turns`);
});
