import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExtensionPoint, ProvidedFunction } from './extension-point.ts';

test('handlers run in the order of registration, and none after one that fails', async () => {
  const point = new ExtensionPoint<[name: string]>();
  const ran: string[] = [];
  point.add(async (name) => void ran.push(`first ${name}`));
  point.add(async () => Promise.reject(new Error('second fails')));
  point.add(async () => void ran.push('third'));
  await assert.rejects(point.run('a'), /second fails/);
  assert.deepEqual(ran, ['first a']);
});

test('a function that nobody provides is missed at the start, and fails when it is called', async () => {
  const double = new ProvidedFunction<[count: number], number>('double');
  assert.throws(() => double.requireProvided(), /nobody provides double/);
  await assert.rejects(double.call(2), /nobody provides double/);
  double.provide(async (count) => 2 * count);
  double.requireProvided();
  assert.equal(await double.call(2), 4);
  assert.throws(() => double.provide(async () => 0), /double is provided twice/);
});
