import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { registerEventLoopDelay } from './event-loop-delay.ts';

test('the delay of the event loop is told since the last scrape, without the time between two looks', async () => {
  const registry = new Registry();
  registerEventLoopDelay(registry);
  const scrape = async (quantile: string) => {
    const text = await registry.metrics();
    const match = new RegExp(`^stithy_event_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)$`, 'm').exec(text);
    return Number(match![1]);
  };
  assert.equal(await scrape('1'), 0);
  await sleep(50);
  const until = performance.now() + 300;
  while (performance.now() < until);
  await sleep(50);
  const worst = await scrape('1');
  assert.ok(worst >= 0.25, `${worst} s`);
  await sleep(200);
  const usual = await scrape('0.5');
  assert.ok(usual < worst, `${usual} s`);
});
